import type { SessionTree } from '@shared/session/tree';

/**
 * How many messages a session has from record `seq` on, if the first of them hangs neither at the leaf of what comes before nor at the
 * record before it. Ours always do: who says something elsewhere has moved the leaf first, and that is a record.
 */
export function strayedFrom(tree: SessionTree, seq: number): number {
  const nodes = tree.entriesInOrder();
  const at = nodes.findIndex((node) => node.seq >= seq);
  const first = nodes[at];
  if (first?.facts.type !== 'message' || at === 0) return 0;
  const { parentId } = first.facts;
  if (parentId === nodes[at - 1]?.id || parentId === tree.copyUpTo(seq).leafId) return 0;
  return nodes.slice(at).filter(({ facts }) => facts.type === 'message').length;
}
