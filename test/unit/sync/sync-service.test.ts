import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionLog } from '../../../src/main/ports';
import { SyncService } from '../../../src/main/sync/sync-service';
import { Undecided } from '../../../src/main/sync/undecided';
import type { Notice, StoredLine, SyncMark } from '../../../src/shared/types';
import { openStoreBench, type StoreBench } from '../../support/journal';

let bench: StoreBench;
let notices: Notice[];
let recovered: SessionLog[];
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

beforeEach(async () => {
  bench = await openStoreBench();
  notices = [];
  recovered = [];
});
afterEach(() => bench.dispose());

const service = (): SyncService =>
  new SyncService(
    bench.store,
    (log) => Promise.resolve(recovered.push(log)),
    silent,
    (notice) => notices.push(notice),
  );

async function keepLines(path: string, kept: number[]): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, kept.map((at) => `${lines[at]}\n`).join(''));
}

async function rewrite(path: string, from: string, to: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
}

/** A session with three messages; what the database has of it once it caught up. */
async function savedSession(): Promise<{ id: string; mark: SyncMark; lines: StoredLine[] }> {
  const log = await bench.store.create({ workspace: '/work' });
  for (const text of ['one', 'two', 'three']) {
    await log.append([{ type: 'message', message: { role: 'user', content: text, timestamp: 1 } }]);
  }
  const lines: StoredLine[] = [];
  for await (const chunk of log.lines(0)) lines.push(...chunk.lines);
  await bench.store.setMeta(log.sessionId, { title: 'Garden' });
  return { id: log.sessionId, mark: log.mark(), lines };
}

