import { textOf } from '@shared/session/records/message-text';
import type { SessionTree } from '@shared/session/tree/tree';
import type { TreeNode } from '@shared/session/records/tree-node';
import { removes, type ViewEdit } from '@shared/session/messages/view-edits';

/** The pinned entries of a path (PN2), found by a walk over the nodes themselves. */
export class PinSearch {
  private readonly onPath: Set<TreeNode>;
  private readonly seen = new Set<TreeNode>();

  constructor(
    private readonly tree: SessionTree,
    private readonly path: readonly TreeNode[],
    private readonly pins: ReadonlySet<string>,
    private readonly edits: ReadonlyMap<string, ViewEdit> | null,
  ) {
    this.onPath = new Set(path);
  }

  /**
   * Pinned entries of path positions [start, end), those of branch summaries there included; path order.
   * @param kept entries of the path that count as pinned there
   */
  inRange(start: number, end: number, kept: ReadonlySet<TreeNode>): TreeNode[] {
    const found: TreeNode[] = [];
    for (const node of this.path.slice(start, end)) {
      if (kept.has(node) || this.isPinned(node)) found.push(node);
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
      if (this.isPinned(node)) found.push(node);
      if (isBranchSummary(node)) open.push(this.regionOf(node));
    }
    return found;
  }

  /** The entries from the abandoned leaf up to the path or to what was found already, newest first. */
  private regionOf(summary: TreeNode): TreeNode[] {
    const region: TreeNode[] = [];
    for (let node = this.abandonedLeaf(summary); node; node = node.parent) {
      if (this.onPath.has(node) || this.seen.has(node)) break;
      this.seen.add(node);
      region.push(node);
    }
    return region;
  }

  private isPinned(node: TreeNode): boolean {
    return this.pins.has(node.id) && node.facts.visible && !removes(this.edits?.get(node.id));
  }

  private abandonedLeaf(summary: TreeNode): TreeNode | null {
    return this.tree.node(textOf((summary.body as { fromId?: unknown } | undefined)?.fromId)) ?? null;
  }
}

function isBranchSummary(node: TreeNode): boolean {
  return node.facts.type === 'branch_summary' && node.facts.visible;
}
