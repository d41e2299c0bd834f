import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeFs } from '../../../src/main/journal/file/fs';
import { whatIsThere } from '../../../src/main/journal/file/session-error';
import { readRegular, readRegularSync } from '../../../src/main/own-files/read-regular';

/** A folder in the place of a file is told as one, whatever the system says when it is opened: Windows says EPERM. */

const eperm = (): Error => Object.assign(new Error('EPERM: operation not permitted, open'), { code: 'EPERM' });
const answers = vi.hoisted(() => ({ code: null as (() => Error) | null }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open = (...how: Parameters<typeof real.open>) =>
    answers.code ? Promise.reject(answers.code()) : real.open(...how);
  return { ...real, open };
});
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const openSync = (...how: Parameters<typeof real.openSync>) => {
    if (answers.code) throw answers.code();
    return real.openSync(...how);
  };
  return { ...real, openSync };
});

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'espalier-folder-'));
  await mkdir(join(home, 'x.jsonl'));
});
afterEach(async () => {
  answers.code = null;
  await rm(home, { recursive: true, force: true });
});

describe.each([
  ['this system', null],
  ['Windows', eperm],
])('a folder in the place of a file, as %s tells it', (_where, code) => {
  beforeEach(() => (answers.code = code));

  it.each(['read', 'append'] as const)('is a folder to the journal (%s)', async (mode) => {
    const error: unknown = await nodeFs.open(join(home, 'x.jsonl'), mode).catch((reason: unknown) => reason);
    expect(whatIsThere(error)).toBe('a folder');
  });

  it('is a folder to the reader of own files', async () => {
    await expect(readRegular(join(home, 'x.jsonl'))).rejects.toMatchObject({ code: 'EISDIR' });
    expect(() => readRegularSync(join(home, 'x.jsonl'))).toThrow('It is a folder.');
  });
});

describe('a file that may not be opened', () => {
  it('stays one', async () => {
    answers.code = eperm;
    const error: unknown = await nodeFs.open(join(home, 'none.jsonl'), 'append').catch((reason: unknown) => reason);
    expect(whatIsThere(error)).toBe('a file that may not be opened');
    await expect(readRegular(join(home, 'none.jsonl'))).rejects.toMatchObject({ code: 'EPERM' });
  });
});