describe('the comparison at start', () => {
  it('SY11: tells when the database came back empty, and copies all of it', async () => {
    const { id } = await savedSession();
    expect(await service().hello([], true)).toEqual({ fetch: [{ sessionId: id, fromSeq: 0 }], upload: [], drop: [] });
    expect(notices.map(({ code }) => code)).toEqual(['database-emptied']);
    expect(notices[0]?.text).toContain('One session was restored');
    // Nothing need be damaged for that.
    expect(notices[0]?.detail).toContain('first opened on another computer');
  });

  it('JN49: forgets no session that is brought back while it compares', async () => {
    const { id, mark } = await savedSession();
    await bench.store.trash(id);
    expect((await service().hello([mark], false)).drop).toEqual([id]);
    const { store } = bench;
    const asked = store.trashedCrcAt.bind(store);
    store.trashedCrcAt = async (...of) => {
      const crc = await asked(...of);
      await store.restore(id);
      return crc;
    };
    expect(await service().hello([mark], false)).toEqual({ fetch: [], upload: [], drop: [] });
  });

  it('JN52: rows of a session that was deleted for good are dropped, also after a restart and when they lag behind', async () => {
    const { id, mark, lines } = await savedSession();
    const lagging = { ...mark, seq: 2, crc: (await bench.store.crcAt(id, 2)) ?? -1 };
    await bench.store.trash(id);
    await bench.store.deleteForGood(id);
    expect(await bench.store.deletedSessions()).toEqual([]);
    for (const restart of [false, true]) {
      if (restart) await bench.restart();
      for (const had of [mark, lagging])
        expect(await service().hello([had], false)).toEqual({ fetch: [], upload: [], drop: [id] });
    }
    // What was in no trash comes back, with all before it.
    const more = { ...mark, seq: mark.seq + 1, crc: 1 };
    const sync = service();
    expect((await sync.hello([more], false)).upload).toEqual([id]);
    await sync.upload(id, lines, true, true);
    expect((await readFile(bench.journal(id), 'utf8')).split('\n')).toHaveLength(lines.length + 1);
    // From then on its rows are no deleted session's: if the journal is lost they bring it back.
    await bench.restart();
    await bench.store.close();
    await rm(bench.journal(id));
    await bench.restart();
    expect((await service().hello([mark], false)).upload).toEqual([id]);
  });

  it('JN52: a session deleted for good and restored from a copy of the trash is there, with its rows', async () => {
    const { id, mark } = await savedSession();
    await bench.store.trash(id);
    const trash = join(bench.home, 'trash');
    await cp(trash, join(bench.home, 'copy'), { recursive: true });
    await bench.store.deleteForGood(id);
    await cp(join(bench.home, 'copy'), trash, { recursive: true });
    expect((await service().hello([mark], false)).drop).toEqual([id]);
    await bench.store.restore(id);
    expect(await service().hello([mark], false)).toEqual({ fetch: [], upload: [], drop: [] });
    expect((await readdir(trash)).filter((name) => name.includes('gone'))).toEqual([]);
  });

  it('says nothing at a first start', async () => {
    expect(await service().hello([], true)).toEqual({ fetch: [], upload: [], drop: [] });
    expect(notices).toEqual([]);
  });

  it.each([
    ['cut in a line', (path: string) => truncate(path, 300), 'was damaged'],
    ['replaced by an older one', (path: string) => keepLines(path, [0, 1, 2]), 'was an older copy'],
    ['robbed of a line', (path: string) => keepLines(path, [0, 1, 3]), 'was incomplete'],
    ['changed in a line', (path: string) => rewrite(path, 'two', 'TWO'), 'was damaged'],
    ['deleted', (path: string) => rm(path), 'was missing'],
  ] as const)('brings a journal that was %s back word for word and tells it', async (_how, damage, word) => {
    const { id, mark, lines } = await savedSession();
    const before = await readFile(bench.journal(id), 'utf8');
    await bench.store.close();
    await damage(bench.journal(id));
    await bench.restart();
    const sync = service();
    expect((await sync.hello([mark], false)).upload).toEqual([id]);
    await sync.upload(id, lines.slice(0, 2), true, false);
    await sync.upload(id, lines.slice(2), false, true);
    expect(await readFile(bench.journal(id), 'utf8')).toBe(before);
    expect(recovered.map(({ sessionId }) => sessionId)).toEqual([id]);
    expect(notices).toMatchObject([{ code: 'journal-restored', sessionId: id }]);
    expect(notices[0]?.text).toContain(`“Garden” ${word}. `);
  });

  it.each([
    [
      'share their beginning',
      (lines: string[]) => lines.slice(0, 2),
      /^They diverged on .* that the other lacks\. Sync programs do this/,
    ],
    ['share nothing', (lines: string[]) => lines.slice(0, 1), /^They have nothing in common\. (?!.*Sync programs)/],
  ])('safety E1: two versions that %s: the notice says so, also at the next start', async (_how, shared, words) => {
    const { id, mark, lines } = await savedSession();
    await bench.store.close();
    const kept = shared((await readFile(bench.journal(id), 'utf8')).split('\n'));
    const message = { role: 'user', content: 'another', timestamp: 1 };
    const other = { type: 'message', id: 'ffffffff', parentId: null, timestamp: new Date(0).toISOString(), message };
    await writeFile(bench.journal(id), [...kept, JSON.stringify(other), ''].join('\n'));
    await bench.restart();
    const sync = service();
    await sync.hello([mark], false);
    await sync.upload(id, lines, true, true);
    await bench.restart();
    notices.push(...service().unreadConflicts());
    expect(notices).toMatchObject([{ code: 'session-conflict' }, { code: 'session-conflict' }]);
    for (const { detail } of notices) expect(detail).toMatch(words);
  });

  it('drops a half handed-in session when the window begins anew', async () => {
    const { id, mark, lines } = await savedSession();
    await bench.store.close();
    await rm(bench.journal(id));
    await bench.restart();
    const sync = service();
    await sync.hello([mark], false);
    await sync.upload(id, lines.slice(0, 1), true, false);
    await sync.hello([mark], false);
    await sync.upload(id, lines, true, false);
    await sync.upload(id, [], false, true);
    expect((await readFile(bench.journal(id), 'utf8')).split('\n')).toHaveLength(lines.length + 1);
    expect(notices).toHaveLength(1);
  });

  it('SY12: of uploads that begin while an earlier one ends, each has its own lines only, one at a time', async () => {
    const line = (text: string): StoredLine[] => [{ seq: 0, id: '', line: text }];
    const taken: string[][] = [];
    let endFirst = (): void => undefined;
    const firstEnds = new Promise<void>((resolve) => (endFirst = resolve));
    let atOnce = 0;
    const reconcile: typeof bench.store.reconcile = async (_id, lines) => {
      expect(++atOnce).toBe(1);
      const own: string[] = [];
      taken.push(own);
      try {
        for await (const chunk of lines) own.push(...chunk.map((one) => one.line));
      } catch (error) {
        await firstEnds;
        throw error;
      } finally {
        atOnce--;
      }
      return { kind: 'kept', answer: { then: 'replace' } };
    };
    const store = { reconcile } as typeof bench.store;
    const sync = new SyncService(
      store,
      () => Promise.resolve(),
      silent,
      (notice) => notices.push(notice),
    );
    await sync.upload('s', line('a'), true, false);
    const second = sync.upload('s', line('b'), true, false);
    const third = sync.upload('s', line('c1'), true, false);
    const end = sync.upload('s', line('c2'), false, true);
    endFirst();
    await Promise.allSettled([second, third]);
    expect(await end).toEqual({ then: 'replace' });
    expect(taken).toEqual([['a'], ['c1', 'c2']]);
  });
});

describe('a newer copy that a sync program laid beside the journal', () => {
  const message = (parentId: string, id: string): string =>
    JSON.stringify({
      ...{ type: 'message', id: id.repeat(16), parentId, timestamp: '2026-01-01T00:00:00.000Z' },
      message: { role: 'user', content: 'from the other computer', timestamp: 1 },
    });

  async function copyBeside(): Promise<{ path: string; id: string }> {
    const { id, lines } = await savedSession();
    await bench.restart();
    const path = join(bench.dir, `${id} (conflicted copy).jsonl`);
    const all = [...lines.map(({ line }) => line), message(lines.at(-1)?.id ?? '', 'e')];
    await writeFile(path, `${all.join('\n')}\n`);
    return { path, id };
  }

  it('is told as what it is', async () => {
    const { id } = await copyBeside();
    await service().hello([], false);
    expect(await readFile(bench.journal(id), 'utf8')).toContain('from the other computer');
    expect(notices).toMatchObject([{ code: 'copy-taken-in', sessionId: id }]);
    expect(notices[0]?.text).toBe(
      'A newer copy of “Garden” was next to its file. The session now has everything in the copy.',
    );
  });
});

