import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';

const failures: string[] = [];
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open: typeof real.open = (...args) => {
    const code = failures.shift();
    return code === undefined ? real.open(...args) : Promise.reject(Object.assign(new Error(code), { code }));
  };
  return { ...real, open };
});
/** Milliseconds that were waited between tries. */
const pauses: unknown[] = [];
vi.mock('node:timers/promises', () => ({ setTimeout: (ms: number) => Promise.resolve(void pauses.push(ms)) }));
const { readOwnFile } = await import('../../../src/main/own-files/own-file');

beforeEach(() => void pauses.splice(0));

it.each(['EMFILE', 'EIO', 'EBUSY'])('%s for a moment sets nothing aside', async (code) => {
  const folder = await mkdtemp(join(tmpdir(), 'espalier-busy-'));
  const file = join(folder, 'credentials.json');
  await writeFile(file, '{"a":1}');
  failures.push(code, code);
  const spec = {
    name: 'The keys',
    empty: () => ({}),
    parse: (json: unknown) => ({ value: json, bad: [], kept: json }),
  };
  expect(await readOwnFile<unknown>(file, spec)).toMatchObject({ value: { a: 1 }, problems: [], state: 'read' });
  expect(await readdir(folder)).toEqual(['credentials.json']);
  await rm(folder, { recursive: true });
});

it.each([
  ['EACCES', 1, 'you don’t have permission to open the file', 'give yourself permission to read it'],
  ['EIO', 5, 'the disk reported an error', 'check the disk'],
  ['EBUSY', 5, 'the system reported EBUSY', 'fix this'],
])('%s that lasts sets nothing aside either, and nothing is written over it', async (code, tries, reason, cure) => {
  const folder = await mkdtemp(join(tmpdir(), 'espalier-busy-'));
  const file = join(folder, 'credentials.json');
  await writeFile(file, '{"a":1}');
  failures.push(...Array<string>(tries).fill(code));
  const read = await readOwnFile<unknown>(file, {
    ...{ name: 'The keys', empty: () => ({}), meanwhile: 'None is used.' },
    parse: (json: unknown) => ({ value: json, bad: [], kept: json }),
  });
  expect(read.problems).toEqual([
    `The keys could not be read: ${reason}. None is used. ${file} was left unchanged: ${cure}, then restart Espalier.`,
  ]);
  expect([read.value, read.state]).toEqual([{}, 'unread']);
  await expect(read.mayReplace()).rejects.toThrow(cure);
  expect(pauses).toEqual([20, 80, 300, 600].slice(0, tries - 1));
  expect(await readdir(folder)).toEqual(['credentials.json']);
  await rm(folder, { recursive: true });
});
