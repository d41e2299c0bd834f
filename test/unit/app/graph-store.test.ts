import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { Client } from '../../../src/renderer/bridge';
import { createGraphStore } from '../../../src/renderer/state/graph-store';
import type { SessionEvent } from '../../../src/shared/session-state/events';
import { NO_SESSION, type LiveSession, type Row } from '../../../src/shared/session-state/state';
import { createMemoryStore } from '../../support/memory-store';
import { chain, entry } from '../shared/graph/support';

const ID = 'session';
const rowAt = (seq: number): Row => ({
  ...{ id: `e${seq}`, parentId: seq === 0 ? null : `e${seq - 1}`, seq, time: seq, tokens: 1 },
  kind: seq % 2 === 0 ? 'user' : 'assistant',
});
const appended = (row: Row): SessionEvent => ({
  ...{ type: 'entry_appended', sessionId: ID, n: row.seq + 1, crc: 0, crcBefore: 0 },
  line: { id: row.id, seq: row.seq, line: '{}' },
  row,
});

/** A branch beside HEAD's. */
const besides: Row[] = [{ ...entry('x', 'a1', 'user', 20), branchId: 'x' }, entry('xa', 'x', 'assistant', 21)];

/** A graph whose rows come from main when the test says so. */
function bench(leafId: string, more: Partial<LiveSession> = {}, local = createMemoryStore()) {
  const live = createStore<LiveSession>(() => ({ ...NO_SESSION, leafId, ...more }));
  const asked: { fromSeq: number; answer: (...rows: Row[]) => void }[] = [];
  const client = {
    bulk(_name: string, { fromSeq }: { fromSeq: number }, onChunk: (chunk: { rows: Row[] }) => void) {
      let end = (): void => undefined;
      const done = new Promise<void>((resolve) => (end = resolve));
      asked.push({ fromSeq, answer: (...rows) => (onChunk({ rows }), end()) });
      return { done, cancel: () => end() };
    },
    request: async () => ({ exact: [], loose: [], isPartial: false, state: 'read' }),
  } as unknown as Client;
  const store = createGraphStore({ id: ID, client, local, live });
  const append = (row: Row): void => {
    store.apply(appended(row));
    live.setState({ leafId: row.id });
  };
  const seen = () => ({ head: store.graph.head?.tailId ?? null, entries: store.graph.turns.entryCount });
  return { store, asked, append, seen, live };
}

describe('GR26: a graph of which the session’s file is another one', () => {
  it('is loaded anew: what was loaded, or is on its way, is of the file before', async () => {
    const { store, asked, seen, live } = bench('e3');
    void store.open();
    asked[0]!.answer(rowAt(0), rowAt(1), rowAt(2), rowAt(3));
    await expect.poll(() => seen().entries).toBe(4);
    const late = store.refresh();
    live.setState({ leafId: 'e1' });
    const reloaded = store.reload();
    asked[1]!.answer(rowAt(4));
    asked[2]!.answer(rowAt(0), rowAt(1));
    await Promise.all([late, reloaded]);
    expect(asked.map(({ fromSeq }) => fromSeq)).toEqual([0, 4, 0]);
    expect(seen()).toEqual({ head: 'e1', entries: 2 });
  });

  it('is not loaded if it never was', async () => {
    const { store, asked } = bench('e1');
    await store.reload();
    expect(asked).toEqual([]);
  });
});

