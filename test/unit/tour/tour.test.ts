import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { createSessionStore, type JournalStore } from '../../../src/main/journal/session-store';
import { TOUR_MODEL } from '../../../src/main/models/demo-model';
import { randomHex } from '../../../src/main/random-hex';
import { FailingFs } from '../../support/failing-fs';
import { Tour, type TourPorts } from '../../../src/main/tour/tour';
import { nextMark, skipped, TOUR_MARKS } from '@shared/tour';
import type { SessionSummary } from '@shared/types';

let dir: string;
let store: JournalStore;
let problems: string[];
const made: string[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'espalier-tour-'));
  made.length = 0;
  problems = [];
  store = await createSessionStore({
    dir: join(dir, 'sessions'),
    trashDir: join(dir, 'trash'),
    clock: Date.now,
    randomHex,
    log: { warn: (message) => problems.push(message) },
  });
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const summaryOf = (id: string): SessionSummary => ({ id, ...store.meta(id) }) as SessionSummary;
const open = (more: Partial<TourPorts> = {}): Promise<Tour> =>
  Tour.open(
    { tour: join(dir, 'tour.json'), scratch: join(dir, 'scratch') },
    {
      isWanted: true,
      host: {
        list: async () => (await store.list()).map(({ sessionId }) => summaryOf(sessionId)),
        makeFrom: async (options, lines) => summaryOf((await store.createFrom(options, lines)).sessionId),
      },
      store,
      sync: { noteMade: (id) => void made.push(id) },
      log: { info: () => undefined, warn: () => undefined, error: (message) => problems.push(message) },
      ...more,
    },
  );
const sessions = async (): Promise<string[]> => (await store.list()).map(({ sessionId }) => sessionId);
const importer = (): string => join(dir, 'scratch', 'importer');

