import { labelDraft, pinDraft } from './drafts';
import type { EntryDraft, SessionEntry } from './entry';
import { newEntryId } from './ids';
import type { RandomHex } from './ids';
import { isRecord } from '../own';
import { OPAQUE_TYPE } from './opaque';
import type { SessionTree } from './tree';
import type { TreeNode } from './tree-node';

export interface Rebase {
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
