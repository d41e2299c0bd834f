import type { TurnNode } from './turns';

export const GRAPH_FILTERS = ['all', 'noTools', 'user', 'labelled', 'errors', 'compactions', 'files'] as const;
export type GraphFilter = (typeof GRAPH_FILTERS)[number];

/** Filters that leave few turns: what they find is shown in closed branches too. The others only thin out what is there. */
const FINDS: ReadonlySet<GraphFilter> = new Set<GraphFilter>(['labelled', 'errors', 'compactions', 'files']);

export const finds = (filter: GraphFilter): boolean => FINDS.has(filter);

/** A turn in which something went wrong: its last reply, or a tool. What the person stopped is no error (GR20). */
export const isError = (node: TurnNode): boolean => node.failed || node.failedTools > 0;

/** Whether a filter leaves a turn on the graph and in the outline (GR20). `files`: only turns that made one of these calls; null: any change. */
export function matches(
  node: TurnNode,
  filter: GraphFilter,
  isLabelled: boolean,
  calls: ReadonlySet<string> | null,
): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'noTools':
      return node.kind !== 'bash' && node.kind !== 'start';
    case 'user':
      return node.kind === 'turn';
    case 'labelled':
      return isLabelled;
    case 'errors':
      return isError(node);
    case 'compactions':
      return node.kind === 'compaction' || node.kind === 'summary';
    case 'files':
      return calls ? node.changes.some((call) => calls.has(call)) : node.changes.length > 0;
  }
}
