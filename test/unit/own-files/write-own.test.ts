import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearPlaceSync } from '../../../src/main/own-files/append-own';
import { createOwnFile, NoOwnFile, saveOwnFile, writeOwnFile } from '../../../src/main/own-files/write-own';

/** docs/specs/safety.md A10: a file of the app's own is written in its place and nowhere else. */
let base: string;
let file: string;
/** What is the person's: no test may change it. */
let theirs: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'espalier-write-'));
  mkdirSync(join(base, 'data'));
  [file, theirs] = [join(base, 'data', 'own.json'), join(base, 'theirs.txt')];
  writeFileSync(theirs, 'theirs');
});
afterEach(() => {
  expect(readFileSync(theirs, 'utf8')).toBe('theirs');
  rmSync(base, { recursive: true, force: true });
});

const PLACES: Record<string, { put: (path: string) => void; words: RegExp }> = {
  'a link to a file of the person': { put: (path) => symlinkSync(theirs, path), words: /is a link to .+theirs\.txt/ },
  'a link to nowhere': { put: (path) => symlinkSync(join(base, 'nowhere'), path), words: /is a link to .+nowhere/ },
  'a link to a device': { put: (path) => symlinkSync('/dev/zero', path), words: /is a link to \/dev\/zero/ },
  'a link to itself': { put: (path) => symlinkSync(path, path), words: /is a link to / },
  'a named pipe': { put: (path) => void execFileSync('mkfifo', [path]), words: /is a pipe or a device/ },
};

describe.each(Object.entries(PLACES))('in its place is %s', (_what, { put, words }) => {
  it('A10: refused in words, and left as it is', async () => {
    put(file);
    const before = lstatSync(file);
    const refused = await saveOwnFile(file, 'ours').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NoOwnFile);
    expect((refused as Error).message).toMatch(words);
    expect((refused as Error).message).toMatch(
      /^own\.json is .+ It was left unchanged, and nothing was saved\. .+ try again: /,
    );
    expect(lstatSync(file).ino).toBe(before.ino);
    expect(readdirSync(join(base, 'data'))).toEqual(['own.json']);
    expect(existsSync(join(base, 'nowhere'))).toBe(false);
  });

  it('A10: what the app keeps for itself takes its place, and nothing of what it leads to', async () => {
    put(file);
    await writeOwnFile(file, 'ours', { givesWay: true });
    expect([lstatSync(file).isFile(), readFileSync(file, 'utf8')]).toEqual([true, 'ours']);
    expect(statSync('/dev/zero').isCharacterDevice()).toBe(true);
    expect(existsSync(join(base, 'nowhere'))).toBe(false);
  });

  it('A10: the same beside it, where the new text is made, and for a file that must be new', async () => {
    put(`${file}.tmp`);
    await saveOwnFile(file, 'ours');
    expect(readFileSync(file, 'utf8')).toBe('ours');
    expect(readdirSync(join(base, 'data'))).toEqual(['own.json']);
    put(join(base, 'data', 'new'));
    await expect(createOwnFile(join(base, 'data', 'new'), 'ours')).rejects.toMatchObject({ code: 'EEXIST' });
    expect(existsSync(join(base, 'nowhere'))).toBe(false);
  });

  it('A10: a log goes beside it', () => {
    put(file);
    const { ino } = lstatSync(file);
    expect(clearPlaceSync(file)).toBe('moved');
    const [aside] = readdirSync(join(base, 'data'));
    expect(aside).toMatch(/^own\.json\.bad-\d+$/);
    expect(lstatSync(join(base, 'data', aside!)).ino).toBe(ino);
    expect(clearPlaceSync(file)).toBe('fine');
  });
});

it('A10: another name of the same file keeps what it had', async () => {
  linkSync(theirs, file);
  await saveOwnFile(file, 'ours');
  expect(readFileSync(file, 'utf8')).toBe('ours');
  expect([statSync(file).nlink, statSync(theirs).nlink]).toEqual([1, 1]);
});

it.each([false, true])('A10: a folder is never replaced (gives way: %s)', async (givesWay) => {
  mkdirSync(file);
  writeFileSync(join(file, 'x'), 'x');
  await expect(writeOwnFile(file, 'ours', { givesWay })).rejects.toThrow(
    /own\.json is a folder\. It was left unchanged/,
  );
  expect(readdirSync(file)).toEqual(['x']);
  // And where the new text is made it stops the write, as it was.
  mkdirSync(join(base, 'data', 'b.tmp'));
  await expect(saveOwnFile(join(base, 'data', 'b'), 'ours')).rejects.toThrow(/^Could not save: /);
  expect(existsSync(join(base, 'data', 'b.tmp'))).toBe(true);
});

it('A10: a folder that is gone is told, and not made anew', async () => {
  await expect(saveOwnFile(join(base, 'data', 'no', 'where'), 'x')).rejects.toThrow(
    /^Could not save: the data folder is gone/,
  );
  expect(readdirSync(join(base, 'data'))).toEqual([]);
});

it('A10: writes to one file come in their order', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => saveOwnFile(file, `${n}`)));
  expect(readFileSync(file, 'utf8')).toBe('19');
  expect(readdirSync(join(base, 'data'))).toEqual(['own.json']);
});

it.skipIf(process.geteuid?.() !== 0)('A10: as root the file stays with the user whose it was', async () => {
  writeFileSync(file, 'before');
  chownSync(file, 1234, 1235);
  await saveOwnFile(file, 'ours');
  const { uid, gid, mode } = statSync(file);
  expect([uid, gid, mode & 0o777]).toEqual([1234, 1235, 0o600]);
});
