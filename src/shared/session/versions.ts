import { isShown } from './facts';
import type { SessionTree } from './tree';
import type { TreeNode } from './tree-node';

/** One version of what stands at a fork (the arrows of the transcript): the entry and the newest leaf below it. */
export interface BranchVersion {
  entryId: string;
  leafId: string;
}

/**
 * The versions beside an entry, in order, each with the newest leaf below it; none for an unknown id and a
 * side record. O(entries below).
 */
export function versionsAt(tree: SessionTree, entryId: string): BranchVersion[] {
  if (tree.node(entryId)?.facts.side) return [];
  return tree.siblings(entryId).ids.flatMap((id) => {
    const node = tree.node(id);
    return node ? [{ entryId: id, leafId: newestLeafBelow(tree, node).id }] : [];
  });
}

/**
 * Where a branch was left last: its newest shown entry with the choices made there since. What is hidden below it is not looked at.
 */
export function newestLeafBelow(tree: SessionTree, top: TreeNode): TreeNode {
  const steps = newestLeafInSteps(tree, top);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Entries that are looked at in one go: some milliseconds. */
const STEP = 4_000;

/** The same, in steps between which other work may go on; what is appended meanwhile may or may not be seen. */
export function* newestLeafInSteps(tree: SessionTree, top: TreeNode): Generator<undefined, TreeNode, void> {
  let newest = top;
  let seen = 0;
  const open = [top];
  for (let node = open.pop(); node; node = open.pop()) {
    seen += 1;
    if (seen % STEP === 0) yield;
    if (isShown(node.facts) && node.seq > newest.seq) newest = node;
    for (const child of node.children) if (child.shows && !tree.archived.has(child.id)) open.push(child);
  }
  for (;;) {
    const choices = newest.children.filter((it) => !it.facts.side && !it.shows && !tree.archived.has(it.id));
    const next = choices.reduce<TreeNode | null>((last, it) => (last && last.seq > it.seq ? last : it), null);
    if (!next) return newest;
    newest = next;
  }
}
