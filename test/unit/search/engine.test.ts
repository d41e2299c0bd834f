import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PLACES, type SearchAnswer, writerOf, WRITERS } from '@shared/search/types';
import { nodeFs } from '../../../src/main/journal/file/fs';
import { SessionFiles } from '../../../src/main/journal/file/session-files';
import type { Wanted } from '../../../src/main/search/finder';
import { SearchEngine } from '../../../src/main/search/search-engine';
import { branchySession } from '../../support/branchy-session';

let home: string;
let files: SessionFiles;
let engine: SearchEngine;
const index = (): string => join(home, 'search.db');

async function begin(): Promise<void> {
  engine = new SearchEngine({ file: index(), files, fs: nodeFs });
  await engine.start();
  await engine.settled();
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'espalier-search-'));
  files = new SessionFiles(join(home, 'sessions'));
  mkdirSync(files.dir);
  await begin();
});

afterEach(async () => {
  await engine.close();
  rmSync(home, { recursive: true });
});

const header = (id: string): string => JSON.stringify({ type: 'session', version: 3, id, timestamp: '', cwd: '' });
function said(id: string, parentId: string | null, text: string, role = 'user'): string {
  const message = { role, content: [{ type: 'text', text }], timestamp: 1 };
  return JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-01-02T03:04:05.000Z', message });
}
const write = (id: string, lines: string[]): void =>
  writeFileSync(files.journal(id), [header(id), ...lines].map((line) => `${line}\n`).join(''));

const find = (query: string, more: Partial<Wanted> = {}): SearchAnswer =>
  engine.ask((finder) =>
    finder.all({ query, exact: false, matchCase: false, place: null, skip: 0, most: 50, ...more }),
  );
const idsOf = ({ sessions }: SearchAnswer): string[] =>
  sessions.flatMap(({ sessionId, hits }) => hits.map(({ entryId }) => `${sessionId}/${entryId}`)).sort();
async function changed(id: string): Promise<void> {
  engine.touch(id);
  await engine.settled();
}

