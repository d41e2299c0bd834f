import { type EntryDraft, EntryNotFoundError, type SessionEntry } from '../records/entry';
import { isSideRecord } from '../records/facts';
import { newEntryId, type RandomHex } from '../records/ids';
import { BRANCH_TYPE, COST_TYPE, EDITED_TYPE, TITLE_TYPE } from '../records/own-entries';
import { inKeyOrder } from '../records/serialize-entry';
import { dataOf } from '../records/tree-node';
import { normalizeName } from './annotations';
import type { SessionTree } from './tree';

/** What an append takes from outside. */
interface AppendOptions {
  /** Unix milliseconds. */
  now: number;
  randomHex: RandomHex;
  /** Where the first path entry hangs; default: the leaf (TR10, `branchSummary`). */
  parentId?: string | null;
}

/**
 * Completes drafts to entries as they will stand in the file: id, parent, timestamp, key order of SF6. Path entries
 * chain from the leaf; side records hang at the leaf of their moment and do not move it; `espalier.leaf` hangs at the leaf that
 * it sets, `espalier.rebase` at the leaf that its batch leaves: there a torn batch ends up again (SF20). Pure: the caller writes them and then hands each to `tree.add`. O(drafts).
 * @throws EntryNotFoundError if `parentId` is unknown
 */
export function prepareAppend(
  tree: SessionTree,
  drafts: readonly EntryDraft[],
  options: AppendOptions,
): SessionEntry[] {
  const { now, randomHex, parentId = tree.leafId } = options;
  if (parentId !== null && !tree.has(parentId)) throw new EntryNotFoundError(parentId);
  const timestamp = new Date(now).toISOString();
  const batch = new Set<string>();
  let leafId = parentId;
  return drafts.map((draft) => {
    const id = draft.id ?? newEntryId((candidate) => tree.has(candidate) || batch.has(candidate), randomHex);
    batch.add(id);
    if (draft.type === 'custom' && draft.customType === 'espalier.leaf')
      leafId = leafOf(draft as unknown as SessionEntry);
    const entry = inKeyOrder({
      ...draft,
      id,
      parentId: isRebase(draft) ? tree.leafId : leafId,
      timestamp,
    } as SessionEntry);
    if (!isSideRecord(draft)) leafId = id;
    return entry;
  });
}

/**
 * Draft of the record that moves the leaf (TR6, SF11). A side record as target stands for the entry it hangs at.
 * @throws EntryNotFoundError
 */
export function leafMoveDraft(tree: SessionTree, leafId: string | null, reason: string): EntryDraft {
  const target = leafId === null ? null : pathEntryAt(tree, leafId);
  return {
    type: 'custom',
    customType: 'espalier.leaf',
    data: { v: 1, leafId: target, fromLeafId: tree.leafId, reason },
  };
}

/** Draft of a label; trimmed, an empty one clears (TR8). @throws EntryNotFoundError */
export function labelDraft(tree: SessionTree, targetId: string, text: string): EntryDraft {
  if (!tree.has(targetId)) throw new EntryNotFoundError(targetId);
  const label = text.trim();
  return label === '' ? { type: 'label', targetId } : { type: 'label', targetId, label };
}

/** Draft of a session name; an empty one clears (TR9). */
export function nameDraft(name: string): EntryDraft {
  return { type: 'session_info', name: normalizeName(name) };
}

/** Whether nothing of a name can be seen. */
export function isBlankName(name: string): boolean {
  // The last one is a blank of braille, which is a sign and still nothing.
  return /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(name);
}

/** Draft of a pin or its removal (SF11). @throws EntryNotFoundError */
export function pinDraft(tree: SessionTree, targetId: string, pinned: boolean): EntryDraft {
  if (!tree.has(targetId)) throw new EntryNotFoundError(targetId);
  return { type: 'custom', customType: 'espalier.pin', data: { v: 1, targetId, pinned } };
}

/** Draft that hides the branch below an entry, or shows it again (SF11). @throws EntryNotFoundError */
export function archiveDraft(tree: SessionTree, targetId: string, archived: boolean): EntryDraft {
  if (!tree.has(targetId)) throw new EntryNotFoundError(targetId);
  return { type: 'custom', customType: 'espalier.archive', data: { v: 1, targetId, archived } };
}