describe('GR26: a graph that is being loaded', () => {
  it('opens with its head and its newest entry, though that came while the others were on their way', async () => {
    const { store, asked, append, seen } = bench('e1');
    const opened = store.open();
    append(rowAt(2));
    asked[0]!.answer(rowAt(0), rowAt(1));
    await opened;
    expect(seen()).toEqual({ head: 'e2', entries: 3 });
  });

  it('that is to ask for what was lost does so once it is there', async () => {
    const { store, asked, seen, live } = bench('e1');
    const opened = store.open();
    // Its event never comes: the state was read anew.
    live.setState({ leafId: 'e2' });
    await store.refresh();
    asked[0]!.answer(rowAt(0), rowAt(1));
    await expect.poll(() => asked.map(({ fromSeq }) => fromSeq)).toEqual([0, 2]);
    asked[1]!.answer(rowAt(2));
    await opened;
    expect(seen()).toEqual({ head: 'e2', entries: 3 });
  });

  it('asks once more where events were lost while it was asking, and follows what comes meanwhile', async () => {
    const { store, asked, append, seen, live } = bench('e1');
    const opened = store.open();
    asked[0]!.answer(rowAt(0), rowAt(1));
    await opened;
    const first = store.refresh();
    live.setState({ leafId: 'e3' });
    const second = store.refresh();
    asked[1]!.answer();
    await expect.poll(() => asked.length).toBe(3);
    append(rowAt(4));
    asked[2]!.answer(rowAt(2), rowAt(3));
    await Promise.all([first, second]);
    expect(seen()).toEqual({ head: 'e4', entries: 5 });
  });

  it('asks for what is lost while it is laid out before it takes what came after that', async () => {
    const { store, asked, append, seen, live } = bench('e1');
    const opened = store.open();
    let isLost = false;
    const lose = (): void => {
      if (isLost) return;
      isLost = true;
      // The state is read anew, as the event of `e2` never came.
      live.setState({ leafId: 'e2' });
      void store.refresh();
      append(rowAt(3));
    };
    asked[0]!.answer(rowAt(0), { ...rowAt(1), get parentId(): string { return (lose(), 'e0'); } }); // prettier-ignore
    await expect.poll(() => asked.map(({ fromSeq }) => fromSeq)).toEqual([0, 2]);
    asked[1]!.answer(rowAt(2), rowAt(3));
    await opened;
    expect(seen()).toEqual({ head: 'e3', entries: 4 });
    expect(store.graph.turns.place('e3')?.node).toBe(store.graph.turns.place('e2')?.node);
  });

  it('hides branches whose entries were lost or came while it was loaded', async () => {
    const { store, asked, append, live } = bench('e1', { archived: ['e2'] });
    const opened = store.open();
    append(rowAt(2));
    live.setState({ leafId: 'e1' });
    asked[0]!.answer(rowAt(0), rowAt(1));
    await opened;
    const isHidden = (id: string) => store.graph.isHidden(store.graph.turns.nodeAt(id)!);
    expect(isHidden('e2')).toBe(true);
    live.setState({ archived: ['e2', 'f3'] });
    const refreshed = store.refresh();
    const { layoutVersion } = store.state.getState();
    asked[1]!.answer({ ...rowAt(4), id: 'f3', parentId: 'e1' });
    await refreshed;
    expect([isHidden('f3'), isHidden('e1')]).toEqual([true, false]);
    expect(store.state.getState().layoutVersion).toBeGreaterThan(layoutVersion);
  });

  it('GR29: of the hidden branches the one alone is shown in which something is found or read, as long as it is', async () => {
    const { store, asked } = bench('e1', { archived: ['x', 'y'] });
    const opened = store.open();
    const beside = (id: string, seq: number): Row => ({
      ...rowAt(seq),
      id,
      parentId: 'e1',
      kind: 'user',
      branchId: id,
    });
    asked[0]!.answer(rowAt(0), rowAt(1), beside('x', 2), beside('y', 3), beside('z', 4));
    await opened;
    const node = (id: string) => store.graph.turns.nodeAt(id)!;
    const shown = () => ['x', 'y', 'z'].filter((id) => store.graph.isShown(node(id)));
    expect(shown()).toEqual(['z']);
    store.reveal(node('x'));
    expect([shown(), store.graph.hasHiddenShown, store.memory.get().showsHidden]).toEqual([['x', 'z'], false, false]);
    expect(store.graph.isHidden(node('x'))).toBe(true);
    store.showRead('x');
    store.search('');
    expect(shown()).toEqual(['x', 'z']);
    store.showRead('y');
    expect(shown()).toEqual(['y', 'z']);
    store.showRead(null);
    expect(shown()).toEqual(['z']);
    store.reveal(node('y'));
    store.search('');
    expect(shown()).toEqual(['z']);
  });

  it('GR29: what is read in a hidden branch is shown though the graph is loaded after it, or it is put away while it is read', async () => {
    const { store, asked, live } = bench('a2', { archived: ['x'] });
    store.showRead('xa');
    const opened = store.open();
    asked[0]!.answer(...chain(3), ...besides);
    await opened;
    const isShown = (): boolean => store.graph.isShown(store.graph.turns.place('x')!.node);
    expect(isShown()).toBe(true);
    store.showRead(null);
    expect(isShown()).toBe(false);
    live.setState({ archived: [] });
    store.showRead('xa');
    live.setState({ archived: ['x'] });
    expect(isShown()).toBe(true);
    // Where all hidden ones are shown, nothing is laid out for it.
    store.showRead(null);
    store.showHidden(true);
    const { rail } = store.graph;
    store.showRead('xa');
    expect(store.graph.rail).toBe(rail);
    store.showHidden(false);
    expect(isShown()).toBe(true);
  });

  it('GR29: a hit in a hidden branch is shown as long as it is one, also once it is no longer read', async () => {
    const { store, asked } = bench('a2', { archived: ['x'] });
    const opened = store.open();
    asked[0]!.answer(...chain(3), ...besides);
    await opened;
    store.setFacts({ ...store.facts, label: ({ contentId }) => (contentId.startsWith('u') ? '' : 'beside') });
    const isShown = (): boolean => store.graph.isShown(store.graph.turns.place('x')!.node);
    store.search('beside');
    await store.searched();
    expect([store.stepSearch(1)?.node.contentId, isShown()]).toEqual(['x', true]);
    store.showRead('xa');
    store.showRead(null);
    expect(isShown()).toBe(true);
    store.search('');
    expect(isShown()).toBe(false);
  });

  it('and whose file is replaced meanwhile is waited for by who wants to see something in it', async () => {
    const { store, asked } = bench('a1');
    const wanted = [store.want('u1'), store.want('u1')];
    void store.reload();
    await expect.poll(() => asked.length).toBe(2);
    asked[1]!.answer(...chain(2));
    expect(await Promise.all(wanted)).toEqual([true, true]);
  });

  it('and is closed meanwhile holds nobody up who wants to see something in it', async () => {
    const { store, asked } = bench('e1');
    void store.open();
    const wanted = store.want('e1');
    await expect.poll(() => asked.length).toBe(1);
    store.close();
    expect(await wanted).toBe(false);
  });

  it('that failed opens anew with all there is', async () => {
    const { store, asked, append, seen } = bench('e1');
    const failing = store.open();
    asked[0]!.answer({ ...rowAt(0), id: null as never, get parentId(): null { throw new Error('bad row'); } }); // prettier-ignore
    await failing;
    expect(store.state.getState().status).toBe('failed');
    append(rowAt(2));
    const opened = store.open();
    asked[1]!.answer(rowAt(0), rowAt(1), rowAt(2));
    await opened;
    append(rowAt(3));
    expect(seen()).toEqual({ head: 'e3', entries: 4 });
  });
});

