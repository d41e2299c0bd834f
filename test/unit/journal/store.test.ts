import { readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionLog } from '../../../src/main/ports';
import type { StoredLine } from '../../../src/shared/types';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { assistant, openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

const DAY = 24 * 3_600_000;
let now = Date.UTC(2026, 0, 1);
let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench({ clock: () => now });
});
afterEach(() => bench.dispose());

/** A session of the given messages, closed. */
async function written(...texts: string[]): Promise<string> {
  const log = await bench.store.create({ workspace: '/w' });
  for (const text of texts) await log.append([user(text)]);
  await bench.restart();
  return log.sessionId;
}

async function* inChunks(lines: readonly StoredLine[]): AsyncGenerator<StoredLine[]> {
  for (const line of lines) yield [line];
}

async function linesOf(id: string): Promise<StoredLine[]> {
  const lines: StoredLine[] = [];
  const log = await bench.store.open(id);
  for await (const chunk of log.lines(0)) lines.push(...chunk.lines);
  return lines;
}

async function rebuilt(id: string, lines: readonly StoredLine[]): Promise<SessionLog> {
  const done = await bench.store.reconcile(id, inChunks(lines));
  if (done.kind !== 'rebuilt') throw new Error(`The journal was not written anew: ${done.kind}`);
  return done.log;
}

describe('the end of the file (JN22)', () => {
  it('JN22, SF19: a torn line stays, is told, and gets its newline before the next append', async () => {
    const id = await written('a', 'b');
    const path = bench.journal(id);
    await truncate(path, (await stat(path)).size - 5);
    const torn = await readFile(path, 'utf8');
    const log = await bench.store.open(id);
    expect(log.damage).toContain('The last line was cut off in the middle of writing and was left in place (line 3).');
    expect(await readFile(path, 'utf8')).toBe(torn);
    await log.append([user('c')]);
    expect((await readFile(path, 'utf8')).startsWith(`${torn}\n{"type":"message"`)).toBe(true);
    await bench.restart();
    expect(await textsOf(await bench.store.open(id))).toEqual(['a', 'c']);
  });

  it('JN22, SF19: a last line that lacks only its newline counts', async () => {
    const id = await written('a', 'b');
    const path = bench.journal(id);
    await truncate(path, (await stat(path)).size - 1);
    const log = await bench.store.open(id);
    expect({ texts: await textsOf(log), damage: log.damage }).toEqual({ texts: ['a', 'b'], damage: [] });
    await log.append([user('c')]);
    await bench.restart();
    expect(await textsOf(await bench.store.open(id))).toEqual(['a', 'b', 'c']);
  });
});

describe('without reading everything (JN24)', () => {
  it('JN24: lists and marks sessions from sidecar and index; a journal younger than its index is read', async () => {
    const id = await written('a', 'b');
    const mark = (await bench.store.open(id)).mark();
    await bench.restart();
    expect(await bench.store.marks()).toEqual([mark]);
    expect(await bench.store.list()).toMatchObject([{ sessionId: id, entryCount: 2, compactions: 0, damage: [] }]);
    expect(await bench.store.crcAt(id, mark.seq)).toBe(mark.crc);
    expect(await bench.store.crcAt(id, mark.seq + 1)).toBeNull();
    const text = await readFile(bench.journal(id), 'utf8');
    await writeFile(bench.journal(id), text.replace('"a"', '"x"'));
    await utimes(bench.journal(id), new Date(), new Date(Date.now() + 5_000));
    const [listed] = await bench.store.list();
    expect(listed!.damage.join()).toMatch(/changed on disk/);
    expect((await bench.store.marks())[0]!.crc).not.toBe(mark.crc);
  });

  it('JN24: a session that cannot be read is listed with the reason and has no mark', async () => {
    const id = await written('a');
    await writeFile(bench.journal(id), 'garbage\n');
    await rm(bench.index(id));
    const [listed] = await bench.store.list();
    expect(listed!.damage.join()).toMatch(/damaged at its beginning/);
    expect(await bench.store.marks()).toEqual([]);
    expect(await readFile(bench.journal(id), 'utf8')).toBe('garbage\n');
  });
});

