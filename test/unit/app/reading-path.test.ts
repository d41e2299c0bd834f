import { describe, expect, it } from 'vitest';
import type { PathHead } from '@shared/ipc/tree-types';
import type { Row } from '@shared/session-state/state';
import type { Client } from '../../../src/renderer/bridge';
import { groupRows, type TranscriptItem } from '../../../src/renderer/state/group-rows';
import { createReadingStore, type ReadingStore } from '../../../src/renderer/state/reading-path';

const row = (id: string, kind: Row['kind'] = 'user'): Row => ({ id, parentId: null, seq: 0, kind, time: 1, tokens: 5 });
const rows = (...ids: string[]): Row[] => ids.map((id) => row(id));
const HEAD: PathHead = {
  ...{ entryId: 'c', leafId: 'd', isHead: false, forkId: 'b', shared: 2, rowsBefore: 0, rowsAfter: 0, seenFrom: null },
  ...{ turns: 2, tokens: 10, leftAt: 5, firstId: 'c', sharedPromptId: 'b', lines: [] },
};

interface Asked {
  entryId: string;
  send: (chunk: { head?: PathHead; rows: Row[]; isNewer?: true }) => void;
  end: () => void;
  fail: (cause: Error) => void;
  isCancelled: boolean;
}

function bench(): { store: ReadingStore; asked: Asked[]; problems: string[]; ids: () => string[] | undefined } {
  const asked: Asked[] = [];
  const problems: string[] = [];
  const client = {
    bulk(_name: string, { entryId }: { entryId: string }, onChunk: Asked['send']) {
      let [end, fail]: [() => void, Asked['fail']] = [() => undefined, () => undefined];
      const done = new Promise<void>((resolve, reject) => ([end, fail] = [resolve, reject]));
      const one: Asked = {
        entryId,
        send: (chunk) => !one.isCancelled && onChunk(chunk),
        end,
        fail,
        isCancelled: false,
      };
      asked.push(one);
      return { done, cancel: () => ((one.isCancelled = true), end()) };
    },
  } as unknown as Client;
  const store = createReadingStore({
    ...{ sessionId: 's', client, take: () => undefined },
    onProblem: (text) => problems.push(text),
  });
  return { store, asked, problems, ids: () => store.state.getState().path?.rows.map(({ id }) => id) };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('a path that is read (GR12)', () => {
  it('comes with the page around its entry; what follows and what precedes that is put on both sides, in order', async () => {
    const { store, asked, ids } = bench();
    const answer = store.read('e');
    asked[0]!.send({
      head: { ...HEAD, entryId: 'e', leafId: 'h', rowsBefore: 3, rowsAfter: 2 },
      rows: rows('d', 'e', 'f'),
    });
    expect(await answer).toBe('read');
    expect(store.state.getState()).toMatchObject({ opening: null, path: { isLoading: true, rowsBefore: 3 } });
    asked[0]!.send({ rows: rows('g'), isNewer: true });
    asked[0]!.send({ rows: rows('h'), isNewer: true });
    asked[0]!.send({ rows: rows('b', 'c') });
    asked[0]!.send({ rows: rows('a') });
    asked[0]!.end();
    await settle();
    expect(ids()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(store.state.getState().path).toMatchObject({ isLoading: false, rowsBefore: 0 });
  });

  it('asks for nothing within the branch that is read, and for a new path above where it leaves', async () => {
    const { store, asked } = bench();
    void store.read('c');
    asked[0]!.send({ head: HEAD, rows: rows('a', 'b', 'c', 'd') });
    expect(await store.read('d')).toBe('read');
    expect([asked.length, store.state.getState().path?.entryId]).toEqual([1, 'd']);
    const again = store.read('b');
    asked[1]!.send({ head: { ...HEAD, isHead: true }, rows: [] });
    expect(await again).toBe('head');
    expect(store.state.getState()).toEqual({ path: null, opening: null });
  });

  it('the last wish counts; until its rows are there the path before stays; a refusal changes nothing', async () => {
    const { store, asked, problems, ids } = bench();
    void store.read('c');
    asked[0]!.send({ head: HEAD, rows: rows('a', 'b', 'c', 'd') });
    const late = store.read('x');
    const next = store.read('y');
    expect(await late).toBe('superseded');
    expect(asked[1]!.isCancelled).toBe(true);
    expect(ids()).toEqual(['a', 'b', 'c', 'd']);
    asked[2]!.fail(new Error('It is gone.'));
    await expect(next).rejects.toThrow('It is gone.');
    expect(store.state.getState()).toMatchObject({ opening: null, path: { entryId: 'c' } });
    expect(problems).toEqual([]);
  });

  it('survives moves of HEAD with other figures and the same list, and ends where HEAD has come to it', async () => {
    const { store, asked, ids } = bench();
    void store.read('c');
    asked[0]!.send({ head: HEAD, rows: rows('a', 'b', 'c', 'd') });
    await settle();
    const nth = store.state.getState().path?.nth;
    store.moved('z');
    asked[1]!.send({ head: { ...HEAD, forkId: 'a', shared: 1, turns: 3 }, rows: rows('c', 'd') });
    expect(store.state.getState().path).toMatchObject({ nth, shared: 1, turns: 3 });
    expect(ids()).toEqual(['a', 'b', 'c', 'd']);
    store.moved('d');
    expect(store.state.getState().path).toBeNull();
  });

  it('what main said of a path before HEAD moved is asked again', async () => {
    const { store, asked } = bench();
    const answer = store.read('c');
    store.moved('z');
    asked[0]!.send({ head: HEAD, rows: rows('a', 'b', 'c', 'd') });
    expect(await answer).toBe('read');
    await settle();
    expect(asked.length).toBe(2);
  });

  it('what is wished within the path that is shown ends another that is on its way, and the rest of its rows comes', async () => {
    const { store, asked, ids } = bench();
    void store.read('c');
    asked[0]!.send({ head: { ...HEAD, rowsBefore: 2 }, rows: rows('c', 'd') });
    const late = store.read('y');
    expect(await store.read('d')).toBe('read');
    expect([await late, asked[1]!.isCancelled]).toEqual(['superseded', true]);
    expect(store.state.getState().path).toMatchObject({ entryId: 'd', isLoading: true });
    expect(asked.map(({ entryId }) => entryId)).toEqual(['c', 'y', 'd']);
    asked[2]!.send({ head: { ...HEAD, entryId: 'd', rowsBefore: 2 }, rows: rows('c', 'd') });
    asked[2]!.send({ rows: rows('a', 'b') });
    asked[2]!.end();
    await settle();
    expect(ids()).toEqual(['a', 'b', 'c', 'd']);
    // All of it there, nothing is asked for once more.
    void store.read('y');
    void store.read('c');
    expect(asked.length).toBe(4);
  });

  it('that came in part goes on where another can’t be read; what can’t be asked for again is told, and cut off', async () => {
    const { store, asked, problems, ids } = bench();
    void store.read('c');
    asked[0]!.send({ head: { ...HEAD, rowsBefore: 2 }, rows: rows('c', 'd') });
    const next = store.read('y');
    asked[1]!.fail(new Error('It is gone.'));
    await expect(next).rejects.toThrow('It is gone.');
    await expect.poll(() => asked.map(({ entryId }) => entryId)).toEqual(['c', 'y', 'c']);
    asked[2]!.fail(new Error('All is gone.'));
    await expect.poll(() => problems).toEqual(['All is gone.']);
    expect(store.state.getState()).toMatchObject({ opening: null, path: { isLoading: false } });
    expect([ids(), asked.length]).toEqual([['c', 'd'], 3]);
  });

  it('to which HEAD came while another was asked for in vain is no longer read', async () => {
    const { store, asked } = bench();
    void store.read('c');
    asked[0]!.send({ head: HEAD, rows: rows('a', 'b', 'c', 'd') });
    await settle();
    void store.read('y').catch(() => undefined);
    store.moved('d');
    const last = store.read('z');
    asked[2]!.fail(new Error('It is gone.'));
    await expect(last).rejects.toThrow('It is gone.');
    await expect.poll(() => asked.at(-1)?.entryId).toBe('c');
    asked[3]!.send({ head: { ...HEAD, isHead: true }, rows: [] });
    expect(store.state.getState()).toEqual({ path: null, opening: null });
  });

  it('what is left is not drawn when it comes late', async () => {
    const { store, asked } = bench();
    const answer = store.read('c');
    store.leave();
    asked[0]!.send({ head: HEAD, rows: rows('a') });
    expect([await answer, store.state.getState().path]).toEqual(['superseded', null]);
  });
});

describe('items of a path that is read (GR12)', () => {
  const kinds = (items: readonly TranscriptItem[]): string[] =>
    items.map((item) => {
      if (item.kind !== 'row') return item.kind;
      return `${item.row.id}${item.memory === null ? '' : ` ${item.memory}`}${item.isElsewhere ? ' elsewhere' : ''}`;
    });

  it('what both have keeps what HEAD has of it, what HEAD has not is nobody’s memory', () => {
    const path = rows('a', 'b', 'c', 'd');
    const beside = { shared: 2, covered: 1, promptId: 'b' };
    expect(kinds(groupRows(path, null, {}, [], beside))).toEqual([
      'a summarised',
      'b',
      'shared',
      'c elsewhere',
      'd elsewhere',
    ]);
    expect(kinds(groupRows(path, null, {}, ['a'], { ...beside, covered: 2 }))).toEqual([
      ...['a repeated', 'b summarised', 'shared', 'c elsewhere', 'd elsewhere'],
    ]);
    expect(kinds(groupRows(path, null, {}, [], { shared: 0, covered: 0, promptId: null }))).toEqual(
      path.map(({ id }) => `${id} elsewhere`),
    );
  });

  it('its own compaction has its cut where that stands, and covers nothing of what HEAD sees', () => {
    const path = [...rows('a', 'b', 'c'), row('k', 'compaction'), row('d')];
    expect(kinds(groupRows(path, 'c', {}, [], { shared: 2, covered: 0, promptId: 'b' }))).toEqual([
      ...['a', 'b', 'shared', 'cut', 'c elsewhere', 'k elsewhere', 'd elsewhere'],
    ]);
  });
});