/**
 * The record that the message which comes next begins a branch of its own, where something goes on from the leaf already, or is another
 * version of the beginning of one (SF11, GR5). It stands before the message. Without one the message is a version of what hangs beside it.
 * @param versionOf the message that it is another version of
 */
export function branchDrafts(tree: SessionTree, messageId: string, versionOf?: string): EntryDraft[] {
  const draft = (more: { versionOf?: string }): EntryDraft[] => [
    { type: 'custom', customType: BRANCH_TYPE, data: { v: 1, targetId: messageId, ...more } },
  ];
  if (versionOf === undefined) return hasMore(tree, tree.leafId) ? draft({}) : [];
  const branch = tree.branchOf(versionOf);
  return branch === undefined ? [] : draft({ versionOf: branch });
}

/** Whether something goes on from an entry (null: at the start): else a message there begins no branch, it goes on. */
export function hasMore(tree: SessionTree, id: string | null): boolean {
  const left = [...(id === null ? tree.roots() : (tree.node(id)?.children ?? []))];
  for (let node = left.pop(); node; node = left.pop()) {
    if (node.facts.side) continue;
    // A choice is for what is said next: nothing has gone on there yet.
    if (!CHOICES.has(node.facts.type)) return true;
    for (const child of node.children) left.push(child);
  }
  return false;
}

const CHOICES = new Set(['model_change', 'thinking_level_change']);

/** The last choice of model and level behind an entry at which nothing goes on: what is said next follows it. O(choices). */
export function behindChoices(tree: SessionTree, id: string | null): string | null {
  if (id === null || hasMore(tree, id)) return id;
  let node = tree.node(id);
  for (;;) {
    const next = node?.children.findLast(({ facts }) => CHOICES.has(facts.type));
    if (!next) return node?.id ?? id;
    node = next;
  }
}

/** Draft of the entry that names a session this one comes from or speaks of (SF11, HF1). */
export function referenceDraft(sessionId: string, title: string): EntryDraft {
  return { type: 'custom', customType: 'espalier.reference', data: { v: 1, sessionId, title } };
}

/** What a title came to, and who wrote it: of a branch, by the entry that it begins with; without one, of the session (SF25). */
interface WrittenTitle {
  targetId?: string;
  /** Empty: the model wrote none, and is not asked again. */
  title: string;
  /** `provider/model` */
  model: string;
  /** US dollars. */
  cost: number;
}

/** Draft of the record of a title that a model was asked for (SF11). */
export function titleDraft({ targetId, ...written }: WrittenTitle): EntryDraft {
  const data = { v: 1, ...(targetId === undefined ? {} : { targetId }), ...written };
  return { type: 'custom', customType: TITLE_TYPE, data };
}

/** What was paid for a text that is not in the session. */
export interface SpentCost {
  /** What it was to be, as `LiveJob` has it. */
  kind: string;
  /** `provider/model`, the last one that was asked. */
  model: string;
  /** US dollars. */
  cost: number;
}

/** Draft of the record of what a discarded summary or a handoff’s draft cost (SF11). */
export function costDraft(spent: SpentCost): EntryDraft {
  return { type: 'custom', customType: COST_TYPE, data: { v: 1, ...spent } };
}

/** Draft that keeps the command that the person put in place of a call's, before it runs (SF11). */
export function editedDraft(callId: string, command: string): EntryDraft {
  return { type: 'custom', customType: EDITED_TYPE, data: { v: 1, callId, command } };
}

/** Draft that takes a reply out of the context: it was refused as too long or cut off, and is asked for again (JB10). */
export function omitDraft(entryId: string): EntryDraft {
  const data = { v: 1, targets: [entryId], reason: 'context overflow' };
  return { type: 'custom', customType: 'espalier.omit', data };
}

function isRebase(draft: EntryDraft): boolean {
  return draft.type === 'custom' && draft.customType === 'espalier.rebase';
}

function pathEntryAt(tree: SessionTree, id: string): string | null {
  let node = tree.node(id) ?? null;
  if (!node) throw new EntryNotFoundError(id);
  while (node?.facts.side) node = node.parent;
  return node ? node.id : null;
}

function leafOf(entry: SessionEntry): string | null {
  const { leafId } = dataOf(entry);
  return typeof leafId === 'string' ? leafId : null;
}
