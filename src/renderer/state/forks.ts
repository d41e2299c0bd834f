/** Which sessions were forked from which, as far as both are here (GR18). */
import { own } from '@shared/checks';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { Branch, BranchList } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import type { SessionSummary } from '@shared/types';
import type { GraphStore } from './graph-store';

type Sessions = Readonly<Record<string, SessionSummary>>;

const NO_FORKS: readonly SessionSummary[] = [];

/** The forks of a session, newest first. O(sessions). */
export function forksOf(sessions: Sessions, sessionId: string): readonly SessionSummary[] {
  const forks = Object.values(sessions).filter(({ fork }) => fork?.of === sessionId);
  return forks.length === 0 ? NO_FORKS : forks.sort((a, b) => b.createdAt - a.createdAt);
}

/** Those that were made from a turn of a branch. */
export function forksFrom(
  forks: readonly SessionSummary[],
  graph: BranchGraph,
  branch: Branch,
  list: BranchList,
): readonly SessionSummary[] {
  if (forks.length === 0) return NO_FORKS;
  const found = forks.filter((summary) => {
    const node = nodeOf(graph, summary);
    return node !== null && list.of(node) === branch;
  });
  return found.length === 0 ? NO_FORKS : found;
}

/** What a turn leads to in other sessions. */
export interface ForkLink {
  /** Made from it, newest first. */
  forks: readonly SessionSummary[];
  /** What this session was forked from, where the turn is the last that both have; a name alone where that is gone. */
  source: SessionSummary | { gone: string } | null;
}

/** The turns that lead to other sessions. O(sessions) once, and when one of them or the graph has changed. */
export function createForkLinks(sessionId: string, store: GraphStore): ForkLinks {
  let made: { of: readonly unknown[]; links: ReadonlyMap<TurnNode, ForkLink> } = { of: [], links: new Map() };
  return (sessions) => {
    const of = [sessions, store.graph, store.state.getState().version];
    if (of.some((value, at) => value !== made.of[at])) made = { of, links: linksIn(store.graph, sessions, sessionId) };
    return made.links;
  };
}
export type ForkLinks = (sessions: Sessions) => ReadonlyMap<TurnNode, ForkLink>;

function linksIn(graph: BranchGraph, sessions: Sessions, sessionId: string): ReadonlyMap<TurnNode, ForkLink> {
  const links = new Map<TurnNode, ForkLink>();
  for (const fork of forksOf(sessions, sessionId)) {
    const node = nodeOf(graph, fork);
    if (node) links.set(node, { forks: [...(links.get(node)?.forks ?? []), fork], source: null });
  }
  const here = own(sessions, sessionId);
  const node = here && nodeOf(graph, here);
  if (here?.fork && node) {
    const source = own(sessions, here.fork.of) ?? { gone: here.fork.title };
    links.set(node, { forks: links.get(node)?.forks ?? [], source });
  }
  return links;
}

/** The turn at which a fork was made: its entries are the same in both. */
function nodeOf({ turns }: BranchGraph, { fork }: SessionSummary): TurnNode | null {
  return fork?.at === undefined ? null : (turns.place(fork.at)?.node ?? null);
}
