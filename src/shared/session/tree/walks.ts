import { isVersion } from '../records/facts';
import { textOf } from '../records/message-text';
import { dataOf, type TreeNode } from '../records/tree-node';
import { copyPairsOf } from './annotations';

/** Forgets what is known of the paths through a node. Below a node without state nothing is known, so the walk ends there. */
export function forgetStates(node: TreeNode): void {
  const stack = [node];
  for (let at = stack.pop(); at; at = stack.pop()) {
    if (!at.state) continue;
    at.state = null;
    for (const child of at.children) stack.push(child);
  }
}

/** Root above a node; walked nodes remember it, so that all links of a file together cost O(entries). */
export function findRoot(start: TreeNode, hints: Map<TreeNode, TreeNode>): TreeNode {
  const trail: TreeNode[] = [];
  let node = start;
  for (let up = hints.get(node) ?? node.parent; up; up = hints.get(node) ?? node.parent) {
    trail.push(node);
    node = up;
  }
  for (const walked of trail) hints.set(walked, node);
  return node;
}

/** Notes on the way up that something below is shown. O(1) on average: nobody is noted twice. */
export function markShown(node: TreeNode | null): void {
  for (let at = node; at && !at.shows; at = at.parent) at.shows = true;
}

/**
 * The versions of what an entry is: shown entries that follow the same shown entry, with nothing shown between. Choices of model or
 * level, compactions and side records in between are no versions and hide none, so that a question that was asked again with another
 * model stands beside the first one. In order; only the entry itself if it is none. O(entries between and beside).
 * @param roots of the tree, for what follows nothing
 * @param archived hidden branches, left out unless the entry is on one
 */
export function siblingsOf(
  node: TreeNode,
  roots: () => readonly TreeNode[],
  archived: ReadonlySet<string>,
): readonly TreeNode[] {
  if (!isVersion(node.facts)) return [node];
  const own = new Set([node]);
  let top = node.parent;
  for (; top && !isVersion(top.facts); top = top.parent) own.add(top);
  const open = [...(top ? top.children : roots())].reverse();
  const found: TreeNode[] = [];
  for (let at = open.pop(); at; at = open.pop()) {
    if (!at.shows || (archived.has(at.id) && !own.has(at))) continue;
    if (isVersion(at.facts)) found.push(at);
    else open.push(...[...at.children].reverse());
  }
  return found;
}

/**
 * The leaf of a file (SF20): the last entry; while that is a side record, its parent; if that is missing, the last
 * path entry. A rebase whose batch was cut off by a crash does not count: the leaf is where its record hangs.
 */
export function leafAfterLoad(
  order: readonly TreeNode[],
  isKnown: (id: string) => boolean,
  latestRebase: TreeNode | null,
): string | null {
  const last = order.at(-1);
  if (!last) return null;
  const torn = latestRebase !== null && isTornBatch(order, isKnown, latestRebase);
  let node: TreeNode = torn ? latestRebase : last;
  while (node.facts.side) {
    if (node.facts.parentId === null) return null;
    if (!node.parent) return lastPathEntry(order);
    node = node.parent;
  }
  return node.id;
}

function lastPathEntry(order: readonly TreeNode[]): string | null {
  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i];
    if (node && !node.facts.side) return node.id;
  }
  return null;
}

function isTornBatch(order: readonly TreeNode[], isKnown: (id: string) => boolean, rebase: TreeNode): boolean {
  const data = dataOf(rebase.body);
  const batch = new Set(copyPairsOf(data.copies).map(([, newId]) => newId));
  if ([...batch].every(isKnown)) return false;
  if (typeof data.replacedBy === 'string') batch.add(data.replacedBy);
  // What names no entry has an empty target, and is not a part of any batch.
  batch.delete('');
  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i] as TreeNode;
    if (node === rebase) return true;
    if (!batch.has(node.id) && !batch.has(targetOf(node))) return false;
  }
  return false;
}

/** The entry that a label, pin or archive record speaks of. */
function targetOf(node: TreeNode): string {
  if (!node.facts.side) return '';
  if (node.facts.type === 'label') return textOf((node.body as { targetId?: unknown } | undefined)?.targetId);
  return textOf(dataOf(node.body).targetId);
}

/** The entries of a file by time, none before the one that it follows. */
export function inTime(order: readonly TreeNode[]): TreeNode[] {
  const timeOf = ({ facts }: TreeNode): number =>
    Number.isNaN(facts.timestampMs) ? Number.POSITIVE_INFINITY : facts.timestampMs;
  const done = new Set<TreeNode>();
  const ordered: TreeNode[] = [];
  for (const node of [...order].sort((a, b) => (timeOf(a) === timeOf(b) ? a.seq - b.seq : timeOf(a) - timeOf(b)))) {
    const chain: TreeNode[] = [];
    for (let at: TreeNode | null = node; at && !done.has(at); at = at.parent) {
      done.add(at);
      chain.push(at);
    }
    for (let at = chain.pop(); at; at = chain.pop()) ordered.push(at);
  }
  return ordered;
}
