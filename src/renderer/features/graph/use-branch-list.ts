/** The branches of a session as the list shows them (GR17): computed, named, sorted, filtered. */
import { useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { type Branch, type BranchList, listBranches, sortBranches, type BranchSort } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import { nameOfBranch, namingTurn, type ShownName, wordsEntry, wordsOf } from '../../state/branch-names';
import { useLive, useSummary, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { titleOf } from '../../state/sessions-store';
import { useGraph, useGraphState } from './context';

/** Bodies asked for at once where every name is needed. */
const BATCH = 200;
/** More branches than these are named by their words only as they come into view. */
const MAX_NAMED = 5000;

export interface ShownBranches {
  list: BranchList;
  /** As sorted, those of the filter alone. */
  rows: readonly Branch[];
  /** How many of them are hidden: they stand last. */
  hidden: number;
  nameFor: (branch: Branch) => ShownName;
  /** US dollars of what is in no branch: titles, discarded drafts, reports. */
  other: number;
}

/** `filter`: words of a name, case aside. */
export function useBranchList(sort: BranchSort, filter: string): ShownBranches {
  const { store, session } = useGraph();
  const version = useDeferredValue(useGraphState((state) => state.version));
  const entries = useView(session, (view) => view.entriesVersion);
  const names = useLive(session, (live) => live.names);
  const cost = useLive(session, (live) => live.usage?.cost ?? 0);
  const summary = useSummary(session.id);
  const title = summary ? titleOf(summary) : '';
  const list = useMemo(
    // The graph is one object that grows.
    () => (version >= 0 ? listBranches(store.graph, store.graph.order) : NO_BRANCHES),
    [store, version],
  );
  const nameFor = useNames(session, title, list.head, [names, list, entries]);
  const wanted = filter.trim().toLowerCase();
  useAllWords(session, list, wanted !== '' || sort === 'name');
  const rows = useMemo(() => {
    const isWanted = (branch: Branch): boolean => nameFor(branch).text.toLowerCase().includes(wanted);
    const found = wanted === '' ? list.branches : list.branches.filter(isWanted);
    return sortBranches(found, sort, (branch) => nameFor(branch).text);
  }, [list, sort, wanted, nameFor]);
  const hidden = useMemo(() => rows.filter(({ state }) => state === 'hidden').length, [rows]);
  return { list, rows, hidden, nameFor, other: otherCost(cost, list.sum.cost) };
}

const NO_BRANCHES: BranchList = {
  branches: [],
  sum: { turns: 0, tokens: 0, cost: 0 },
  head: null,
  of: () => {
    throw new Error('An empty list has no branches.');
  },
};

/** Below this it is the rounding of sums. US dollars. */
const LEAST = 1e-7;

function otherCost(session: number, branches: number): number {
  return session - branches > LEAST ? session - branches : 0;
}

/** Names by branch. First words are kept as long as their turn: bodies leave the cache, and to find the words of thousands takes its time. */
function useNames(
  session: OpenSession,
  title: string,
  head: TurnNode | null,
  inputs: readonly unknown[],
): (branch: Branch) => ShownName {
  const words = useRef(new WeakMap<TurnNode, string>());
  return useMemo(() => {
    const known = new Map<string, ShownName>();
    const wordsFor = (first: TurnNode): string => {
      const turn = namingTurn(first);
      const held = words.current.get(turn);
      if (held !== undefined) return held;
      const found = wordsOf(session, turn);
      if (found !== '…') words.current.set(turn, found);
      return found;
    };
    return (branch: Branch): ShownName => {
      const held = known.get(branch.id);
      if (held) return held;
      // The graph may be further than the list.
      const name = nameOfBranch(session, title, branch, head, wordsFor);
      known.set(branch.id, name);
      return name;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- what names are made of
  }, [session, title, head, ...inputs]);
}

/** Brings the first words of all branches into memory, part by part, where all of them are needed. */
function useAllWords(session: OpenSession, list: BranchList, isNeeded: boolean): void {
  const asked = useRef(new Set<string>());
  useEffect(() => {
    if (!isNeeded) return;
    let isOver = false;
    void (async () => {
      const ids = list.branches.slice(0, MAX_NAMED).flatMap(({ first }) => wordsEntry(namingTurn(first)) ?? []);
      const missing = ids.filter((id) => !asked.current.has(id) && !session.entry(id));
      for (let at = 0; at < missing.length && !isOver; at += BATCH) {
        const batch = missing.slice(at, at + BATCH);
        for (const id of batch) asked.current.add(id);
        await session.loadEntries(batch);
      }
    })();
    return () => {
      isOver = true;
    };
  }, [session, list, isNeeded]);
}

/** Brings the first words of some branches into memory. */
export function useWords(session: OpenSession, shown: readonly Branch[]): void {
  const ids = shown.flatMap(({ first }) => wordsEntry(namingTurn(first)) ?? []);
  const key = ids.join();
  const latest = useRef(ids);
  useEffect(() => {
    latest.current = ids;
  });
  useEffect(() => void session.loadEntries(latest.current), [session, key]);
}