describe('one log for everybody (JN31)', () => {
  /** Without its index a session can only be told by opening it: the list opens it and closes it again. */
  const looks = {
    list: () => bench.store.list(),
    marks: () => bench.store.marks(),
    crc: (id: string) => bench.store.crcAt(id, 1),
  };

  it.each(Object.keys(looks) as (keyof typeof looks)[])(
    'what is opened while others look stays open: %s',
    async (name) => {
      const id = await written('a', 'b');
      for (let turns = 0; turns < 24; turns++) {
        await rm(bench.index(id), { force: true });
        const look = looks[name](id);
        // At another moment of the looking each time.
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        const log = await bench.store.open(id);
        await look;
        expect(await textsOf(log)).toEqual(['a', 'b']);
        await log.moveLeaf(log.tree.entriesInOrder()[0]!.id, 'test');
        await log.moveLeaf(log.tree.entriesInOrder()[1]!.id, 'test');
        await bench.restart();
      }
    },
  );

  it('what is opened while it is being closed can be used, whichever comes first', async () => {
    const id = await written('a', 'b');
    for (let turns = 0; turns < 12; turns++) {
      const closing = (await bench.store.open(id)).close();
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      const again = await bench.store.open(id);
      await closing;
      await again.moveLeaf(again.tree.entriesInOrder()[turns % 2]!.id, 'test');
      expect((await again.loadBodies(again.tree.entriesInOrder().map((node) => node.id))).length).toBe(3 + turns);
    }
  });

  it('what is read piece by piece stays open until it was read, though its owner lets go of it', async () => {
    const id = await written(...Array.from({ length: 250 }, (_, n) => `message ${n}`));
    const log = await bench.store.open(id);
    const read: StoredLine[] = [];
    for await (const { lines } of bench.store.lines(id, 0)) {
      if (read.length === 0) await log.close();
      read.push(...lines);
    }
    expect(read).toHaveLength(251);
    // Its reader was the last: the file is closed, and what is there now is read anew.
    await writeFile(bench.journal(id), 'no session', 'utf8');
    await rm(bench.index(id));
    await expect(bench.store.open(id)).rejects.toThrow();
  });

  it('a reader of a session that is deleted ends, and says nothing of the disk', async () => {
    const id = await written(...Array.from({ length: 250 }, (_, n) => `message ${n}`));
    const chunks = bench.store.lines(id, 0);
    expect((await chunks.next()).value).toMatchObject({ lines: { length: 100 } });
    await bench.store.trash(id);
    expect(await chunks.next()).toMatchObject({ done: true });
  });

  it('what was opened only to look is closed again', async () => {
    const id = await written('a');
    await rm(bench.index(id));
    await Promise.all([bench.store.list(), bench.store.marks(), bench.store.crcAt(id, 1)]);
    await writeFile(bench.journal(id), 'no session', 'utf8');
    await expect(bench.store.open(id)).rejects.toThrow();
  });
});

describe('the sidecar (JN25)', () => {
  it('JN25, SF24: keeps what the person chose; a lost one is made anew from the journal', async () => {
    const id = await written('How do I sort a list?');
    await bench.store.setMeta(id, { title: 'Sorting', titleSource: 'person', pinned: true });
    await bench.restart();
    expect(bench.store.meta(id)).toMatchObject({ title: 'Sorting', pinned: true, workspace: '/w' });
    await rm(join(bench.dir, `${id}.meta.json`));
    await bench.restart();
    await bench.store.list();
    expect(bench.store.meta(id)).toMatchObject({
      title: 'How do I sort a list?',
      pinned: false,
      workspace: '',
      suggestion: '/w',
    });
  });

  it('JN25: what the person chooses while a lost one is made counts, each choice over the earlier ones', async () => {
    const id = await written('How do I sort a list?');
    await bench.restart();
    await rm(join(bench.dir, `${id}.meta.json`));
    await bench.restart();
    const choices = [{ title: 'First' }, { pinned: true }, { title: 'Second' }, { workspace: '/mine' }];
    await Promise.all(choices.map((choice) => bench.store.setMeta(id, choice)));
    const chosen = { title: 'Second', pinned: true, workspace: '/mine', preview: 'How do I sort a list?' };
    expect(bench.store.meta(id)).toMatchObject(chosen);
    await bench.restart();
    expect(bench.store.meta(id)).toMatchObject(chosen);
  });

  it('JN25: listing the sessions meanwhile takes nothing of that back, nor what is left of a damaged one', async () => {
    const id = await written('How do I sort a list?');
    await bench.restart();
    await writeFile(join(bench.dir, `${id}.meta.json`), JSON.stringify({ workspace: '/w', archived: true }));
    let free = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (free = resolve));
    let isFirst = false;
    const stat: JournalFs['stat'] = async (path) => {
      const isOpening = path === bench.journal(id) && isFirst;
      if (isOpening) isFirst = false;
      else if (path === bench.journal(id)) free();
      // The choice came first, and waits for its journal until the list has found that there is no sidecar.
      if (isOpening) await isAsked;
      return nodeFs.stat(path);
    };
    await bench.restart({ ...nodeFs, stat });
    isFirst = true;
    const set = bench.store.setMeta(id, { title: 'Mine', pinned: true });
    const [listed] = await Promise.all([bench.store.list(), set]);
    const chosen = { title: 'Mine', pinned: true, workspace: '/w', archived: true };
    expect(bench.store.meta(id)).toMatchObject(chosen);
    expect(listed).toHaveLength(1);
    await bench.restart();
    expect(bench.store.meta(id)).toMatchObject(chosen);
  });

  it.each(['closed', 'opened before the list is read'])(
    'JN25: one that ended before its sidecar had title and last words has them in the first list (%s)',
    async (how) => {
      const id = await written('What grows here?');
      // As it is written with the file: what was said is noted later.
      expect(bench.store.meta(id)).toMatchObject({ title: '', titleSource: 'none', preview: '', workspace: '/w' });
      await bench.store.setMeta(id, { pinned: true });
      await bench.restart();
      const log = how === 'closed' ? null : await bench.store.open(id);
      const shown = { title: 'What grows here?', titleSource: 'none', preview: 'What grows here?', pinned: true };
      expect(await bench.store.list()).toMatchObject([{ sessionId: id, meta: { ...shown, workspace: '/w' } }]);
      await log?.close();
      await bench.restart();
      expect(bench.store.meta(id)).toMatchObject(shown);
    },
  );

  it('JN25: a session that was never saved leaves no sidecar behind', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await bench.store.setMeta(log.sessionId, { pinned: true });
    await bench.restart();
    expect(await readdir(bench.dir)).toEqual([]);
  });
});

