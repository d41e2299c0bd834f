import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { MetaStore } from '../../../src/main/journal/meta/meta-store';
import { SessionFiles } from '../../../src/main/journal/file/session-files';
import { emptyMeta } from '../../../src/main/journal/meta/session-meta';
import type { SessionMeta } from '../../../src/main/ports';
import { assistant, openStoreBench, user, type StoreBench } from '../../support/journal';

/** What becomes of choices that the disk refuses, in sessions with a file and without. */

let bench: StoreBench;
/** The disk has no room for texts in files whose path ends so; empty: for all. */
let full: string | null;
const fs: JournalFs = {
  ...nodeFs,
  writeText: (path, text) =>
    full !== null && path.endsWith(full)
      ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
      : nodeFs.writeText(path, text),
};
beforeEach(async () => {
  full = null;
  bench = await openStoreBench({ fs });
});
afterEach(() => bench.dispose());

const NO_ROOM = 'Could not save: the disk is full.';
const note = (): string => join(bench.home, 'unsaid.json');
const make = async (): Promise<string> => (await bench.store.create({ workspace: '/w' })).sessionId;
/** A note of so many that the person pinned. */
async function fill(count: number): Promise<string[]> {
  const others = Array.from({ length: count }, (_, at) => `0f8fad5b-d9cb-469f-a165-${String(at).padStart(12, '0')}`);
  const meta = { ...emptyMeta('/w', 0), pinned: true };
  await writeFile(note(), JSON.stringify(others.map((id) => [id, meta])));
  await bench.restart(fs);
  return others;
}

describe('JN49: a choice that can’t be noted is not in force', () => {
  it.each<Partial<SessionMeta>>([{ title: 'Garden', titleSource: 'person' }, { workspace: '/v' }, { pinned: true }])(
    'nor comes into force with the next write: %j',
    async (patch) => {
      const id = await make();
      const before = bench.store.meta(id);
      full = 'unsaid.json';
      await expect(bench.store.setMeta(id, patch)).rejects.toThrow(NO_ROOM);
      expect(bench.store.meta(id)).toEqual(before);
      full = null;
      await make();
      await bench.restart(fs);
      expect(bench.store.named()).toEqual([]);
      await bench.store.create({ workspace: '/scratch', id });
      expect(bench.store.meta(id)).toEqual(before);
      await bench.store.setMeta(id, patch);
      expect(bench.store.meta(id)).toEqual({ ...before, ...patch });
    },
  );

  it('of two at once the one that is refused leaves the other one alone', async () => {
    const id = await make();
    const before = bench.store.meta(id);
    full = 'unsaid.json';
    const refused = bench.store.setMeta(id, { workspace: '/v' }).finally(() => (full = null));
    const noted = bench.store.setMeta(id, { pinned: true });
    await expect(refused).rejects.toThrow(NO_ROOM);
    await noted;
    expect(bench.store.meta(id)).toEqual({ ...before, pinned: true });
    await bench.restart(fs);
    await bench.store.create({ workspace: '/scratch', id });
    expect(bench.store.meta(id)).toEqual({ ...before, pinned: true });
  });

  it('one that is made while the session gets its file stands in its sidecar', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const named = bench.store.setMeta(log.sessionId, { title: 'Garden', titleSource: 'person' });
    const pinned = bench.store.setMeta(log.sessionId, { pinned: true });
    await Promise.all([log.append([user('Hi'), assistant('Hello')]), named, pinned]);
    await bench.restart(fs);
    expect(bench.store.meta(log.sessionId)).toMatchObject({ title: 'Garden', pinned: true });
    expect(bench.store.named()).toEqual([]);
  });

  it.each(['the disk refuses its sidecar', 'the process dies before its sidecar is there'])(
    'it outlasts the first message where %s',
    async (how) => {
      const log = await bench.store.create({ workspace: '/w' });
      const { sessionId: id } = log;
      await bench.store.setMeta(id, { title: 'Garden', titleSource: 'person', workspace: '/v' });
      const noted = await readFile(note(), 'utf8');
      if (how.includes('disk')) full = '.meta.json';
      await log.append([user('Hi'), assistant('Hello')]);
      await bench.store.close();
      full = null;
      if (how.includes('dies')) {
        await rm(new SessionFiles(join(bench.home, 'sessions')).meta(id));
        await writeFile(note(), noted);
      }
      for (const _ of ['once', 'and once more']) {
        await bench.restart(fs);
        expect(bench.store.meta(id)).toMatchObject({ title: 'Garden', titleSource: 'person', workspace: '/v' });
        expect(bench.store.named()).toEqual([]);
      }
    },
  );

  it('once a session has its file its note goes, and where that is refused the next choice is noted all the same', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    full = 'unsaid.json';
    await log.append([user('Hi'), assistant('Hello')]);
    await bench.store.trash(log.sessionId);
    full = null;
    const id = await make();
    await bench.store.setMeta(id, { pinned: true });
    await bench.restart(fs);
    expect(bench.store.named()).toEqual([id]);
  });
});