describe('GR2: the order of branches', () => {
  it('stays as it is where something is appended, until the person sorts', async () => {
    const row = (seq: number, parent: number | null): Row => ({
      ...rowAt(seq),
      parentId: parent === null ? null : `e${parent}`,
    });
    const chain = (from: number, parent: number, length: number): Row[] =>
      Array.from({ length }, (_, n) => row(from + n, n === 0 ? parent : from + n - 1));
    const { store, asked } = bench('e13');
    void store.open();
    asked[0]!.answer(row(0, null), row(1, 0), ...chain(2, 1, 4), ...chain(6, 1, 4), ...chain(10, 1, 4));
    await expect.poll(() => store.state.getState().status).toBe('ready');
    const branches = (): string[] => {
      const fork = store.graph.turns.place('e1')?.node ?? null;
      return store.graph.order.siblings(fork).map(({ contentId }) => contentId);
    };
    expect(branches()).toEqual(['e6', 'e2']);
    store.apply(appended(row(14, 5)));
    expect(branches()).toEqual(['e6', 'e2']);
    const { layoutVersion } = store.state.getState();
    store.sort();
    expect(branches()).toEqual(['e2', 'e6']);
    expect(store.state.getState().layoutVersion).toBeGreaterThan(layoutVersion);
  });
});

