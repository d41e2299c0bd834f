import type { ContextPlan } from './context-plan';
import type { SessionTree } from './tree';

/**
 * From which entry of the path on the model sees it word for word, null: from its beginning; and which messages above it follow the
 * summary in full (PN2, PN4). O(context), O(path) where something is repeated.
 */
export function seenFromOf(tree: SessionTree, plan: ContextPlan): { seenFrom: string | null; repeated: string[] } {
  const { compaction, items } = plan;
  const { pinned } = items.find(({ kind, sourceId }) => kind === 'pins' && sourceId === compaction?.id) ?? {};
  // Those of a branch that a summary covers stand in no row of the path.
  const onPath = pinned && compaction ? tree.spine.bitsOfPath(compaction, 1) : null;
  const kept = compaction && items.find(({ kind, node }) => kind !== 'pins' && node.depth < compaction.depth);
  return {
    seenFrom: compaction && (kept ?? { sourceId: compaction.id }).sourceId,
    repeated: (pinned ?? []).flatMap((node) => (onPath?.[node.index] === 1 ? node.id : [])),
  };
}