describe('the search of all sessions', () => {
  it('SE2: finds phrases, parts of names, paths, accents, CJK, and says who said it where', async () => {
    write('one', [
      said('a', null, 'Set a retry budget of 5'),
      said('b', 'a', 'const retryBudget lives in src/queue/enqueue.ts', 'assistant'),
      said('c', 'b', 'Crème brûlée, 一度だけ再試行する'),
      said('d', 'c', 'budget for every retry'),
    ]);
    await changed('one');
    expect(idsOf(find('retry budget'))).toEqual(['one/a', 'one/b', 'one/d']);
    expect(idsOf(find('retry budget', { exact: true }))).toEqual(['one/a', 'one/b']);
    expect(idsOf(find('retryBudget', { matchCase: true }))).toEqual(['one/b']);
    expect(idsOf(find('enqueue.ts'))).toEqual(['one/b']);
    expect(idsOf(find('queue/enq'))).toEqual(['one/b']);
    expect(idsOf(find('creme'))).toEqual(['one/c']);
    expect(idsOf(find('試行'))).toEqual(['one/c']);
    expect(idsOf(find('nothing of that'))).toEqual([]);
    const [hit] = find('bru').sessions[0]?.hits ?? [];
    expect(hit).toMatchObject({ author: { kind: 'person' }, place: 'kept', time: Date.UTC(2026, 0, 2, 3, 4, 5) });
    expect(hit?.marks.map(([start, end]) => hit.text.slice(start, end))).toEqual(['brû']);
  });

  it('SE4: says of each hit whether the model has it word for word, in a summary, or not at all', async () => {
    const { lines, trunk, branches } = branchySession({ turns: 14, branches: 2, branchLength: 3, compactions: 1 });
    const [, ...entries] = lines;
    write('tree', entries);
    await changed('tree');
    const placeOf = (query: string, entryId?: string): string | undefined =>
      find(query, { exact: true })
        .sessions.flatMap(({ hits }) => hits)
        .find((hit) => entryId === undefined || hit.entryId === entryId)?.place;
    expect(placeOf('Where are locks taken', trunk[0])).toBe('summarized');
    expect(placeOf('Which queries notice the table', trunk.at(-2))).toBe('kept');
    expect(placeOf('Use triggers instead 1.1', branches[0]?.prompts[0])).toBe('branch');
    const { counts } = find('queue');
    const listed = (place: Wanted['place']): number => find('queue', { place }).sessions[0]?.hits.length ?? 0;
    expect(counts.summarized).toBeGreaterThan(0);
    expect(PLACES.map(listed)).toEqual(PLACES.map((place) => counts[place]));
    // HEAD moves to the branch: what stood elsewhere is on the path, without a message more.
    const leaf = branches[0]?.leafId ?? '';
    const moved = { type: 'custom', customType: 'espalier.leaf', data: { leafId: leaf, reason: 'navigate' } };
    appendFileSync(
      files.journal('tree'),
      `${JSON.stringify({ ...moved, id: 'move', parentId: leaf, timestamp: '' })}\n`,
    );
    await changed('tree');
    expect(placeOf('Use triggers instead 1.1', branches[0]?.prompts[0])).toBe('kept');
    const { path, branch, forks } = engine.ask((finder) =>
      finder.inSession('tree', { query: 'table', exact: false, matchCase: false }),
    );
    const all = find('table').counts;
    expect([path.length, branch]).toEqual([all.kept + all.summarized, all.branch]);
    // Both branches and the rest of the trunk leave the path of the first branch where it left the trunk, or above.
    expect(forks.reduce((sum, { count }) => sum + count, 0)).toBe(branch);
    const shown = new Set(path.map(({ entryId }) => entryId));
    const known = new Set(entries.map((line) => (JSON.parse(line) as { id: string }).id));
    expect(forks.every(({ entryId }) => entryId !== null && known.has(entryId))).toBe(true);
    expect(shown.size).toBe(path.length);
    await engine.close();
    await begin();
    const again = engine.ask((finder) => finder.inSession('tree', { query: 'table', exact: false, matchCase: false }));
    expect(again.forks).toEqual(forks);
  });

  it('SE3: follows appends, replaced, cut and deleted files, and what changed while it was not there', async () => {
    write('one', [said('a', null, 'alpha')]);
    write('two', [said('a', null, 'alpha')]);
    await Promise.all([changed('one'), changed('two')]);
    expect(idsOf(find('alpha'))).toEqual(['one/a', 'two/a']);
    // A line that is not whole yet is read when it is.
    const line = said('b', 'a', 'alpha beta');
    appendFileSync(files.journal('one'), line.slice(0, 40));
    await changed('one');
    expect(idsOf(find('beta'))).toEqual([]);
    appendFileSync(files.journal('one'), `${line.slice(40)}\n`);
    await changed('one');
    expect(idsOf(find('beta'))).toEqual(['one/b']);
    write('one', [said('c', null, 'gamma')]);
    await changed('one');
    expect(idsOf(find('alpha'))).toEqual(['two/a']);
    engine.drop('two');
    expect(idsOf(find('alpha'))).toEqual([]);
    renameSync(files.journal('two'), join(home, 'two'));
    await engine.settled();
    renameSync(join(home, 'two'), files.journal('two'));
    await changed('two');
    expect(idsOf(find('alpha'))).toEqual(['two/a']);
    await engine.close();
    write('two', [said('a', null, 'alpha'), said('b', 'a', 'delta')]);
    rmSync(files.journal('one'));
    write('three', [said('a', null, 'delta')]);
    writeFileSync(files.journal('none'), '{"no":"session","text":"delta"}\n');
    await begin();
    expect(idsOf(find('delta'))).toEqual(['three/a', 'two/b']);
    expect(idsOf(find('gamma'))).toEqual([]);
    expect(find('delta').unread).toBe(0);
  });

  it('SE3, JN52: no word of a session that was deleted is left in the index or beside it', async () => {
    write('one', [said('a', null, 'alpha')]);
    write('two', [said('a', null, 'unmistakable')]);
    await Promise.all([changed('one'), changed('two')]);
    const isThere = (): boolean =>
      readdirSync(home)
        .filter((name) => name.startsWith('search.db'))
        .some((name) => statSync(join(home, name)).isFile() && readFileSync(join(home, name)).includes('unmistakable'));
    expect(isThere()).toBe(true);
    rmSync(files.journal('two'));
    engine.drop('two');
    await engine.settled();
    expect(isThere()).toBe(false);
  });

  it('SE3: a file that was changed under the index gives no hit that is not in it, and is read anew', async () => {
    write('one', [said('a', null, 'alpha'), said('b', 'a', 'alpha too')]);
    await changed('one');
    write('one', [said('x', null, 'beta beta beta'), said('y', 'x', 'alpha')]);
    expect(idsOf(find('alpha')).filter((id) => id !== 'one/y')).toEqual([]);
    await engine.settled();
    expect(idsOf(find('alpha'))).toEqual(['one/y']);
  });

  it('SE3: an index that is damaged, of another version, or locked by a process that is gone is made anew', async () => {
    write('one', [said('a', null, 'alpha')]);
    await changed('one');
    await engine.close();
    const whole = readFileSync(index());
    for (const spoil of [
      () => writeFileSync(index(), 'no database'),
      () => writeFileSync(index(), whole.subarray(0, whole.length / 2)),
      () => rmSync(index()),
      () => mkdirSync(`${index()}.lock`),
    ]) {
      spoil();
      await begin();
      expect(idsOf(find('alpha'))).toEqual(['one/a']);
      await engine.close();
    }
    // Bytes of its middle, which nothing reads before a question does.
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 100, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const bytes = Buffer.from(whole);
          for (let n = at; n < Math.min(at + 600, bytes.length); n++) bytes[n] = (bytes[n] ?? 0) ^ by;
          writeFileSync(index(), bytes);
          await begin();
          find('alpha');
          await engine.settled();
          const found = idsOf(find('alpha'));
          await engine.close();
          // Nothing that is not there is found; what is lost is found again, or the search says that it is not up to date.
          expect(found.every((id) => id === 'one/a')).toBe(true);
        },
      ),
      { numRuns: 60, examples: [[23871, 1]] },
    );
    rmSync(index());
    await begin();
  });

  it('SE5: of messages that are larger than an answer may read those of fewer sessions are listed, and all are counted', async () => {
    const picture = 'A'.repeat(9_000_000);
    const large = (id: string): string => said(id, null, 'alpha').replace('"timestamp":1', `"image":"${picture}"`);
    const ids = Array.from({ length: 9 }, (_, at) => `session-${at}`);
    for (const id of ids) write(id, [large('a')]);
    await Promise.all(ids.map(changed));
    const { sessions, sessionCount, counts } = find('alpha');
    expect([sessionCount, counts.kept]).toEqual([9, 9]);
    expect(sessions).toHaveLength(8);
    for (const { hits } of sessions) expect(hits).toMatchObject([{ text: 'alpha', marks: [[0, 5]] }]);
    for (const id of ids) expect(find('alpha', { sessionId: id }).sessions).toHaveLength(1);
  });

  it('SE5: filters by session, author and time leave exactly what has all of it', async () => {
    const roles = ['user', 'assistant', 'toolResult'] as const;
    const DAY = 86_400_000;
    const at = (id: string, n: number): string => {
      const role = roles[n % 3] ?? 'user';
      const line = JSON.parse(said(`${id}${n}`, n === 0 ? null : `${id}${n - 1}`, `alpha ${n}`, role)) as object;
      const timestamp = n % 7 === 6 ? 'never' : new Date(n * DAY).toISOString();
      return JSON.stringify({ ...line, timestamp });
    };
    for (const id of ['one', 'two', 'three'])
      write(
        id,
        Array.from({ length: 30 }, (_, n) => at(id, n)),
      );
    await Promise.all(['one', 'two', 'three'].map(changed));
    const all = find('alpha').sessions.flatMap(({ sessionId, hits }) => hits.map((hit) => ({ sessionId, hit })));
    expect(all).toHaveLength(90);
    fc.assert(
      fc.property(
        fc.option(fc.subarray(['one', 'two', 'three', 'gone'])),
        fc.option(fc.constantFrom(...WRITERS)),
        fc.option(fc.integer({ min: 1, max: 31 * DAY })),
        (sessionIds, writer, since) => {
          const filter = { ...(sessionIds && { sessionIds }), ...(writer && { writer }), ...(since && { since }) };
          const expected = all.filter(
            ({ sessionId, hit }) =>
              (!sessionIds || sessionIds.includes(sessionId)) &&
              (!writer || writerOf(hit.author) === writer) &&
              (!since || hit.time >= since),
          );
          const found = find('alpha', filter);
          expect(idsOf(found)).toEqual(expected.map(({ sessionId, hit }) => `${sessionId}/${hit.entryId}`).sort());
          expect(found.counts.kept).toBe(expected.length);
        },
      ),
    );
  });

  it('SE5: what a filter leaves is found behind more hits than are counted', async () => {
    const lines = Array.from({ length: 20_300 }, (_, n) =>
      said(`e${n}`, n === 0 ? null : `e${n - 1}`, `alpha ${n}`, n === 0 ? 'user' : 'assistant'),
    );
    write('long', lines);
    await changed('long');
    expect(find('alpha', { most: 1 })).toMatchObject({ isPartial: true });
    const found = find('alpha', { writer: 'you' });
    expect(idsOf(found)).toEqual(['long/e0']);
    expect(found.isPartial).toBe(false);
  }, 60_000);

  it('SE3: bounds what a hostile file can ask of it', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const wide = 'x'.repeat(3_000_000);
    write('one', [
      said('a', null, 'alpha'),
      `{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":${deep}}}`,
      said('c', 'a', `${wide} omega`),
      said('d', 'a', `\u202ealpha\u0000 "quoted" OR NEAR( * ^`),
    ]);
    await changed('one');
    expect(idsOf(find('alpha'))).toEqual(['one/a', 'one/d']);
    for (const query of [
      '"',
      'alpha" OR "x',
      'NEAR(alpha',
      'parts : alpha',
      '*',
      '^alpha',
      '\u0000',
      "'; DROP TABLE line",
    ])
      expect(() => find(query)).not.toThrow();
    expect(idsOf(find('"quoted" or near'))).toEqual(['one/d']);
  });
});