describe('GR26: while lost entries are on their way', () => {
  it('HEAD stays where it was, with its path and the folds on it', async () => {
    // A longer branch beside HEAD's would go straight on if there were no HEAD.
    const longer = Array.from({ length: 20 }, (_, n) => [
      entry(`b${n}`, n === 0 ? 'a5' : `c${n - 1}`, 'user', 100 + 2 * n),
      entry(`c${n}`, `b${n}`, 'assistant', 101 + 2 * n),
    ]).flat();
    const { store, asked, live } = bench('a11');
    const opened = store.open();
    asked[0]!.answer(...chain(12), ...longer);
    await opened;
    store.toggleFold(store.graph.turns.place('u8')!.node);
    const folds = store.graph.keptFolds();
    const rows = (): unknown[] => store.graph.rail.rows.map(({ node, lane, kind }) => [node.contentId, lane, kind]);
    const before = rows();
    live.setState({ leafId: 'n1' });
    const refreshed = store.refresh();
    expect([rows(), store.graph.head?.contentId, store.graph.keptFolds()]).toEqual([before, 'u11', folds]);
    asked[1]!.answer(entry('n0', 'a11', 'user', 300), entry('n1', 'n0', 'assistant', 301));
    await refreshed;
    expect([store.graph.head?.contentId, store.graph.keptFolds()]).toEqual(['n0', folds]);
  });
});

describe('GR5: what is read is on top', () => {
  it('also where the graph is loaded after it, and after HEAD has moved or the person sorted; then HEAD’s is again', async () => {
    const variants = [entry('v', 'a0', 'user', 10), entry('w', 'v', 'assistant', 11), entry('x', 'a0', 'user', 12)];
    const { store, asked, live } = bench('y');
    store.showRead('v');
    const opened = store.open();
    asked[0]!.answer(...chain(2), ...variants, entry('y', 'x', 'assistant', 13));
    await opened;
    const front = store.graph.head!;
    const onTop = (): string => store.graph.shownOn(front).contentId;
    expect(onTop()).toBe('v');
    store.sort();
    expect(onTop()).toBe('v');
    live.setState({ leafId: 'a0' });
    live.setState({ leafId: 'y' });
    expect(onTop()).toBe('v');
    store.showRead(null);
    expect(onTop()).toBe('x');
    store.sort();
    expect(onTop()).toBe('x');
  });
});

describe('GR34: what is remembered', () => {
  it('gives way to what is chosen while it is read, and while the rows are on their way', async () => {
    const local = createMemoryStore();
    await local.putUi(`graph:${ID}`, { filter: 'user', showsList: true, showsHidden: true, follows: false });
    const { store, asked } = bench('a1', {}, local);
    const opened = store.open();
    store.setFilter('errors');
    await expect.poll(() => store.memory.get().follows).toBe(false);
    store.showList(false);
    store.showHidden(false);
    asked[0]!.answer(...chain(2));
    await opened;
    expect([store.graph.filter, store.graph.hasHiddenShown, store.state.getState().showsList]).toEqual([
      ...['errors', false, false],
    ]);
    store.memory.flush();
    expect(await local.getUi(`graph:${ID}`)).toMatchObject({ filter: 'errors', showsList: false, follows: false });
  });

  it('is not written over by what is chosen before it is read, nor where it can’t be', async () => {
    const local = createMemoryStore();
    const stored = { filter: 'user', folds: [['u1', 'a1']], openRuns: ['x'], follows: false, sort: 'cost' };
    await local.putUi(`graph:${ID}`, stored);
    let answer: (isGood: boolean) => void = () => undefined;
    const slow = {
      ...local,
      getUi: async (key: string) => {
        if (!(await new Promise<boolean>((resolve) => (answer = resolve)))) throw new Error('The database is gone.');
        return local.getUi(key);
      },
    };
    const { store } = bench('a1', {}, slow);
    store.showList(true);
    store.memory.flush();
    answer(false);
    await new Promise((resolve) => setTimeout(resolve));
    expect(await local.getUi(`graph:${ID}`)).toEqual(stored);
    store.memory.set({ sort: 'name' });
    store.memory.flush();
    answer(true);
    await expect.poll(() => local.getUi(`graph:${ID}`)).toMatchObject({ ...stored, showsList: true, sort: 'name' });
  });

  it('of a file is asked for by the names of who knows them, also where the graph was open before its pane', async () => {
    const local = createMemoryStore();
    await local.putUi(`graph:${ID}`, { filter: 'files', file: 'src/a.ts' });
    const { store, asked } = bench('a3', {}, local);
    const opened = store.open();
    const changed = { file: '/ws/src/a.ts', changed: true as const, callId: 'c' };
    asked[0]!.answer(...chain(4).map((row) => (row.id === 'a1' ? { ...row, ...changed } : row)));
    await opened;
    store.setFacts({ ...store.facts, fileName: (raw) => raw.replace('/ws/', '') });
    await store.open('rail');
    expect(store.graph.rail.rows.map(({ node }) => node.contentId)).toEqual(['u1', 'u3']);
  });
});
