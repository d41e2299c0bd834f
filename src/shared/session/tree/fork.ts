import { EntryNotFoundError, type SessionEntry, type SessionHeader } from '../records/entry';
import { BRANCH_TYPE, TITLE_TYPE } from '../records/own-entries';
import { newEntryId, type RandomHex } from '../records/ids';
import { textOf } from '../records/message-text';
import { inKeyOrder } from '../records/serialize-entry';
import { dataOf, type TreeNode } from '../records/tree-node';
import { copyPairsOf } from './annotations';
import { belowReply, replyAbove } from '../messages/below-reply';
import type { SessionTree } from './tree';

/** One record of a fork: an entry of the source with a new place, or a new entry. */
export type ForkItem =
  | { kind: 'copy'; sourceId: string; seq: number; parentId: string | null; patch?: ForkPatch }
  | { kind: 'new'; entry: SessionEntry };

/** What changes inside a copied entry besides its parent. */
interface ForkPatch {
  firstKeptEntryId?: string | null;
  copies?: [string, string][];
}

/** A fork, planned without bodies: the copies are made from the source's records one by one. */
export interface ForkPlan {
  header: SessionHeader;
  items: ForkItem[];
  /** What the fork goes on from: the end of the path, or a note behind it that came along. Null for an empty session. */
  leafId: string | null;
  /** The user message whose text goes to the composer. */
  editorEntryId: string | null;
}

/** What a fork takes from outside. */
interface ForkOptions {
  /** The header of the new session: fresh id, time, `parentSession` = source. */
  header: SessionHeader;
  randomHex: RandomHex;
}

/**
 * Plans a fork at an entry (HF3, HF4): the path without side records, re-chained; requests and rebases in file order; labels,
 * pins, archivings, titles and dismissed facts again at the end, and behind the path what the person made of commands whose results are not on it.
 * At a user message the path ends before it. O(entries).
 * @throws EntryNotFoundError
 */
export function planFork(tree: SessionTree, targetId: string, { header, randomHex }: ForkOptions): ForkPlan {
  const target = tree.node(targetId);
  if (!target) throw new EntryNotFoundError(targetId);
  const isUserMessage = target.facts.type === 'message' && target.facts.role === 'user';
  const end = isUserMessage ? target.parent : target;
  const path = end ? tree.pathTo(end.id) : [];
  const kept = path.filter((node) => !node.facts.side);
  const items = copyItems(tree, path, kept);
  let leafId = kept.at(-1)?.id ?? null;
  for (const { id, seq } of editsBelow(kept)) {
    items.push({ kind: 'copy', sourceId: id, seq, parentId: leafId });
    leafId = id;
  }
  const keptIds = new Set(kept.map((node) => node.id));
  const taken = new Set<string>();
  for (const entry of annotationsOf(tree, keptIds)) {
    const id = newEntryId((candidate) => tree.has(candidate) || taken.has(candidate), randomHex);
    taken.add(id);
    items.push({ kind: 'new', entry: inKeyOrder({ ...entry, id, parentId: leafId } as SessionEntry) });
  }
  return { header, items, leafId, editorEntryId: isUserMessage ? targetId : null };
}

/** The record of a copied entry in the fork. The given entry is not changed. */
export function applyForkItem(item: Extract<ForkItem, { kind: 'copy' }>, entry: SessionEntry): SessionEntry {
  const { parentId, patch } = item;
  const copy: Record<string, unknown> = { ...entry, parentId };
  if (patch && 'firstKeptEntryId' in patch) copy.firstKeptEntryId = patch.firstKeptEntryId;
  if (patch?.copies) copy.data = { ...dataOf(entry), copies: patch.copies };
  return copy as unknown as SessionEntry;
}

/** A parent or boundary that the entries of a fork name and do not have before it. */
interface ForkProblem {
  entryId: string;
  missing: string;
}

/** Checks that every parent and boundary of a written fork is in the file before it (HF5). O(entries). */
export function verifyFork(entries: Iterable<SessionEntry>): ForkProblem[] {
  const seen = new Set<string>();
  const problems: ForkProblem[] = [];
  for (const entry of entries) {
    const { parentId } = entry as { parentId?: unknown };
    if (typeof parentId === 'string' && !seen.has(parentId)) problems.push({ entryId: entry.id, missing: parentId });
    const boundary = entry.type === 'compaction' ? (entry as { firstKeptEntryId?: unknown }).firstKeptEntryId : null;
    if (typeof boundary === 'string' && boundary !== '' && !seen.has(boundary))
      problems.push({ entryId: entry.id, missing: boundary });
    seen.add(entry.id);
  }
  return problems;
}

/** What the person made of the commands that the path leaves open: it stands behind their reply (SF11), in the order of the file. */
function editsBelow(kept: readonly TreeNode[]): TreeNode[] {
  const { reply, answered } = replyAbove(kept.at(-1) ?? null);
  if (!reply) return [];
  const onPath = new Set(kept);
  return [...belowReply(reply).edits]
    .flatMap(([callId, { node }]) => (answered.has(callId) || onPath.has(node) ? [] : [node]))
    .sort((a, b) => a.seq - b.seq);
}

