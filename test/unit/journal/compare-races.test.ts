/** Nothing of a journal is lost by what happens while it is compared with another copy, or written anew (docs/specs/safety.md, E1). */
import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { StoredLine } from '../../../src/shared/types';
import { type JournalFile, type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
afterEach(() => bench.dispose());

async function* inChunks(lines: readonly StoredLine[]): AsyncGenerator<StoredLine[]> {
  for (const line of lines) yield await Promise.resolve([line]);
}

async function linesOf(id: string): Promise<StoredLine[]> {
  const lines: StoredLine[] = [];
  for await (const chunk of bench.store.lines(id, 0)) lines.push(...chunk.lines);
  return lines;
}

const countOnDisk = async (id: string): Promise<number> =>
  (await readFile(bench.journal(id), 'utf8')).split('\n').length - 1;

/** The file system of the computer, with a moment at which something else happens: once, before the step goes on. */
class Moments {
  onRead: { path: string; behind: number; then: () => void } | null = null;
  onRemove: { end: string; then: () => Promise<unknown> } | null = null;

  readonly fs: JournalFs = {
    ...nodeFs,
    open: async (path, mode) => {
      const file = await nodeFs.open(path, mode);
      const read: JournalFile['read'] = (buffer, position) => {
        const moment = this.onRead;
        if (moment?.path === path && position > moment.behind) {
          this.onRead = null;
          moment.then();
        }
        return file.read(buffer, position);
      };
      return {
        read,
        append: (bytes) => file.append(bytes),
        datasync: () => file.datasync(),
        truncate: (size) => file.truncate(size),
        stat: () => file.stat(),
        close: () => file.close(),
      };
    },
    remove: async (path) => {
      const moment = this.onRemove;
      if (moment && path.endsWith(moment.end)) {
        this.onRemove = null;
        await moment.then();
      }
      return nodeFs.remove(path);
    },
  };
}

/** A session of several chunks, and another copy of it that lacks its last 50 records, with one of its own or without. */
async function longSession(
  moments: Moments,
  hasMore: boolean,
): Promise<{ id: string; all: number; copy: StoredLine[] }> {
  bench = await openStoreBench({ fs: moments.fs });
  const log = await bench.store.create({ workspace: '/w' });
  const id = log.sessionId;
  await log.append(Array.from({ length: 300 }, (_, n) => user(`${'x'.repeat(20_000)}${n}`)));
  const lines = await linesOf(id);
  const own = JSON.stringify({
    ...user('only here'),
    id: 'f'.repeat(16),
    parentId: null,
    timestamp: '2026-01-01T00:00:00.000Z',
  });
  const copy = lines.slice(0, -50);
  if (hasMore) copy.push({ seq: copy.length, id: 'f'.repeat(16), line: own });
  return { id, all: lines.length, copy };
}

describe.each([true, false])('a journal that is being compared (the copy has more: %s)', (hasMore) => {
  it('keeps every record when the app quits meanwhile', async () => {
    const moments = new Moments();
    const { id, all, copy } = await longSession(moments, hasMore);
    let closed: Promise<void> | undefined;
    moments.onRead = { path: bench.journal(id), behind: 2_500_000, then: () => void (closed = bench.store.close()) };
    await expect(bench.store.reconcile(id, inChunks(copy))).rejects.toThrow('closed');
    await closed;
    expect(await countOnDisk(id)).toBe(all);
    // The next start decides it.
    await bench.restart(moments.fs);
    const done = await bench.store.reconcile(id, inChunks(copy));
    expect(done.kind).toBe(hasMore ? 'apart' : 'kept');
    expect(await countOnDisk(id)).toBe(all);
  });

  it('keeps every record when its log is closed by somebody else meanwhile', async () => {
    const moments = new Moments();
    const { id, all, copy } = await longSession(moments, hasMore);
    let taken: Promise<unknown> | undefined;
    moments.onRead = {
      path: bench.journal(id),
      behind: 2_500_000,
      then: () => void (taken = bench.store.takeStrays(id)),
    };
    const done = await bench.store.reconcile(id, inChunks(copy));
    await taken;
    expect(done.kind).toBe(hasMore ? 'apart' : 'kept');
    expect(await countOnDisk(id)).toBe(all);
  });
});

describe('a journal that is being written anew', () => {
  /** A session whose journal lost its last record, and the whole of it as the database has it. */
  async function cutSession(moments: Moments): Promise<{ id: string; lines: StoredLine[] }> {
    bench = await openStoreBench({ fs: moments.fs });
    const log = await bench.store.create({ workspace: '/w' });
    const id = log.sessionId;
    for (const text of ['a', 'b', 'c']) await log.append([user(text)]);
    const lines = await linesOf(id);
    await log.close();
    const kept = lines.slice(0, -1).map(({ line }) => `${line}\n`);
    await truncate(bench.journal(id), Buffer.byteLength(kept.join('')));
    return { id, lines };
  }

  it('takes what is appended meanwhile behind it: it is acknowledged when it is there', async () => {
    const moments = new Moments();
    const { id, lines } = await cutSession(moments);
    let said: Promise<unknown> | undefined;
    const say = async (): Promise<void> => {
      const log = await bench.store.open(id);
      await log.append([user('said meanwhile')]);
    };
    moments.onRemove = {
      end: '.index',
      then: async () => {
        said = say();
        // As long as it takes if nothing holds it back.
        await Promise.race([said, new Promise((resolve) => setTimeout(resolve, 200))]);
      },
    };
    const done = await bench.store.reconcile(id, inChunks(lines));
    await said;
    expect(await readFile(bench.journal(id), 'utf8')).toContain('said meanwhile');
    const log = await bench.store.open(id);
    expect(done).toMatchObject({ kind: 'rebuilt', log });
    expect(await textsOf(log)).toEqual(['a', 'b', 'c', 'said meanwhile']);
    await log.append([user('next')]);
    expect(await countOnDisk(id)).toBe(lines.length + 2);
  });

  it('SY10: is left alone if another program writes to it at the last moment', async () => {
    const moments = new Moments();
    const { id, lines } = await cutSession(moments);
    const other = JSON.stringify({
      ...user('from elsewhere'),
      id: 'e'.repeat(16),
      parentId: lines[2]?.id,
      timestamp: '2026-01-01T00:00:00.000Z',
    });
    moments.onRemove = {
      end: '.index',
      then: async () => writeFile(bench.journal(id), `${await readFile(bench.journal(id), 'utf8')}${other}\n`),
    };
    const done = await bench.store.reconcile(id, inChunks(lines));
    expect(done.kind).toBe('apart');
    expect(await readFile(bench.journal(id), 'utf8')).toContain('from elsewhere');
  });

  it('is written by one comparison after the other', async () => {
    const { id, lines } = await cutSession(new Moments());
    await writeFile(join(bench.dir, `${id} (conflicted copy).jsonl`), lines.map(({ line }) => `${line}\n`).join(''));
    await Promise.all([bench.store.reconcile(id, inChunks(lines)), bench.store.takeStrays(), bench.store.takeStrays()]);
    expect(await textsOf(await bench.store.open(id))).toEqual(['a', 'b', 'c']);
    expect((await bench.store.list()).map(({ sessionId }) => sessionId)).toEqual([id]);
  });
});

describe('a copy beside the journal', () => {
  it('that grows while it is taken in stays, and the next time it is taken in whole', async () => {
    const moments = new Moments();
    bench = await openStoreBench({ fs: moments.fs });
    const log = await bench.store.create({ workspace: '/w' });
    const id = log.sessionId;
    for (const text of ['a', 'b', 'c']) await log.append([user(text)]);
    const lines = (await linesOf(id)).map(({ line }) => `${line}\n`);
    await log.close();
    const copy = join(bench.dir, `${id} (conflicted copy).jsonl`);
    await truncate(bench.journal(id), Buffer.byteLength(lines.slice(0, 2).join('')));
    await writeFile(copy, lines.slice(0, 3).join(''));
    moments.onRemove = { end: '.index', then: () => appendFile(copy, lines[3] ?? '') };
    await bench.store.takeStrays();
    expect(await textsOf(await bench.store.open(id))).toEqual(['a', 'b']);
    expect(await readFile(copy, 'utf8')).toBe(lines.join(''));
    await bench.store.takeStrays();
    expect(await textsOf(await bench.store.open(id))).toEqual(['a', 'b', 'c']);
    await expect(readFile(copy)).rejects.toThrow('ENOENT');
  });
});

describe('a store that is closed', () => {
  it('does not wait for the rest of a copy that never comes, and leaves nothing of it', async () => {
    bench = await openStoreBench();
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('a')]);
    const lines = await linesOf(log.sessionId);
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    async function* endless(): AsyncGenerator<StoredLine[]> {
      yield lines;
      begun();
      await new Promise(() => undefined);
    }
    const refused = expect(bench.store.reconcile(log.sessionId, endless())).rejects.toThrow('closed');
    await hasBegun;
    await bench.store.close();
    await refused;
  });

  it('opens, makes, compares and deletes nothing any more', async () => {
    bench = await openStoreBench();
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('a')]);
    await bench.store.close();
    await expect(bench.store.open(log.sessionId)).rejects.toThrow('closed');
    await expect(bench.store.create({ workspace: '/w' })).rejects.toThrow('closed');
    await expect(bench.store.reconcile(log.sessionId, inChunks([]))).rejects.toThrow('closed');
    await expect(bench.store.trash(log.sessionId)).rejects.toThrow('closed');
  });
});
