import { EntryNotFoundError } from '../records/entry';
import { isShown } from '../records/facts';
import type { Second } from '../records/records';
import type { TreeNode } from '../records/tree-node';
import type { SessionTree } from './tree';

/** Where going to an entry leads (BR1). */
interface Destination {
  /** null: before the first entry. */
  leafId: string | null;
  /** The message whose text returns to the composer. */
  editorEntryId: string | null;
}

/**
 * The leaf that going to a target gives: what a person or an extension said is taken back to be said again, so its parent; anything else itself.
 * A side record stands for the entry that it hangs at.
 * @param exact the target itself becomes the leaf, whatever it is
 * @throws EntryNotFoundError
 */
export function destinationOf(tree: SessionTree, targetId: string | null, exact = false): Destination {
  if (targetId === null) return { leafId: null, editorEntryId: null };
  const target = tree.node(targetId);
  if (!target) throw new EntryNotFoundError(targetId);
  const isSaid = isSaidAgain(target);
  if (exact || !isSaid) return { leafId: pathIdAt(target), editorEntryId: null };
  return { leafId: pathIdAt(target.parent), editorEntryId: targetId };
}

/** Whether going to a target leads nowhere: it is the leaf, and nothing is taken back of it. @throws EntryNotFoundError */
export function isAlreadyAt(tree: SessionTree, targetId: string | null, exact = false): boolean {
  return targetId === tree.leafId && destinationOf(tree, targetId, exact).editorEntryId === null;
}

/** The nearest path entry at or above a node. */
export function pathIdAt(node: TreeNode | null): string | null {
  let at = node;
  while (at?.facts.side) at = at.parent;
  return at ? at.id : null;
}

function isSaidAgain({ facts: { type, role } }: TreeNode): boolean {
  return type === 'custom_message' || (type === 'message' && role === 'user');
}

/**
 * Whether the leaf stands right behind a branch summary at a target, with nothing said since: a branch that was to begin there with a
 * summary of what was left has got that far already, in a process that died, or by the person's own way (BR4).
 */
export function standsBehindSummary(tree: SessionTree, targetId: string | null): boolean {
  let at = tree.leafId === null ? null : (tree.node(tree.leafId) ?? null);
  // Choices of model and level say nothing.
  while (at && !isShown(at.facts) && at.facts.type !== 'branch_summary') at = at.parent;
  if (at?.facts.type !== 'branch_summary' || !at.facts.visible) return false;
  const target = targetId === null ? null : (tree.node(targetId) ?? undefined);
  return target !== undefined && pathIdAt(at.parent) === pathIdAt(target);
}

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

/**
 * Second records (`Seconds`) by the path entry behind which they are shown, each list in file order; null: before the first.
 * O(second records).
 */
export function secondPlaces(tree: SessionTree): ReadonlyMap<string | null, readonly TreeNode[]> {
  const places = new Map<string | null, TreeNode[]>();
  for (const second of tree.seconds.all()) {
    const place = placeOf(tree, second);
    const list = places.get(place);
    if (list) list.push(second.node);
    else places.set(place, [second.node]);
  }
  return places;
}

/** Beside the first where both follow the same entry, else behind what it follows itself. */
function placeOf(tree: SessionTree, { id, parentId }: Second): string | null {
  const first = tree.node(id) ?? null;
  const parent = parentId === null || parentId === id ? null : (tree.node(parentId) ?? null);
  if (first && !first.facts.side && (parent === null || first.parent === parent)) return first.id;
  return pathIdAt(parent ?? first);
}
