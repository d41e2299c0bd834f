import { isMark, type TurnNode } from './turns';

export const GRAPH_FILTERS = ['all', 'noTools', 'user', 'labelled', 'errors', 'compactions', 'files'] as const;
export type GraphFilter = (typeof GRAPH_FILTERS)[number];

/** Filters that leave few turns: what they find is shown in closed branches too. The others only thin out what is there. */
const FINDS: ReadonlySet<GraphFilter> = new Set<GraphFilter>(['labelled', 'errors', 'compactions', 'files']);

export const finds = (filter: GraphFilter): boolean => FINDS.has(filter);

/** A turn in which something went wrong: its last reply, or a tool. What the person stopped is no error (GR20). */
export const isError = (node: TurnNode): boolean => node.failed || node.errors.size > 0;

/** Whether a filter leaves a turn on the graph and in the outline (GR20). `files`: which file; null: any. */
export function matches(
  node: TurnNode,
  filter: GraphFilter,
  isLabelled: boolean,
  isOfFile: ((node: TurnNode) => boolean) | null,
): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'noTools':
      return node.kind !== 'start' && !isToolsOnly(node);
    case 'user':
      return node.kind === 'turn';
    case 'labelled':
      return isLabelled;
    case 'errors':
      return isError(node);
    case 'compactions':
      return isMark(node);
    case 'files':
      return isOfFile ? isOfFile(node) : node.changes.length > 0;
  }
}

/** A command of the person, or a turn in which the model called tools and said nothing (GR20). */
function isToolsOnly({ kind, toolResults, hasWords }: TurnNode): boolean {
  return kind === 'bash' || (toolResults > 0 && !hasWords);
}
