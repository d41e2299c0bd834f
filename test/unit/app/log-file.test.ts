import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFile } from '../../../src/main/app/log-file';

/** docs/specs/safety.md A10: a line goes into the log or nowhere, whatever takes the place of the file while the app runs. */
let base: string;
let dir: string;
let theirs: string;
let log: LogFile;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'espalier-log-'));
  dir = join(base, 'logs');
  theirs = join(base, 'theirs');
  writeFileSync(theirs, 'theirs');
  log = new LogFile(dir);
  expect(log.add('info', 'before')).toBe(true);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const text = (): string => readFileSync(log.path, 'utf8');
const asides = (): string[] => readdirSync(dir).filter((name) => /^main(\.old)?\.log\.bad-\d+$/.test(name));

it('writes a line with its time and level', () => {
  log.add('error', 'after', new Date(2026, 0, 2, 3, 4, 5, 6));
  expect(text()).toMatch(/\[info\] before\n\[2026-01-02 03:04:05\.006\] \[error\] after\n$/);
});

it('a text of more lines can look like no other line of the log', () => {
  log.add('info', 'a file named x\n[2026-01-02 03:04:05.006] [error] forged\r\ny.jsonl');
  expect(text()).toMatch(/a file named x\n {4}\[2026-01-02 03:04:05\.006\] \[error\] forged\n {4}y\.jsonl\n$/);
});

describe.skipIf(process.platform === 'win32')('A10: put there while the app runs', () => {
  it('a link gets no line, and what it leads to none either', () => {
    renameSync(log.path, join(base, 'kept'));
    symlinkSync(theirs, log.path);
    expect(log.add('info', 'after')).toBe(true);
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
    expect(text()).toMatch(/\[warn\] Something other than a log file.+\n\[.+\] \[info\] after\n$/);
    expect(asides()).toHaveLength(1);
  });

  it('another program’s file that is given the name gets no line', () => {
    unlinkSync(log.path);
    linkSync(theirs, log.path);
    expect(log.add('info', 'after')).toBe(true);
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
    expect(text()).toContain('[info] after\n');
    expect(statSync(log.path).nlink).toBe(1);
  });

  it('a pipe is neither waited for nor written to', () => {
    unlinkSync(log.path);
    execFileSync('mkfifo', [log.path]);
    // With a reader, because a writer that waits for one would hold up this test for ever.
    const reader = openSync(log.path, constants.O_RDONLY | constants.O_NONBLOCK);
    expect(log.add('info', 'after')).toBe(true);
    expect(readSync(reader, Buffer.alloc(100))).toBe(0);
    closeSync(reader);
    expect(text()).toContain('[info] after\n');
    unlinkSync(log.path);
    execFileSync('mkfifo', [log.path]);
    expect(log.add('info', 'nobody reads')).toBe(true);
    expect(text()).toContain('[info] nobody reads\n');
    expect(asides()).toHaveLength(2);
  });

  it('a folder is moved aside, also where a full log goes', () => {
    const small = new LogFile(dir, 100);
    mkdirSync(join(dir, 'main.old.log', 'x'), { recursive: true });
    small.add('info', 'a'.repeat(200));
    expect(small.add('info', 'after')).toBe(true);
    expect(text()).toMatch(/^\[.+\] \[info\] after\n$/);
    expect(readFileSync(join(dir, 'main.old.log'), 'utf8')).toContain('aaa');
    expect(asides()).toHaveLength(1);
    unlinkSync(log.path);
    mkdirSync(log.path);
    expect(small.add('info', 'again')).toBe(true);
    expect(text()).toContain('again');
  });

  it('a link in the place of the older log is replaced, and what it leads to stays', () => {
    const small = new LogFile(dir, 10);
    symlinkSync(theirs, join(dir, 'main.old.log'));
    expect(small.add('info', 'after')).toBe(true);
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
    expect(readFileSync(join(dir, 'main.old.log'), 'utf8')).toContain('before');
  });

  it('a log that was taken away goes on in a fresh one, the folder too', () => {
    rmSync(dir, { recursive: true });
    expect(log.add('info', 'after')).toBe(true);
    expect(text()).toMatch(/^\[.+\] \[info\] after\n$/);
    expect(existsSync(join(dir, 'main.old.log'))).toBe(false);
  });

  it('where it can’t be put right nothing is written, and nothing fails', () => {
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'no folder');
    expect(log.add('info', 'after')).toBe(false);
    expect(readFileSync(dir, 'utf8')).toBe('no folder');
  });
});
