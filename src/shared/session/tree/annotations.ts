import type { CustomEntry, SessionEntry } from '../records/entry';
import type { EntryFacts } from '../records/facts';
import { BRANCH_TYPE, TITLE_TYPE } from '../records/own-entries';
import { textOf } from '../records/message-text';
import { dataOf, type TreeNode } from '../records/tree-node';

/** One undo as the file tells it: a batch of copies, or a leaf that moved (UN2, UN3). */
export interface UndoRecord {
  /** Absent for a leaf move: the compaction is then the entry below `leafId` on the way to `fromLeafId`. */
  compactionId?: string;
  leafId: string | null;
  /** Where the session stood before. */
  fromLeafId: string | null;
  /** Pairs [original id, new id], in path order. */
  copies: readonly [string, string][];
}

/** One pin record in file order. */
interface PinChange {
  seq: number;
  targetId: string;
  pinned: boolean;
}

/** What side records say about entries. The last in file order wins, on every branch (TR11, SF11). */
export class Annotations {
  readonly labels = new Map<string, string>();
  /** Titles of branches by the entry that they begin with; empty: one was asked for in vain. */
  readonly titles = new Map<string, string>();
  /** By message: the branch that it was begun as, or is another version of the beginning of, by the entry of its first version (GR5). */
  readonly begun = new Map<string, string>();
  readonly pins = new Set<string>();
  readonly archived = new Set<string>();
  readonly dismissedFacts = new Set<string>();
  readonly pinChanges: PinChange[] = [];
  /** New id to original id of every copy that a rebase announced (UN1). */
  readonly copies = new Map<string, string>();
  /** Compactions taken back, in file order (UN2). */
  readonly undos: UndoRecord[] = [];
  name: string | undefined;

  /** Takes one record in file order. O(1), a rebase O(copies). */
  add(facts: EntryFacts, entry: SessionEntry | undefined, seq: number): void {
    if (!entry) return;
    if (facts.type === 'label') this.addLabel(entry as { targetId?: unknown; label?: unknown });
    else if (facts.type === 'session_info') {
      this.name = normalizeName(textOf((entry as { name?: unknown }).name)) || undefined;
    } else if (facts.type === 'custom') this.addCustom(facts.customType, dataOf(entry), seq);
  }

  /** Pinned ids as of a file position. */
  pinsAsOf(seq: number): ReadonlySet<string> {
    const last = this.pinChanges.at(-1);
    if (!last || last.seq < seq) return this.pins;
    const pins = new Set<string>();
    for (const change of this.pinChanges) if (change.seq < seq) toggle(pins, change.targetId, change.pinned);
    return pins;
  }

  /** What an entry is a copy of; one that is none is its own. O(copies of it). */
  originalOf(id: string): string {
    let original = id;
    // A file may name copies in a ring.
    const seen = new Set([id]);
    for (let at = this.copies.get(id); at !== undefined && !seen.has(at); at = this.copies.get(at)) {
      seen.add(at);
      original = at;
    }
    return original;
  }

  /** By the entry of its first version, the branch that a message began; of a copy what holds for its original. */
  branchOf(id: string): string | undefined {
    if (this.begun.size === 0) return undefined;
    return this.begun.get(id) ?? this.begun.get(this.originalOf(id));
  }

  private addLabel(entry: { targetId?: unknown; label?: unknown }): void {
    const targetId = textOf(entry.targetId);
    const label = textOf(entry.label).trim();
    if (label === '') this.labels.delete(targetId);
    else this.labels.set(targetId, label);
  }

  private addCustom(customType: string | undefined, data: Record<string, unknown>, seq: number): void {
    const targetId = textOf(data.targetId);
    if (customType === 'espalier.pin') {
      const pinned = data.pinned === true;
      toggle(this.pins, targetId, pinned);
      this.pinChanges.push({ seq, targetId, pinned });
    } else if (customType === 'espalier.archive') toggle(this.archived, targetId, data.archived === true);
    else if (customType === TITLE_TYPE && targetId !== '') this.titles.set(targetId, normalizeName(textOf(data.title)));
    else if (customType === BRANCH_TYPE && targetId !== '')
      this.begun.set(targetId, textOf(data.versionOf) || targetId);
    else if (customType === 'espalier.fact') toggle(this.dismissedFacts, textOf(data.key), data.dismissed === true);
    else if (customType === 'espalier.rebase') {
      const copies = copyPairsOf(data.copies);
      for (const [oldId, newId] of copies) this.copies.set(newId, oldId);
      if (data.op === 'undo') this.addUndo(data, copies, textOf(data.compactionId));
    } else if (customType === 'espalier.leaf' && data.reason === 'undo') this.addUndo(data, []);
  }

  private addUndo(data: Record<string, unknown>, copies: [string, string][], compactionId?: string): void {
    const { leafId, fromLeafId } = data;
    this.undos.push({
      leafId: typeof leafId === 'string' ? leafId : null,
      fromLeafId: typeof fromLeafId === 'string' ? fromLeafId : null,
      copies,
      ...(compactionId === undefined ? {} : { compactionId }),
    });
  }
}

/** The pairs [original id, new id] of a rebase record; anything else in the list is ignored. */
export function copyPairsOf(copies: unknown): [string, string][] {
  if (!Array.isArray(copies)) return [];
  return copies.filter(
    (pair): pair is [string, string] =>
      Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string',
  );
}

/** A session's name as it is shown: runs of line ends become one space, trimmed (TR9). */
export function normalizeName(name: string): string {
  return name.replace(/[\r\n]+/g, ' ').trim();
}

function toggle(set: Set<string>, key: string, on: boolean): void {
  if (on) set.add(key);
  else set.delete(key);
}

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
