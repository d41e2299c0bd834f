import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { readLines } from '../../../src/main/journal/file/line-reader';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench();
});
afterEach(() => bench.dispose());

/** A closed session between whose two messages `between` stands. */
async function session(between: string): Promise<{ id: string; bytes: string }> {
  const log = await bench.store.create({ workspace: '/w' });
  await log.append([user('first')]);
  await log.append([user('last')]);
  await bench.store.close();
  const path = bench.journal(log.sessionId);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const bytes = [...lines.slice(0, 2), `${between}${lines[2] ?? ''}`, ''].join('\n');
  await writeFile(path, bytes);
  await nodeFs.remove(bench.index(log.sessionId));
  await bench.restart();
  return { id: log.sessionId, bytes };
}

async function countOf(id: string): Promise<number> {
  let count = 0;
  for await (const { lines } of bench.store.lines(id, 0)) count += lines.length;
  return count;
}

describe('many short lines', () => {
  it.each(['\n', ' \r\n'])('JN45: blank lines (%j) are one record, and their bytes stay', async (line) => {
    const { id, bytes } = await session(line.repeat(20_000));
    const log = await bench.store.open(id);
    expect(await textsOf(log)).toEqual(['first', 'last']);
    expect(await countOf(id)).toBe(4);
    let text = '';
    for await (const { lines } of log.lines(0)) text += lines.map((stored) => `${stored.line}\n`).join('');
    expect(text).toBe(bytes);
    expect((await stat(bench.index(id))).size).toBeLessThan(4000);
    await log.append([user('more')]);
    expect((await readFile(bench.journal(id), 'utf8')).startsWith(bytes)).toBe(true);
    await bench.restart();
    const again = await bench.store.open(id);
    expect(await textsOf(again)).toEqual(['first', 'last', 'more']);
    expect(again.damage).toEqual([]);
  });

  it('JN45: blank lines that another program added behind blank lines are one record at the next start', async () => {
    const { id } = await session('');
    const path = bench.journal(id);
    const log = await bench.store.open(id);
    await writeFile(path, '\n\n', { flag: 'a' });
    await log.append([user('a')]);
    const whole = await readFile(path, 'utf8');
    await log.close();
    await writeFile(path, `${whole}\n\n`);
    await (await bench.store.open(id)).close();
    await writeFile(path, '\n\n\n', { flag: 'a' });
    await (await bench.store.open(id)).close();
    // Two records by the index, one by the file.
    await bench.restart();
    const again = await bench.store.open(id);
    expect(await textsOf(again)).toEqual(['first', 'last', 'a']);
    expect(await countOf(id)).toBe(6);
    expect(again.damage).toEqual([]);
  });

  it.each([
    ['long', 4, `${' '.repeat(1025)}\n\n${'\t'.repeat(2000)}\n`],
    // A record ends at the first line end behind 128 KiB.
    ['very long', 5, `${' '.repeat(300_000)}\n\n${'\t'.repeat(300_000)}\n`],
    ['of a byte order mark', 6, '\n\uFEFF\n\n'],
  ])('JN45: blank lines, %s, keep their index', async (_, count, between) => {
    const { id } = await session(between);
    await (await bench.store.open(id)).close();
    let made = 0;
    const open: JournalFs['open'] = (path, mode) => {
      if (path === bench.index(id) && mode === 'create') made++;
      return nodeFs.open(path, mode);
    };
    await bench.restart({ ...nodeFs, open });
    const log = await bench.store.open(id);
    expect(await textsOf(log)).toEqual(['first', 'last']);
    expect([made, log.damage]).toEqual([0, []]);
    expect(await countOf(id)).toBe(count);
  });

  it('JN35, JN45: a damaged line behind blank lines is told by the number that an editor shows', async () => {
    const { id } = await session(`${'\n'.repeat(10)}no json\n`);
    for (const hasIndex of [false, true]) {
      expect((await bench.store.open(id)).damage.join(), `index: ${hasIndex}`).toContain('(line 13)');
      await bench.restart();
    }
  });

  it('JN45: the records are the same however the reads fall', async () => {
    const blanks = (n: number): string =>
      '\n'.repeat((n * 37) % 900) + (n % 100 === 0 ? `${' '.repeat(n * 40)}\n` : '');
    const text = Array.from({ length: 3000 }, (_, n) => `${blanks(n)}{"n":${n}}\n`).join('') + '\n \n  ';
    const all = Buffer.from(text);
    const records = async (from: number): Promise<{ offset: number; length: number; ended: boolean }[]> => {
      const read = (buffer: Uint8Array, position: number): Promise<number> =>
        Promise.resolve(all.copy(buffer, 0, position, Math.min(all.length, position + 50_021)));
      const found: { offset: number; length: number; ended: boolean }[] = [];
      for await (const lines of readLines({ read }, from, all.length))
        for (const { offset, bytes, ended } of lines) found.push({ offset, length: bytes.length, ended });
      return found;
    };
    const whole = await records(0);
    let end = 0;
    for (const { offset, length } of whole) {
      expect(offset).toBe(end);
      end = offset + length + 1;
    }
    expect(whole.slice(-2).map(({ length, ended }) => [length, ended])).toEqual([[2, true], [2, false]]); // prettier-ignore
    for (const { offset } of whole.filter((_, n) => n % 1000 === 0))
      expect(await records(offset)).toEqual(whole.filter((record) => record.offset >= offset));
  });

  it.each([
    ['short ones', 1, 'too short for a session'],
    ['any', 100, 'more than 1,000,000 lines'],
  ])('JN51: of %s only so many are read', async (_, length, what) => {
    const line = Buffer.from(`${'x'.repeat(length)}\n`);
    const read = (buffer: Uint8Array, position: number): Promise<number> => {
      const from = position % line.length;
      Buffer.from(buffer.buffer, buffer.byteOffset, buffer.length).fill(
        Buffer.concat([line.subarray(from), line.subarray(0, from)]),
      );
      return Promise.resolve(buffer.length);
    };
    let count = 0;
    const all = async (): Promise<void> => {
      for await (const lines of readLines({ read }, 0, 1024 ** 3)) count += lines.length;
    };
    await expect(all()).rejects.toThrow(what);
    expect(count).toBeLessThanOrEqual(length === 1 ? 500_000 : 1_000_000);
  });

  it('JN51: a line that lost its line ends is not taken apart into more records than a session has', async () => {
    const { id } = await session('');
    const path = bench.journal(id);
    const bytes = `${'{}'.repeat(1_000_000)}\n${await readFile(path, 'utf8')}`;
    await writeFile(path, bytes);
    await bench.restart();
    await expect(bench.store.open(id)).resolves.toBeDefined();
    expect(await textsOf(await bench.store.open(id))).toEqual(['first', 'last']);
    expect(await readFile(path, 'utf8')).toContain('{}{}{}');
  });

  it('JN38: an index is not written on that gets far longer than its journal', async () => {
    const { id } = await session('0\n'.repeat(250_000));
    await (await bench.store.open(id)).close();
    expect((await stat(bench.index(id))).size).toBeLessThan(9 * 1024 * 1024);
    expect(await textsOf(await bench.store.open(id))).toEqual(['first', 'last']);
  });

  it('JN38: other work runs while short lines are read and put into the index', async () => {
    const { id } = await session('0\n'.repeat(150_000));
    // CPU time, not wall time: what other processes take is not held against it.
    let longest = 0;
    let last = process.cpuUsage();
    let isOver = false;
    const watch = (): void => {
      const { user: spent } = process.cpuUsage(last);
      longest = Math.max(longest, spent / 1000);
      last = process.cpuUsage();
      if (!isOver) setImmediate(watch);
    };
    watch();
    await bench.store.open(id);
    isOver = true;
    expect(longest).toBeLessThan(100);
  });

  it('JN38: a quit ends the reading of a file', async () => {
    const { id } = await session('0\n'.repeat(250_000));
    let reads = 0;
    const closing: Promise<void>[] = [];
    const fs: JournalFs = {
      ...nodeFs,
      open: async (path, mode) => {
        const file = await nodeFs.open(path, mode);
        if (!path.endsWith('.index') || mode !== 'create') return file;
        const append: typeof file.append = (bytes) => {
          reads++;
          if (closing.length === 0) closing.push(bench.store.close());
          return file.append(bytes);
        };
        const rest = { truncate: file.truncate.bind(file), stat: file.stat.bind(file), close: file.close.bind(file) };
        return { ...rest, append, read: file.read.bind(file), datasync: file.datasync.bind(file) };
      },
    };
    await bench.restart(fs);
    await expect(bench.store.open(id)).rejects.toThrow('closed');
    await Promise.all(closing);
    expect(reads).toBeLessThan(100);
  });
});
