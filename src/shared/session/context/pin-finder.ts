import { removes, type ViewEdit } from '../messages/view-edits';
import { textOf } from '../records/message-text';
import type { TreeNode } from '../records/tree-node';
import type { SessionTree } from '../tree/tree';

/** What is known of an entry, by its place in file order. */
const ON_PATH = 1;
const PINNED = 2;
/** It is kept word for word though nobody pinned it (PN4). */
const KEPT = 4;
/** A summary's region that was found before has it. */
const SEEN = 8;

/**
 * Finds the pinned entries of a path, and of the branches that its summaries cover (PN2). Each is found once, at the first place that
 * covers it. Over dense arrays, as the rest of a plan: a long path with one pin would cost a hundred times what it costs without.
 */
export class PinFinder {
  private readonly bits: Uint8Array;

  /** O(path + pins), without looking at a node of the path. */
  constructor(
    private readonly tree: SessionTree,
    leaf: TreeNode,
    pins: ReadonlySet<string>,
    edits: ReadonlyMap<string, ViewEdit> | null,
  ) {
    this.bits = tree.spine.bitsOfPath(leaf, ON_PATH);
    for (const id of pins) {
      const node = tree.node(id);
      if (node?.facts.visible && !removes(edits?.get(id))) this.mark(node, PINNED);
    }
  }

  /** Whether an entry is on the path. */
  isOnPath(node: TreeNode): boolean {
    return this.has(node, ON_PATH);
  }

  /**
   * Pinned entries of the path from one up to an ancestor (exclusive; null: to the root), those of branch summaries there included; in
   * path order.
   * @param kept entries there that count as pinned
   */
  between(from: TreeNode | null, stop: TreeNode | null, kept: readonly TreeNode[]): TreeNode[] {
    const { spine } = this.tree;
    for (const node of kept) this.mark(node, KEPT);
    const places: number[] = [];
    spine.visible(from, stop, places);
    const found: TreeNode[] = [];
    for (let at = places.length - 1; at >= 0; at--) {
      const place = places[at] as number;
      const isWanted = ((this.bits[place] as number) & (PINNED | KEPT)) !== 0;
      if (!isWanted && !spine.isSummary(place)) continue;
      const node = spine.nodeAt(place);
      if (isWanted) found.push(node);
      if (isBranchSummary(node)) for (const pinned of this.inRegionOf(node)) found.push(pinned);
    }
    return found;
  }

  /**
   * Pinned entries of the region that a branch summary covers, oldest first; what a summary within that region covers follows
   * that summary.
   */
  inRegionOf(summary: TreeNode): TreeNode[] {
    const found: TreeNode[] = [];
    const open = [this.regionOf(summary)];
    for (let region = open.at(-1); region; region = open.at(-1)) {
      const node = region.pop();
      if (!node) {
        open.pop();
        continue;
      }
      if (this.has(node, PINNED)) found.push(node);
      if (isBranchSummary(node)) open.push(this.regionOf(node));
    }
    return found;
  }

  /** The entries from the abandoned leaf up to the path or to what was found already, newest first. */
  private regionOf(summary: TreeNode): TreeNode[] {
    const region: TreeNode[] = [];
    for (let node = this.abandonedLeaf(summary); node; node = node.parent) {
      if (this.has(node, ON_PATH | SEEN)) break;
      this.mark(node, SEEN);
      region.push(node);
    }
    return region;
  }

  private abandonedLeaf(summary: TreeNode): TreeNode | null {
    return this.tree.node(textOf((summary.body as { fromId?: unknown } | undefined)?.fromId)) ?? null;
  }

  private mark({ index }: TreeNode, bit: number): void {
    this.bits[index] = (this.bits[index] as number) | bit;
  }

  /** Whether an entry has any of these bits. */
  private has({ index }: TreeNode, bits: number): boolean {
    return ((this.bits[index] as number) & bits) !== 0;
  }
}

function isBranchSummary(node: TreeNode): boolean {
  return node.facts.type === 'branch_summary' && node.facts.visible;
}
