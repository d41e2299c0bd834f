import { isRecord } from '../../checks';
import { type EntryDraft, OPAQUE_TYPE, type SessionEntry } from '../records/entry';
import { newEntryId, type RandomHex } from '../records/ids';
import type { TreeNode } from '../records/tree-node';
import type { UndoRecord } from './annotations';
import { labelDraft, pinDraft } from './drafts';
import type { SessionTree } from './tree';

interface Rebase {
  /** Where the copies hang; null: at the root. */
  parentId: string | null;
  drafts: EntryDraft[];
}

/** What a rebase is for (SF11, UN1). */
export interface RebaseReason {
  op: 'undo' | 'redo' | 'edit';
  compactionId: string;
  /** The compaction that takes its place: the first path entry of the batch. */
  replacement?: EntryDraft & { id: string };
}

/** Path entries after a compaction that undoing it copies: not the compactions that build on it (UN2). */
export function entriesAfter(tree: SessionTree, compactionId: string): TreeNode[] {
  const path = tree.pathTo(tree.leafId);
  const at = path.findIndex((node) => node.id === compactionId);
  if (at < 0) return [];
  return path.slice(at + 1).filter(isCopied);
}

/**
 * Compactions build on what a rebase changes, side records speak of entries, not of the path, and what can't be read is not
 * written again: it stays on its branch.
 */
export function isCopied({ facts }: TreeNode): boolean {
  return facts.type !== 'compaction' && facts.type !== OPAQUE_TYPE && !facts.side;
}

/**
 * One batch that repeats path entries on another parent: the record that announces it, then the copies, then their labels and
 * pins (UN1). Messages stay as they are; references among the copies point to the copies. O(entries).
 * @param bodies of the entries to copy, in path order
 */
export function planRebase(
  tree: SessionTree,
  parentId: string | null,
  bodies: readonly SessionEntry[],
  { op, compactionId, replacement }: RebaseReason,
  randomHex: RandomHex,
): Rebase {
  const newIds = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id } of bodies) {
    const copy = newEntryId((candidate) => tree.has(candidate) || taken.has(candidate), randomHex);
    taken.add(copy);
    newIds.set(id, copy);
  }
  const announce: EntryDraft = {
    type: 'custom',
    customType: 'espalier.rebase',
    data: {
      v: 1,
      op,
      compactionId,
      ...(replacement ? { replacedBy: replacement.id } : {}),
      fromLeafId: tree.leafId,
      copies: [...newIds],
    },
  };
  const copies = bodies.map((body) => copyOf(body, newIds));
  const marks = [...newIds].flatMap(([oldId, newId]) => marksOf(tree, oldId, newId));
  return { parentId, drafts: [announce, ...(replacement ? [replacement] : []), ...copies, ...marks] };
}

function copyOf(body: SessionEntry, newIds: ReadonlyMap<string, string>): EntryDraft {
  const { id, parentId: _parent, timestamp: _time, ...rest } = body as SessionEntry & Record<string, unknown>;
  const copy: Record<string, unknown> = { ...rest, id: newIds.get(id) };
  for (const key of ['targetId', 'fromId']) copy[key] = renamed(copy[key], newIds) ?? copy[key];
  if (body.type === 'custom' && isRecord(copy.data)) copy.data = withNewIds(copy.data, newIds);
  for (const key of ['targetId', 'fromId']) if (copy[key] === undefined) delete copy[key];
  return copy as unknown as EntryDraft;
}

/** Our own records name entries in `targets` and `items`. */
function withNewIds(data: Record<string, unknown>, newIds: ReadonlyMap<string, string>): Record<string, unknown> {
  const { targets, items } = data;
  return {
    ...data,
    ...(Array.isArray(targets)
      ? { targets: targets.map((target) => renamed(target, newIds) ?? (target as unknown)) }
      : {}),
    ...(Array.isArray(items)
      ? {
          items: items.map((item: unknown) =>
            isRecord(item) ? { ...item, targetId: renamed(item.targetId, newIds) ?? item.targetId } : item,
          ),
        }
      : {}),
  };
}

function renamed(value: unknown, newIds: ReadonlyMap<string, string>): string | undefined {
  return typeof value === 'string' ? newIds.get(value) : undefined;
}

/** Labels and pins name entries that exist, and the copies are only about to: the drafts are made from the originals. */
function marksOf(tree: SessionTree, oldId: string, newId: string): EntryDraft[] {
  const label = tree.label(oldId);
  return [
    ...(label === undefined ? [] : [{ ...labelDraft(tree, oldId, label), targetId: newId } as EntryDraft]),
    ...(tree.pins.has(oldId) ? [withTarget(pinDraft(tree, oldId, true), newId)] : []),
  ];
}

function withTarget(draft: EntryDraft, targetId: string): EntryDraft {
  const { data } = draft as { data?: Record<string, unknown> };
  return { ...draft, data: { ...data, targetId } } as EntryDraft;
}

/** A compaction that was taken back on a path and can be put in force again. */
interface UndoneCompaction {
  compaction: TreeNode;
  record: UndoRecord;
}

/**
 * The compactions that were undone on the path down to a leaf and that no later one has made obsolete, oldest first: what they
 * stood for is in the context again. O(path) if anything was ever undone, else O(1).
 */
export function undoneOn(tree: SessionTree, leafId: string | null): UndoneCompaction[] {
  if (tree.undoRecords.length === 0) return [];
  const path = tree.pathTo(leafId);
  const latest = path.at(-1);
  const since = latest ? (tree.stateOf(latest).compaction?.depth ?? -1) : -1;
  const found = new Map<string, UndoneCompaction>();
  for (const record of tree.undoRecords) {
    const compaction = compactionOf(tree, record);
    if (!compaction) continue;
    const { parent } = compaction;
    const isHere = parent === null || (path[parent.depth] === parent && since <= parent.depth);
    // In force again on this path: it is the latest compaction or one before it.
    const isGone = path[depthOf(compaction)] !== compaction;
    if (isHere && isGone && (parent !== null || since < 0)) found.set(compaction.id, { compaction, record });
  }
  return [...found.values()].sort((a, b) => depthOf(a.compaction) - depthOf(b.compaction));
}

/** Known from the parent, whose state the path has set: that of the compaction itself may never have been asked for. */
function depthOf({ parent }: TreeNode): number {
  return parent ? parent.depth + 1 : 0;
}

function compactionOf(tree: SessionTree, { compactionId, leafId, fromLeafId }: UndoRecord): TreeNode | null {
  if (compactionId !== undefined) {
    const node = tree.node(compactionId);
    return node?.facts.type === 'compaction' ? node : null;
  }
  let node = fromLeafId === null ? null : (tree.node(fromLeafId) ?? null);
  while (node && (node.parent?.id ?? null) !== leafId) node = node.parent;
  return node?.facts.type === 'compaction' ? node : null;
}