/** Path entries in path order with the requests and rebases among them in file order. */
function copyItems(tree: SessionTree, path: readonly TreeNode[], kept: readonly TreeNode[]): ForkItem[] {
  const parents = keptParents(path);
  const records = sideCopies(tree, kept, parents);
  const items: ForkItem[] = [];
  const written = new Set<string | null>([null]);
  let next = 0;
  const flush = (beforeSeq: number): void => {
    for (let record = records[next]; record && record.seq < beforeSeq; record = records[next]) {
      if (!written.has(record.parentId)) return;
      items.push(record);
      next++;
    }
  };
  for (const node of kept) {
    flush(node.seq);
    const patch = node.facts.type === 'compaction' ? boundaryPatch(tree, node, path) : undefined;
    const parentId = node.parent ? (parents.get(node.parent) ?? null) : null;
    items.push({ kind: 'copy', sourceId: node.id, seq: node.seq, parentId, patch });
    written.add(node.id);
  }
  flush(Number.POSITIVE_INFINITY);
  return items;
}

/** For each node of the path the nearest path entry at or above it that is kept. */
function keptParents(path: readonly TreeNode[]): Map<TreeNode, string | null> {
  const parents = new Map<TreeNode, string | null>();
  let nearest: string | null = null;
  for (const node of path) {
    if (!node.facts.side) nearest = node.id;
    parents.set(node, nearest);
  }
  return parents;
}

function sideCopies(
  tree: SessionTree,
  kept: readonly TreeNode[],
  parents: ReadonlyMap<TreeNode, string | null>,
): Extract<ForkItem, { kind: 'copy' }>[] {
  const records: Extract<ForkItem, { kind: 'copy' }>[] = [];
  const last = kept.at(-1);
  const keptIds = new Set(kept.map((node) => node.id));
  for (const node of tree.entriesInOrder()) {
    const { customType } = node.facts;
    if (customType === 'espalier.request') {
      // A request at another branch, or made later for one, was never in force on this path.
      const isOnPath = node.parent ? parents.has(node.parent) : node.facts.parentId === null;
      const parentId = node.parent ? (parents.get(node.parent) ?? null) : null;
      const isInForce = parentId === (last?.id ?? null) || (last !== undefined && node.seq < last.seq);
      if (isOnPath && isInForce) records.push({ kind: 'copy', sourceId: node.id, seq: node.seq, parentId });
    } else if (customType === 'espalier.rebase') {
      const copies = copyPairsOf(dataOf(node.body).copies).filter(([, newId]) => keptIds.has(newId));
      if (copies.length === 0) continue;
      records.push({
        kind: 'copy',
        sourceId: node.id,
        seq: node.seq,
        parentId: nearestKept(node, parents),
        patch: { copies },
      });
    }
  }
  return records;
}

function nearestKept(node: TreeNode, parents: ReadonlyMap<TreeNode, string | null>): string | null {
  for (let at = node.parent; at; at = at.parent) {
    const found = parents.get(at);
    if (found !== undefined) return found;
  }
  return null;
}

/** A boundary that names a dropped entry of the path moves to the next kept one. */
function boundaryPatch(tree: SessionTree, compaction: TreeNode, path: readonly TreeNode[]): ForkPatch | undefined {
  const boundaryId = textOf((compaction.body as { firstKeptEntryId?: unknown } | undefined)?.firstKeptEntryId);
  const boundary = boundaryId === '' ? undefined : tree.node(boundaryId);
  if (boundary) tree.stateOf(boundary);
  const isOnPath = boundary !== undefined && path[boundary.depth] === boundary;
  if (boundaryId === '' || (isOnPath && !boundary.facts.side && boundary.depth < compaction.depth)) return undefined;
  if (!isOnPath || boundary.depth >= compaction.depth) return { firstKeptEntryId: null };
  for (let depth = boundary.depth; depth < compaction.depth; depth++) {
    const node = path[depth];
    if (node && !node.facts.side) return { firstKeptEntryId: node.id };
  }
  return { firstKeptEntryId: null };
}

/** The records that make labels, pins, archivings and dismissed facts of kept entries again, with their own timestamps. */
function annotationsOf(tree: SessionTree, keptIds: ReadonlySet<string>): Record<string, unknown>[] {
  const latest = new Map<string, SessionEntry>();
  for (const { facts, body } of tree.entriesInOrder()) {
    if (!facts.side || !body) continue;
    const data = dataOf(body);
    if (facts.type === 'label') latest.set(`label ${textOf((body as { targetId?: unknown }).targetId)}`, body);
    else if (facts.customType === 'espalier.fact') latest.set(`fact ${textOf(data.key)}`, body);
    else if (facts.customType === BRANCH_TYPE) latest.set(`branch ${textOf(data.targetId)}`, body);
    else if (facts.customType === TITLE_TYPE) latest.set(`title ${textOf(data.targetId)}`, withoutCost(body));
    else if (facts.customType === 'espalier.pin' || facts.customType === 'espalier.archive') {
      latest.set(`${facts.customType} ${textOf(data.targetId)}`, body);
    }
  }
  return [...latest.values()].filter((entry) => isInForce(tree, entry, keptIds)).map((entry) => ({ ...entry }));
}

/** What a title cost was paid in the source. */
function withoutCost(title: SessionEntry): SessionEntry {
  return { ...title, data: { ...dataOf(title), cost: 0 } } as SessionEntry;
}

function isInForce(tree: SessionTree, entry: SessionEntry, keptIds: ReadonlySet<string>): boolean {
  if (entry.type === 'label') {
    const targetId = textOf((entry as { targetId?: unknown }).targetId);
    return keptIds.has(targetId) && tree.labels.has(targetId);
  }
  const { targetId, key, pinned, archived } = dataOf(entry);
  const { customType } = entry as { customType?: unknown };
  if (customType === TITLE_TYPE || customType === BRANCH_TYPE) return keptIds.has(textOf(targetId));
  if (typeof key === 'string') return tree.dismissedFacts.has(key);
  return keptIds.has(textOf(targetId)) && (pinned === true || archived === true);
}