describe('WN18: the session that the tour is copied from', () => {
  it('opens whole, with the figures that are promised', async () => {
    await (await open()).begin();
    const [id = ''] = await sessions();
    const log = await store.open(id);
    const { tree } = log;
    expect(problems).toEqual([]);
    expect(log.damage).toEqual([]);
    expect(made).toEqual([id]);
    expect(log.header.cwd).toBe(importer());
    expect(store.meta(id)).toMatchObject({
      title: 'Tour: a faster importer',
      tour: true,
      demo: true,
      workspace: importer(),
    });
    const entries = tree.entriesInOrder();
    expect(entries.filter(({ facts }) => facts.role === 'user')).toHaveLength(120);
    expect(tree.compactions).toBe(1);
    const messages = entries.filter(({ facts }) => facts.role !== undefined || facts.type === 'compaction');
    const parents = new Set(messages.map(({ facts }) => facts.parentId));
    const tips = messages.filter(({ id: own }) => !parents.has(own));
    // The path, and two branches that leave it.
    expect(tips).toHaveLength(3);
    const path = tree.pathTo(tree.leafId ?? '');
    const last = (await log.loadBodies([path.at(-1)!.id]))[0] as unknown as {
      message: { provider: string; model: string; usage: { totalTokens: number } };
    };
    expect([last.message.provider, last.message.model]).toEqual([TOUR_MODEL.provider, TOUR_MODEL.id]);
    const share = last.message.usage.totalTokens / TOUR_MODEL.contextWindow;
    expect(share).toBeGreaterThan(0.69);
    expect(share).toBeLessThan(0.71);
  });

  it('names no place of the computer where it was recorded, and its own folder here', async () => {
    await (await open()).begin();
    const [id = ''] = await sessions();
    const text = readFileSync(join(dir, 'sessions', `${id}.jsonl`), 'utf8');
    expect(text).not.toContain('/home/sam');
    expect(text).toContain(JSON.stringify(importer()).slice(1, -1));
    const resource = readFileSync(join(import.meta.dirname, '../../../resources/tour/session.jsonl'), 'utf8');
    expect(resource).not.toMatch(/\/(?:tmp|root|Users|private|var)\//);
  });

  it('lies over a project that is as its last turn left it: its own tests pass', async () => {
    await (await open()).begin();
    const printed = execFileSync(process.execPath, ['test/run.js'], { cwd: importer(), encoding: 'utf8' });
    expect(printed).toMatch(/25 passed, 0 failed/);
    expect(readdirSync(importer()).sort()).toEqual(['README.md', 'data', 'docs', 'package.json', 'src', 'test']);
  });
});

describe('WN18: when the tour comes', () => {
  it('comes once: not at the next start, not after it was deleted', async () => {
    await (await open()).begin();
    const [id = ''] = await sessions();
    await (await open()).begin();
    expect(await sessions()).toEqual([id]);
    await store.trash(id);
    await (await open()).begin();
    await store.deleteForGood(id);
    await (await open()).begin();
    expect(await sessions()).toEqual([]);
  });

  it('does not come where sessions are, or were, nor where it is not wanted', async () => {
    await (await open({ isWanted: false })).begin();
    await (await open({ store: { trashed: async () => ['gone'] } })).begin();
    await (
      await open({ host: { list: async () => [{} as SessionSummary], makeFrom: () => Promise.reject(new Error()) } })
    ).begin();
    expect(await sessions()).toEqual([]);
    // The control: nothing of that was remembered.
    await (await open()).begin();
    expect(await sessions()).toHaveLength(1);
  });

  it('asked for twice at once, at the start, it is made once', async () => {
    const tour = await open();
    await Promise.all([tour.begin(), tour.begin()]);
    expect(await sessions()).toHaveLength(1);
  });

  it('where it can’t be copied nothing is there, one line is logged, and nobody hears of it', async () => {
    writeFileSync(join(dir, 'scratch'), 'a file in the place of the folder');
    const tour = await open();
    await expect(tour.begin()).resolves.toBeUndefined();
    expect(await sessions()).toEqual([]);
    expect(problems).toEqual(['The tour could not be made']);
    // Asked for by the person it is no secret.
    await expect(tour.again()).rejects.toThrow();
  });

  it('a failure in the middle of the journal leaves no session, and no half project', async () => {
    const makeFrom: TourPorts['host']['makeFrom'] = async (options, lines) => {
      const cut = async function* (): AsyncGenerator<string[]> {
        for await (const batch of lines()) {
          yield batch;
          throw new Error('The disk is full');
        }
      };
      return summaryOf((await store.createFrom(options, cut)).sessionId);
    };
    const host = { list: async () => [], makeFrom };
    await (await open({ host })).begin();
    expect(await sessions()).toEqual([]);
    expect(readdirSync(join(dir, 'scratch'))).toEqual(['importer']);
    // It is there whole, and the next try takes it as it is.
    await (await open()).begin();
    expect(await sessions()).toHaveLength(1);
  });

  it('wherever its making ends, what is there of it is known as the tour', async () => {
    const options = { workspace: '/importer', title: 'The tour', demo: true, tour: true };
    const timestamp = new Date(0).toISOString();
    const message = { role: 'user', content: 'Hello', timestamp: 0 };
    const line = JSON.stringify({ type: 'message', id: 'aaaaaaaaaaaaaaaa', parentId: null, timestamp, message });
    const lines = async function* (): AsyncGenerator<string[]> {
      yield [line];
    };
    const openIn = (place: string, fs?: FailingFs): Promise<JournalStore> =>
      createSessionStore({
        ...{ dir: join(dir, place, 'sessions'), trashDir: join(dir, place, 'trash'), clock: Date.now, randomHex },
        ...{ log: { warn: () => undefined }, ...(fs ? { fs } : {}) },
      });
    /** Nothing more is written from the call `at` on. */
    const makeIn = async (place: string, at: number): Promise<{ first: number; last: number }> => {
      const fs = new FailingFs({ at, kind: 'EIO', stays: true });
      const failing = await openIn(place, fs);
      const first = fs.calls + 1;
      await failing.createFrom(options, lines).catch(() => undefined);
      const last = fs.calls;
      await failing.close();
      return { first, last };
    };
    const { first, last } = await makeIn('whole', Infinity);
    let left = 0;
    for (let at = first; at <= last; at++) {
      await makeIn(`cut ${at}`, at);
      const next = await openIn(`cut ${at}`);
      for (const { sessionId } of await next.list()) {
        left++;
        expect(next.meta(sessionId), `cut at call ${at - first}`).toMatchObject(options);
      }
      await next.close();
    }
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(last - first);
  });

  it('a folder of its name stays as it is, and nothing is written through a link or over a file', async () => {
    mkdirSync(join(dir, 'scratch'));
    mkdirSync(join(dir, 'elsewhere'));
    symlinkSync(join(dir, 'elsewhere'), importer());
    const tour = await open();
    await tour.begin();
    await expect(tour.again()).rejects.toThrow(/keeps its project in .*importer, but there is no folder there/);
    expect(readdirSync(join(dir, 'elsewhere'))).toEqual([]);
    expect(await sessions()).toEqual([]);
    rmSync(importer());
    mkdirSync(importer());
    writeFileSync(join(importer(), 'package.json'), 'mine');
    await tour.again();
    expect(readdirSync(importer())).toEqual(['package.json']);
    expect(readFileSync(join(importer(), 'package.json'), 'utf8')).toBe('mine');
  });

  it('opened again, it is the session that is there; deleted, another one', async () => {
    const tour = await open();
    const [first, second] = await Promise.all([tour.again(), tour.again()]);
    expect(second.id).toBe(first.id);
    await store.trash(first.id);
    expect((await tour.again()).id).not.toBe(first.id);
  });
});

describe('WN18: coach marks', () => {
  it('that were seen stay seen over starts', async () => {
    await (await open()).markSeen(['cut']);
    const tour = await open();
    await Promise.all([tour.markSeen(['undo']), tour.markSeen(['cut'])]);
    expect((await open()).seen).toEqual(['cut', 'undo']);
  });

  it('that can’t be kept: why is said to the person, as of all that can’t be saved', async () => {
    const tour = await open();
    // A full disk refuses in the same place.
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'a file in the place of the folder');
    await expect(tour.markSeen(['cut'])).rejects.toThrow(/^Could not save: the data folder is gone/);
    rmSync(dir);
    mkdirSync(dir);
    await tour.markSeen(['undo']);
    expect((await open()).seen).toEqual(['cut', 'undo']);
  });

  it.each(['', '{', '[]', '{"seen": "cut"}', '{"seen": ["cut", "__proto__", 7, null], "isMade": "yes"}'])(
    'survive whatever stands in their file: %s',
    async (text) => {
      writeFileSync(join(dir, 'tour.json'), text);
      const tour = await open();
      expect(tour.seen.every((mark) => TOUR_MARKS.includes(mark))).toBe(true);
      // Not for one start alone.
      expect((await open()).seen).toEqual(tour.seen);
      await tour.begin();
      // There was a start before this one.
      expect(await sessions()).toEqual([]);
      expect(existsSync(dirname(importer()))).toBe(false);
    },
  );

  it('come in their order, each until it was seen, and to undo there must be something of the person’s', () => {
    expect(nextMark([], 1)).toBe('cut');
    expect(nextMark(['cut'], 2)).toBe('undo');
    expect(nextMark(['cut'], 1)).toBe('branch');
    fc.assert(
      fc.property(fc.subarray([...TOUR_MARKS]), fc.nat(3), (seen, compactions) => {
        const mark = nextMark(seen, compactions);
        const left = TOUR_MARKS.filter((one) => !seen.includes(one) && (one !== 'undo' || compactions > 1));
        expect(mark).toBe(left[0] ?? null);
        // Skipping always comes to an end.
        if (mark !== null) expect(nextMark([...seen, ...skipped(mark)], compactions)).not.toBe(mark);
      }),
    );
  });
});
