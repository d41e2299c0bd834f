import type { CustomEntry } from './entry';
import type { TreeNode } from './tree-node';

/** `espalier.request` records by the entry that they hang at, in file order (SF11). */
export class RequestIndex {
  private readonly byParent = new Map<TreeNode | null, TreeNode[]>();

  add(request: TreeNode): void {
    const list = this.byParent.get(request.parent);
    if (list) list.push(request);
    else this.byParent.set(request.parent, [request]);
  }

  has(parent: TreeNode): boolean {
    return this.byParent.has(parent);
  }

  /**
   * The latest request before a file position at the nearest place that has one.
   * @param nearest the node at or above the asked one that has requests
   * @param nearestAt the same for any node
   */
  inForce(nearest: TreeNode | null, nearestAt: (node: TreeNode) => TreeNode | null, asOf: number): CustomEntry | null {
    let node = nearest;
    while (node) {
      const found = latestBefore(this.byParent.get(node), asOf);
      if (found) return found.body as CustomEntry;
      node = node.parent ? nearestAt(node.parent) : null;
    }
    const first = latestBefore(this.byParent.get(null), asOf);
    return first ? (first.body as CustomEntry) : null;
  }
}

/** The last of some records in file order that lies before a file position. */
function latestBefore(records: readonly TreeNode[] | undefined, seq: number): TreeNode | undefined {
  if (!records) return undefined;
  for (let i = records.length - 1; i >= 0; i--) {
    const record = records[i];
    if (record && record.seq < seq) return record;
  }
  return undefined;
}