describe('GR19: the search of one session’s tree', () => {
  const tree = (query: string) => engine.ask((finder) => finder.inTree('one', query));

  it('lists phrases first, then words anywhere, of all branches, the newest first, with excerpts', async () => {
    write('one', [
      said('a', null, 'Set a retry budget of 5'),
      said('b', 'a', 'a budget for each retry', 'assistant'),
      said('c', 'a', 'const retryBudget lives in a branch', 'assistant'),
      said('d', 'b', 'nothing of that'),
    ]);
    expect(tree('retry budget')).toMatchObject({ state: 'unread', exact: [], loose: [] });
    await changed('one');
    expect(tree('retry budget')).toEqual({ exact: ['c', 'a'], loose: ['b'], isPartial: false, state: 'read' });
    expect(tree('...')).toMatchObject({ exact: [], loose: [], state: 'read' });
    const hits = [
      { entryId: 'a', seq: 1, exact: true },
      { entryId: 'b', seq: 2, exact: false },
      // Not what stands in that line.
      { entryId: 'x', seq: 3, exact: true },
      { entryId: 'c', seq: 2 ** 40, exact: true },
    ];
    const excerpts = engine.ask((finder) => finder.excerpts('one', 'retry budget', hits));
    expect(excerpts.map(({ text, marks }) => marks.map(([from, to]) => text.slice(from, to)))).toEqual([
      ['retry budget'],
      ['budget', 'retry'],
    ]);
  });

  it('says when the session is gone, and reads no more than a screen of large messages', async () => {
    const large = `needle ${'x'.repeat(9_000_000)}`;
    write('one', [said('a', null, large), said('b', 'a', large), said('c', 'b', large)]);
    await changed('one');
    const hits = tree('needle').exact.map((entryId, at) => ({ entryId, seq: 3 - at, exact: true }));
    expect(hits).toHaveLength(3);
    expect(engine.ask((finder) => finder.excerpts('one', 'needle', hits))).toHaveLength(2);
    engine.drop('one');
    expect(tree('needle').state).toBe('unread');
    expect(engine.ask((finder) => finder.excerpts('one', 'needle', hits))).toEqual([]);
  });
});