describe('the trash (JN26)', () => {
  it('JN26: takes a session with all its files and gives it back as it was', async () => {
    const id = await written('a', 'b');
    await bench.store.setMeta(id, { pinned: true });
    await bench.restart();
    const files = await readdir(bench.dir);
    const bytes = await readFile(bench.journal(id));
    await bench.store.trash(id);
    expect({ list: await bench.store.list(), files: await readdir(bench.dir) }).toEqual({ list: [], files: [] });
    expect(await bench.store.trashed()).toEqual([id]);
    const log = await bench.store.restore(id);
    expect(await textsOf(log)).toEqual(['a', 'b']);
    expect((await readdir(bench.dir)).sort()).toEqual(files.sort());
    expect((await readFile(bench.journal(id))).equals(bytes)).toBe(true);
    expect(bench.store.meta(id)).toMatchObject({ pinned: true });
    expect(await bench.store.trashed()).toEqual([]);
  });

  it('JN26: is emptied of what is older than 30 days, and of nothing else', async () => {
    const old = await written('old');
    await bench.store.trash(old);
    await bench.restart();
    now += 20 * DAY;
    const newer = await written('newer');
    await bench.store.trash(newer);
    await writeFile(join(bench.home, 'trash', 'my notes.txt'), 'mine');
    now += 11 * DAY;
    await bench.restart();
    expect(await bench.store.trashed()).toEqual(expect.arrayContaining([old, newer]));
    now += 7 * DAY;
    await bench.restart();
    expect(await bench.store.trashed()).toEqual([newer]);
    expect(await readdir(join(bench.home, 'trash'))).toContain('my notes.txt');
    await expect(bench.store.restore(old)).rejects.toThrow(/no longer in the trash/);
  });

  it.each([
    ['a month ahead', 31 * DAY],
    ['in the year 2000', Date.UTC(2000, 0, 1) - Date.UTC(2026, 0, 1)],
    ['at its beginning', -Date.UTC(2026, 0, 1) + 60_000],
  ])('JN26: a clock that is wrong once, %s, removes nothing', async (_, error) => {
    const right = Date.UTC(2026, 0, 1);
    now = right;
    const [before, during] = [await written('before'), await written('during')];
    await bench.store.trash(before);
    await bench.restart();
    now = right + error;
    await bench.restart();
    await bench.store.trash(during);
    now = right;
    for (let starts = 0; starts < 3; starts++) {
      now += DAY;
      await bench.restart();
    }
    expect((await bench.store.trashed()).sort()).toEqual([before, during].sort());
    for (const id of [before, during]) await bench.store.restore(id);
    expect(await readdir(join(bench.home, 'trash'))).toEqual(['kept.json']);
  });
});

describe('written anew from the database (JN27)', () => {
  it('JN27: a lost journal comes back line by line', async () => {
    const id = await written('a', 'b');
    const lines = await linesOf(id);
    const bytes = await readFile(bench.journal(id));
    await bench.restart();
    await rm(bench.journal(id));
    const log = await rebuilt(id, lines);
    expect(await textsOf(log)).toEqual(['a', 'b']);
    expect((await readFile(bench.journal(id))).equals(bytes)).toBe(true);
  });

  it('JN27: the damaged file is kept aside, and what only the journal had is kept too', async () => {
    const id = await written('a', 'b');
    const lines = await linesOf(id);
    await (await bench.store.open(id)).append([assistant('only in the journal')]);
    await bench.restart();
    const damaged = (await readFile(bench.journal(id), 'utf8')).replace('"a"', '"x"');
    await writeFile(bench.journal(id), damaged);
    const log = await rebuilt(id, lines);
    expect({ texts: await textsOf(log), damage: log.damage }).toEqual({
      texts: ['a', 'b', 'only in the journal'],
      damage: [],
    });
    const [kept] = await readdir(join(bench.home, 'trash'));
    expect(kept).toMatch(new RegExp(`^${id}\\.damaged-\\d+\\.jsonl$`));
    expect(await readFile(join(bench.home, 'trash', kept!), 'utf8')).toBe(damaged);
  });

  it('JN27: lines that are no session change nothing', async () => {
    const id = await written('a');
    const before = await readFile(bench.journal(id));
    await expect(bench.store.reconcile(id, inChunks([{ seq: 0, id: '', line: 'nonsense' }]))).rejects.toThrow();
    expect((await readFile(bench.journal(id))).equals(before)).toBe(true);
    expect((await readdir(bench.dir)).filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});
