/** Which sessions were forked from which, as far as both are here (GR18). */
import { own } from '@shared/checks';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { Branch, BranchList } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import type { SessionSummary } from '@shared/types';
import type { App } from './app-type';

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

/** The newest fork that was made at a turn; undefined: there is none. */
export function forkAt(app: App, sessionId: string, node: TurnNode): SessionSummary | undefined {
  const { graph } = app.openSession(sessionId).graph;
  return forksOf(app.sessions.getState().byId, sessionId).find((summary) => nodeOf(graph, summary) === node);
}

/** What a session was forked from, where a turn of it is the last that both have; undefined: it is not, or that is gone. */
export function sourceAt(app: App, sessionId: string, node: TurnNode): SessionSummary | undefined {
  const { byId } = app.sessions.getState();
  const summary = own(byId, sessionId);
  if (!summary?.fork || nodeOf(app.openSession(sessionId).graph.graph, summary) !== node) return undefined;
  return own(byId, summary.fork.of);
}

/** The turn at which a fork was made: its entries are the same in both. */
function nodeOf({ turns }: BranchGraph, { fork }: SessionSummary): TurnNode | null {
  return fork?.at === undefined ? null : (turns.place(fork.at)?.node ?? null);
}
