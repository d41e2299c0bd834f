import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';

const failures: string[] = [];
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open: typeof real.open = (...args) => {
    const code = failures.shift();
    return code === undefined ? real.open(...args) : Promise.reject(Object.assign(new Error(code), { code }));
  };
  return { ...real, open };
});
const { readOwnFile } = await import('../../../src/main/own-files/own-file');

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
  expect(await readOwnFile<unknown>(file, spec)).toEqual({ value: { a: 1 }, problems: [] });
  expect(await readdir(folder)).toEqual(['credentials.json']);
  await rm(folder, { recursive: true });
});
