import { pathIdAt } from './destination';
import { factsOf, type EntryFacts } from './facts';
import { OPAQUE_TYPE } from './opaque';
import type { SessionTree } from './tree';
import { TreeNode } from './tree-node';

const PREFIX = 'espalier.second:';

/** True for a name that `Seconds` gives: no record of a file has it as its id (`parseRecord`), and none is written with it. */
export function isSecondKey(id: string): boolean {
  return id.startsWith(PREFIX);
}

interface Second {
  node: TreeNode;
  /** The id that it has in the file. */
  id: string;
  parentId: string | null;
}

/**
 * Records with the id of an earlier one that say something else (SF18). They are no entries of the tree: what names the id means
 * the first, and nothing hangs at them. Each has a name of its own, made of its record number, by which its row and its text are
 * found.
 */
export class Seconds {
  private readonly byKey = new Map<string, Second>();

  add({ id, parentId, timestampMs }: EntryFacts, seq: number): void {
    const key = PREFIX + String(seq);
    const facts = factsOf({ type: OPAQUE_TYPE, id: key, parentId: null, timestamp: '', side: false, flaw: '' });
    this.byKey.set(key, { node: new TreeNode({ ...facts, timestampMs }, seq, -1), id, parentId });
  }

  node(key: string): TreeNode | undefined {
    return this.byKey.get(key)?.node;
  }

  /** By the path entry behind which they are shown, in file order; null: before the first. O(of them). */
  byPlace(tree: SessionTree): ReadonlyMap<string | null, readonly TreeNode[]> {
    const places = new Map<string | null, TreeNode[]>();
    for (const second of this.byKey.values()) {
      const place = placeOf(tree, second);
      const list = places.get(place);
      if (list) list.push(second.node);
      else places.set(place, [second.node]);
    }
    return places;
  }
}

/** Beside the first where both follow the same entry, else behind what it follows itself. */
function placeOf(tree: SessionTree, { id, parentId }: Second): string | null {
  const first = tree.node(id) ?? null;
  const parent = parentId === null || parentId === id ? null : (tree.node(parentId) ?? null);
  if (first && !first.facts.side && (parent === null || first.parent === parent)) return first.id;
  return pathIdAt(parent ?? first);
}