describe('a file that another program replaced while its session was open', () => {
  it.each([
    ['damaged', (path: string) => writeFile(path, 'x\n')],
    ['incomplete', (path: string) => keepLines(path, [0, 1, 3])],
  ])('is told as what it is when what was open is written back: %s', async (was, replace) => {
    const { id } = await savedSession();
    await bench.restart();
    const log = await bench.store.open(id);
    await replace(bench.journal(id));
    await log.append([{ type: 'message', message: { role: 'user', content: 'four', timestamp: 1 } }]);
    await log.close();
    await service().hello([], false);
    expect(await readFile(bench.journal(id), 'utf8')).toContain('four');
    expect(notices.map(({ code, text }) => `${code}: ${text}`)).toEqual([
      `journal-restored: Another program replaced the file of “Garden” while it was open. The new file was ${was}, so the session was restored from what Espalier had open.`,
    ]);
  });
});

describe('safety E1: a file that is not as it was left', () => {
  /** Nothing more happens of itself. */
  const isOpen = async (told: Promise<void> | null): Promise<boolean> => {
    const open = {};
    return (
      told !== null &&
      (await Promise.race([told, new Promise((resolve) => setImmediate(() => resolve(open)))])) === open
    );
  };

  /** The file is opened; it tells others than the database. */
  async function swapped(): Promise<{ id: string; mark: SyncMark; lines: StoredLine[] }> {
    const saved = await savedSession();
    const path = bench.journal(saved.id);
    await bench.store.close();
    const [header = '', first = '', second = '', third = ''] = (await readFile(path, 'utf8')).split('\n');
    const other = third.replace(/"id":"[^"]{8}/, '"id":"ffffffff');
    await writeFile(path, `${[header, first, second, other].join('\n')}\n`);
    await bench.restart();
    return saved;
  }

  it.each([
    ['the one that was chosen, and none is suggested', { workspace: '/chosen' }],
    ['none, and the one that its file names is suggested', { workspace: '', suggestion: '/named' }],
  ])('its version has the folder of the session: %s', async (_of, folders) => {
    const { id, mark, lines } = await swapped();
    await bench.store.setMeta(id, folders);
    const sync = service();
    await sync.hello([mark], false);
    await sync.upload(id, lines, true, true);
    const [apart] = notices.map(({ sessionId }) => sessionId ?? '');
    expect(apart).not.toBe(id);
    const { workspace, suggestion } = bench.store.meta(apart ?? '') ?? {};
    expect({ workspace, suggestion }).toEqual({ suggestion: undefined, ...folders });
  });

  it('is not shown before the notice about it', async () => {
    const { id, mark, lines } = await swapped();
    const sync = service();
    await bench.store.open(id);
    expect(bench.others).toContain(id);
    sync.foundOther(id);
    const told = sync.whenTold(id);
    expect(await isOpen(told)).toBe(true);
    expect((await sync.hello([mark], false)).upload).toEqual([id]);
    expect(await isOpen(told)).toBe(true);
    await sync.upload(id, lines, true, false);
    await sync.upload(id, [], false, true);
    await told;
    expect(notices.map(({ code }) => code)).toEqual(['session-conflict']);
    expect(sync.whenTold(id)).toBeNull();
  });

  it('is shown where the copies are alike, and where no window compares them', async () => {
    const { id, mark } = await savedSession();
    const sync = service();
    sync.foundOther(id);
    const told = sync.whenTold(id);
    expect((await sync.hello([mark], false)).upload).toEqual([]);
    await told;
    const undecided = new Undecided({ first: 0, next: 0 });
    undecided.begin(id);
    await undecided.when(id);
    expect(undecided.when(id)).toBeNull();
  });

  it('is one with other lines, or fewer; not one that is as it was, or was only added to', async () => {
    const { id } = await savedSession();
    await bench.restart();
    await bench.store.open(id);
    await bench.store.close();
    const lines = (await readFile(bench.journal(id), 'utf8')).trimEnd().split('\n');
    const { id: parentId } = JSON.parse(lines.at(-1) ?? '') as { id: string };
    const more = JSON.stringify({ ...JSON.parse(lines.at(-1) ?? ''), id: 'ffffffffffffffff', parentId });
    await writeFile(bench.journal(id), `${[...lines, more].join('\n')}\n`);
    await bench.restart();
    await bench.store.open(id);
    expect(bench.others).toEqual([]);
    await bench.store.close();
    await writeFile(bench.journal(id), `${lines.slice(0, 2).join('\n')}\n`);
    await bench.restart();
    await bench.store.open(id);
    expect(bench.others).toEqual([id]);
  });
});
