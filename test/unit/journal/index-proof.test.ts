import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type JournalFile, type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { createSessionStore } from '../../../src/main/journal/session-store';
import type { JournalStore } from '../../../src/main/journal/session-store';
import { openStoreBench, randomHex, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';
import { MemoryFs } from '../../support/memory-fs';

/** What the journal does at which another program may come in between. */
type Moment = 'prepare' | 'datasync' | 'datasync fails' | 'read';

/** Another program, which writes over a word of a journal when the moment has come, once. */
class Computer extends MemoryFs {
  path = '';
  next: Moment | null = null;

  override async open(path: string, mode: 'read' | 'append' | 'create'): Promise<JournalFile> {
    const file = await super.open(path, mode);
    if (path !== this.path) return file;
    return {
      ...file,
      datasync: async () => {
        await file.datasync();
        this.reach('datasync');
        if (this.reach('datasync fails')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      },
      read: async (buffer, position) => {
        const read = await file.read(buffer, position);
        this.reach('read');
        return read;
      },
    };
  }

  reach(moment: Moment): boolean {
    if (this.next !== moment) return false;
    this.next = null;
    this.writeOver();
    return true;
  }

  writeOver(): void {
    const text = this.get(this.path)?.toString('utf8') ?? '';
    expect(text).toContain('"one"');
    this.overwrite(this.path, Buffer.from(text.replace('"one"', '"ONE"')));
  }
}

const start = (fs: Computer): Promise<JournalStore> =>
  createSessionStore({
    ...{ dir: '/sessions', trashDir: '/trash', clock: Date.now, fs, log: { warn: () => undefined } },
    randomHex: (length) => {
      fs.reach('prepare');
      return randomHex(length);
    },
  });

/** A closed journal with more behind its first entry than is compared before an append. */
async function saved(): Promise<{ fs: Computer; id: string; crc: number }> {
  const fs = new Computer();
  const store = await start(fs);
  const log = await store.create({ workspace: '/w' });
  fs.path = `/sessions/${log.sessionId}.jsonl`;
  await log.append([user('one')]);
  await log.append([user('x'.repeat(3000))]);
  const { crc } = log.mark();
  await store.close();
  return { fs, id: log.sessionId, crc };
}

/** What the next starts tell of the journal, before a window opens it. */
async function starts(fs: Computer, id: string): Promise<void> {
  for (let times = 0; times < 3; times++) {
    const store = await start(fs);
    const [mark] = await store.marks();
    const [listed] = await store.list();
    const log = await store.open(id);
    expect(log.damage.join()).toMatch(/changed on disk/);
    expect({ mark, damage: listed?.damage }).toEqual({ mark: log.mark(), damage: log.damage });
    await store.close();
  }
}

/** A closed session of two messages in real files, whose end is further from the first one than is compared. */
async function onDisk(): Promise<{ bench: StoreBench; id: string; path: string }> {
  const bench = await openStoreBench();
  const log = await bench.store.create({ workspace: '/w' });
  await log.append([user('one')]);
  await log.append([user('x'.repeat(3000))]);
  await bench.restart();
  return { bench, id: log.sessionId, path: bench.journal(log.sessionId) };
}

describe('an index vouches for no byte that another program wrote (JN43, E1)', () => {
  it.each(['prepare', 'datasync', 'datasync fails'] as const)('JN43: written over during: %s', async (moment) => {
    const { fs, id } = await saved();
    const store = await start(fs);
    const log = await store.open(id);
    await log.append([user('two')]);
    fs.next = moment;
    await log.append([user('three')]).catch(() => undefined);
    expect(fs.next).toBeNull();
    await log.append([user('four')]);
    await store.close();
    await starts(fs, id);
  });

  it('JN10, JN43: written over, then taken away: what is written anew is not vouched for', async () => {
    const { fs, id } = await saved();
    const store = await start(fs);
    const log = await store.open(id);
    await log.append([user('two')]);
    fs.writeOver();
    await fs.remove(fs.path);
    await log.append([user('three')]);
    await store.close();
    await starts(fs, id);
  });

  it.each([0, 1])('JN43: written over while it is read at its opening, appends behind it: %i', async (appends) => {
    const { fs, id, crc } = await saved();
    // A younger journal is read whole, and what is read vouches for it.
    const text = fs.get(fs.path) ?? Buffer.alloc(0);
    fs.overwrite(fs.path, text);
    const store = await start(fs);
    fs.next = 'read';
    const log = await store.open(id);
    expect(fs.next).toBeNull();
    expect([log.damage, log.mark().crc]).toEqual([[], crc]);
    if (appends > 0) await log.append([user('two')]);
    await store.close();
    await starts(fs, id);
  });

  it('JN43: damage that was found is found at each start, until it is mended', async () => {
    const { fs, id } = await saved();
    const before = (await fs.stat(fs.path))?.modifiedMs ?? 0;
    fs.writeOver();
    // Bits that flip on the disk leave its times as they were.
    await fs.setTime(fs.path, before);
    const store = await start(fs);
    expect((await store.open(id)).damage.join()).toMatch(/changed on disk/);
    await store.close();
    await starts(fs, id);
  });

  it('JN43: what was checked is trusted from then on, with the time that it had', async () => {
    const { bench, id, path } = await onDisk();
    const index = async (): Promise<number> => (await stat(bench.index(id))).mtimeMs;
    const changed = async (): Promise<number> => (await stat(path)).ctimeMs;
    expect(await index()).toBeCloseTo(await changed(), 2);
    await writeFile(path, await readFile(path));
    await (await bench.restart()).open(id);
    expect(await index()).toBeCloseTo(await changed(), 2);
    await utimes(path, new Date(), new Date(Date.now() + 3_600_000));
    await (await bench.restart()).open(id);
    expect(await index()).toBeCloseTo(await changed(), 2);
    await bench.dispose();
  });

  it.each(['the index', 'the journal', 'both'])('JN43: a time to come vouches for nothing: %s', async (whose) => {
    const { bench, id, path } = await onDisk();
    const [hence, before] = [new Date(Date.now() + 3_600_000), (await stat(path)).mtime];
    // As the clock of another system on the same disk leaves them, or a program that keeps times.
    if (whose !== 'the index') await utimes(path, hence, hence);
    if (whose !== 'the journal') await utimes(bench.index(id), hence, hence);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"one"', '"ONE"'));
    const kept = whose === 'the index' ? before : hence;
    await utimes(path, kept, kept);
    for (let times = 0; times < 2; times++) {
      const store = await bench.restart();
      const [mark] = await store.marks();
      const [listed] = await store.list();
      expect(listed?.damage.join()).toMatch(/changed on disk/);
      expect(mark).toEqual((await store.open(id)).mark());
    }
    await bench.dispose();
  });

  it('JN24, JN43: an index that vouches is believed without a reading', async () => {
    const { bench, id } = await onDisk();
    await bench.store.setMeta(id, { title: 'One' });
    const reads: string[] = [];
    const fs: JournalFs = {
      ...nodeFs,
      open: (path, mode) => {
        if (mode !== 'read') reads.push(path);
        return nodeFs.open(path, mode);
      },
    };
    const store = await bench.restart(fs);
    expect((await store.marks()).map(({ sessionId, seq }) => [sessionId, seq])).toEqual([[id, 2]]);
    expect(await store.list()).toMatchObject([{ sessionId: id, entryCount: 2, damage: [] }]);
    expect(reads).toEqual([]);
    await bench.dispose();
  });
});
