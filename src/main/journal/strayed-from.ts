import type { SessionTree } from '@shared/session/tree';

/**
 * Where the leaf belongs after records from `seq` on were read that somebody else wrote; null: where it is. What they say elsewhere than
 * behind our leaf must not take the conversation away from the person: neither what follows no entry of the file, nor a branch.
 * @param leaf where it was before they were read; null: nobody had it open
 */
export function leafBeforeStray(tree: SessionTree, seq: number, leaf: string | null): string | null {
  const path = tree.pathTo(tree.leafId);
  const [root] = path;
  if (root && root.seq >= seq && root.facts.parentId !== null) return tree.copyUpTo(root.seq).leafId;
  return leaf === null || path.some(({ id }) => id === leaf) ? null : leaf;
}

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