describe('SF24: a choice that the sidecar can’t hold is not in force', () => {
  it('a folder, and it does not come into force with a pin that is saved', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('Hi'), assistant('Hello')]);
    await bench.restart(fs);
    const { sessionId: id } = log;
    full = '.json';
    const refused = bench.store.setMeta(id, { workspace: '/v' }).finally(() => (full = null));
    const saved = bench.store.setMeta(id, { pinned: true });
    await expect(refused).rejects.toThrow(NO_ROOM);
    await saved;
    expect(bench.store.meta(id)).toMatchObject({ workspace: '/w', pinned: true });
    await bench.restart(fs);
    expect(bench.store.meta(id)).toMatchObject({ workspace: '/w', pinned: true });
  });

  it('whatever is refused, what is in force at the end is what the file says', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'espalier-metas-'));
    const files = new SessionFiles(dir);
    const start = emptyMeta('/w', 0);
    const patch = fc.oneof(
      fc.record({ title: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ workspace: fc.constantFrom('/u', '/v') }),
      fc.record({ pinned: fc.boolean() }),
    );
    const step = fc.record({ patch, isRefused: fc.boolean(), waits: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const refusals: boolean[] = [];
        const writeText: JournalFs['writeText'] = (path, text) =>
          refusals.shift() ? Promise.reject(new Error('no room')) : nodeFs.writeText(path, text);
        const metas = new MetaStore({ ...nodeFs, writeText }, files, () => Promise.reject(new Error()), bench.store as never); // prettier-ignore
        metas.put('s', start);
        await metas.saveMade('s');
        const all: Promise<unknown>[] = [];
        for (const { patch: chosen, isRefused, waits } of steps) {
          refusals.push(isRefused);
          all.push(metas.change('s', { ...metas.get('s')!, ...chosen }).catch(() => undefined));
          if (waits) await Promise.all(all);
        }
        await Promise.all(all);
        await metas.settled();
        expect(JSON.parse(await readFile(files.meta('s'), 'utf8'))).toEqual(metas.get('s'));
      }),
      { numRuns: 60 },
    );
    await rm(dir, { recursive: true });
  });
});

describe('JN49: a session without messages whose deletion is undone', () => {
  const named = async (): Promise<string> => {
    const id = await make();
    await bench.store.setMeta(id, { title: 'Garden', titleSource: 'person' });
    return id;
  };
  const told = (): [string, string][] => bench.unnoted.map(([id, why]) => [id, (why as Error).message]);

  it('is told where a thousand are noted in its place', async () => {
    const others = await fill(999);
    const id = await named();
    await bench.store.trash(id);
    const more = await make();
    await bench.store.setMeta(more, { pinned: true });
    await bench.store.restore(id);
    expect(told()).toEqual([[id, expect.stringContaining('1,000 sessions without messages are named') as string]]);
    expect(bench.store.meta(id)?.title).toBe('Garden');
    await bench.restart(fs);
    expect(new Set(bench.store.named())).toEqual(new Set([...others, more]));
  });

  it('is told where the disk is full, and noted with the next write', async () => {
    const id = await named();
    await bench.store.trash(id);
    full = 'unsaid.json';
    await bench.store.restore(id);
    expect(told()).toEqual([[id, expect.stringContaining(NO_ROOM) as string]]);
    full = null;
    await make();
    await bench.restart(fs);
    expect(bench.store.named()).toEqual([id]);
  });

  it('is there at the next start, and nothing is told', async () => {
    const id = await named();
    await bench.store.trash(id);
    await bench.store.restore(id);
    await bench.restart(fs);
    expect([bench.store.named(), told()]).toEqual([[id], []]);
  });
});

it('JN49: of a note of more than a thousand that the person named the newest count', async () => {
  const others = await fill(1_003);
  expect(bench.store.named()).toEqual(others.slice(3));
});
