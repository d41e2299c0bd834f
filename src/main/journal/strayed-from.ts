import type { SessionTree } from '@shared/session/tree';

/**
 * Where the leaf lies below an entry from record `seq` on that follows one which is not in the file, the leaf before that entry; else
 * null. Somebody else wrote it, for ours always follow one that is there, and it must not take the conversation away from the person.
 */
export function leafBeforeStray(tree: SessionTree, seq: number): string | null {
  const [root] = tree.pathTo(tree.leafId);
  if (!root || root.seq < seq || root.facts.parentId === null) return null;
  return tree.copyUpTo(root.seq).leafId;
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