it.each(['EMFILE', 'EACCES'])(
  'SE3: a journal that can’t be opened for a moment (%s) is still found, and read with the next append',
  async (code) => {
    await engine.close();
    let fails = false;
    const refused = (): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }));
    const fs = {
      ...nodeFs,
      open: (...asked: Parameters<typeof nodeFs.open>) => (fails ? refused() : nodeFs.open(...asked)),
    };
    write('s', [said('a', null, 'kudu')]);
    engine = new SearchEngine({ file: index(), files, fs });
    await engine.start();
    await engine.settled();
    expect(idsOf(find('kudu'))).toEqual(['s/a']);
    appendFileSync(files.journal('s'), `${said('b', 'a', 'kudu')}\n`);
    fails = true;
    engine.touch('s');
    await engine.settled();
    expect(idsOf(find('kudu'))).toEqual(['s/a']);
    fails = false;
    engine.touch('s');
    await engine.settled();
    expect(idsOf(find('kudu'))).toEqual(['s/a', 's/b']);
  },
);

it('UN1, SE5: a copied message is listed as said when its original was', async () => {
  const at = (id: string, parentId: string | null, timestamp: string, rest: object): string =>
    `${JSON.stringify({ id, parentId, timestamp, ...rest })}\n`;
  const words = { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'kudu' }], timestamp: 1 } };
  const [then, now] = ['2026-01-02T00:00:00.000Z', '2026-11-01T00:00:00.000Z'];
  const data = { v: 1, op: 'undo', compactionId: 'k', fromLeafId: 'a', copies: [['a', 'b']] };
  const lines = [
    `${header('s')}\n`,
    `${said('u', null, 'go')}\n`,
    at('k', 'u', then, { type: 'compaction', summary: 'S', firstKeptEntryId: null, tokensBefore: 1 }),
    at('a', 'k', then, words),
    at('r', 'a', now, { type: 'custom', customType: 'espalier.rebase', data }),
    at('b', 'u', now, words),
  ];
  writeFileSync(files.journal('s'), lines.join(''));
  await engine.start();
  await engine.settled();
  const ask = (since?: number): SearchAnswer =>
    engine.ask((finder) => finder.all({ ...{ query: 'kudu', exact: false, matchCase: false, place: null, skip: 0, most: 50 }, ...(since === undefined ? {} : { since }) })); // prettier-ignore
  const hits = ask().sessions.flatMap((session) => session.hits);
  expect(hits.find(({ entryId }) => entryId === 'b')?.time).toBe(Date.parse(then));
  expect(ask(Date.UTC(2026, 9, 1)).sessions).toEqual([]);
});
