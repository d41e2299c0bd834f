import type { ContextSize } from '../agent/session-context';
import type { SessionLog } from '../ports';
import { isRecord } from '@shared/checks';
import { MIN_SUMMARY_TOKENS } from '@shared/compaction/plan';
import { itemOf, planContext, viewEditsAt } from '@shared/session/context/context-plan';
import { totalsOf } from '@shared/session/messages/plan-item';
import { removes } from '@shared/session/messages/view-edits';
import type { CompactionEntry } from '@shared/session/records/entry';
import type { TreeNode } from '@shared/session/records/tree-node';
import { isCopied } from '@shared/session/tree/rebase';
import type { SessionTree } from '@shared/session/tree/tree';

/** The compaction in force, if it made the context larger by more than every plan counts for a summary (SU41, TG6). */
export function compactionThatGrew(tree: SessionTree): TreeNode | null {
  const leaf = tree.leafId === null ? undefined : tree.node(tree.leafId);
  const compaction = leaf ? tree.stateOf(leaf).compaction : null;
  const body = compaction?.body as CompactionEntry | undefined;
  const details: unknown = body?.details;
  const after = isRecord(details) && isRecord(details.espalier) ? details.espalier.tokensAfter : undefined;
  if (typeof after !== 'number' || typeof body?.tokensBefore !== 'number') return null;
  return compaction && after > body.tokensBefore + MIN_SUMMARY_TOKENS ? compaction : null;
}

/** What came after a compaction that is made again: it follows the new one. Calibrated tokens. O(context). */
export function sinceTokens({ tree }: SessionLog, old: TreeNode, ratio: number): number {
  const items = planContext(tree, tree.leafId).items.filter(
    ({ node, kind }) => kind !== 'pins' && node.depth > old.depth,
  );
  return Math.ceil(ratio * totalsOf(items).raw);
}

/** What the context would come to without a compaction of the path: its originals and all that came after it, tokens (UN7). O(path). */
export function tokensWithout(tree: SessionTree, { parent }: TreeNode, size: ContextSize): number {
  const path = tree.pathTo(tree.leafId);
  const leaf = path.at(-1);
  const edits = leaf ? viewEditsAt(tree, leaf) : null;
  const items = planContext(tree, parent ? parent.id : null).items.slice();
  for (const node of path.slice(parent ? parent.depth + 2 : 1).filter(isCopied)) {
    const item = itemOf(node);
    const edit = edits?.get(node.id);
    if (item && !removes(edit)) items.push({ ...item, edit });
  }
  return Math.ceil(size.ratio * (size.overhead + totalsOf(items).raw));
}
