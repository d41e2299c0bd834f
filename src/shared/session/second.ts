import { factsOf, type EntryFacts } from './facts';
import { OPAQUE_TYPE } from './opaque';
import { TreeNode } from './tree-node';

const PREFIX = 'espalier.second:';

/** True for a name that `Seconds` gives: no record of a file has it as its id (`parseRecord`), and none is written with it. */
export function isSecondKey(id: string): boolean {
  return id.startsWith(PREFIX);
}

export interface Second {
  readonly node: TreeNode;
  /** The id that it has in the file. */
  readonly id: string;
  readonly parentId: string | null;
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

  /** In file order. */
  all(): Iterable<Second> {
    return this.byKey.values();
  }
}
