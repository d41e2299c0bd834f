import { isRecord, textOf } from './message-text';
import { PinFinder } from './pinned';
import type { Spine } from './spine';
import type { SessionTree } from './tree';
import type { ModelChoice, PathState, TreeNode } from './tree-node';
import { removes, viewEditsAt } from './view-edits';
import type { ViewEdit } from './view-edits';

/** What a message of the context stands for. */
export type ProjectionKind = 'message' | 'summary' | 'pins' | 'branch';

/** One message of a context, without its body. Contexts share them. */
export interface PlanItem {
  /** The entry that emits it; of a pinned block the compaction or branch summary that it follows. */
  readonly sourceId: string;
  readonly kind: ProjectionKind;
  readonly node: TreeNode;
  readonly edit?: ViewEdit;
  /** Entries of a pinned block, in order. */
  readonly pinned?: readonly TreeNode[];
}

/** A context without bodies (CX1). */
export interface ContextPlan {
  leaf: TreeNode | null;
  items: PlanItem[];
  /** By place in `items`: where the entry stands in file order if its item is one without edits, else -1. */
  places: number[];
  thinkingLevel: string;
  model: ModelChoice | null;
  /** The compaction whose summary is emitted. */
  compaction: TreeNode | null;
}

/** The shape of a context: which parts of the path it takes. */
export interface ContextOutline {
  /** The tree asked, or one as of an earlier file position. */
  tree: SessionTree;
  leaf: TreeNode;
  state: PathState;
  /** Depth of the first entry after the last reset. */
  start: number;
  compaction: TreeNode | null;
  /** First kept entry of the compaction, if it is one that keeps something (CX4). */
  boundary: TreeNode | null;
  /** The compaction or reset after which entries are emitted; null: all of the path. */
  tailAfter: TreeNode | null;
  /** View edits by target, or null if there are none. */
  edits: ReadonlyMap<string, ViewEdit> | null;
  pins: ReadonlySet<string>;
  /** Null if nothing is pinned. */
  finder: PinFinder | null;
}

/**
 * Plans the context at a leaf (CX1): which entries emit a message, in order. Costs O(messages emitted
 * plus entries between them), not O(path); O(path) if something is pinned.
 * @param leafId null: before the first entry; undefined, empty or unknown: the leaf as after load
 * @param asOf file position from which on entries are ignored
 */
export function planContext(tree: SessionTree, leafId?: string | null, asOf?: number): ContextPlan {
  const outline = outlineContext(tree, leafId, asOf);
  if (!outline) return { leaf: null, items: [], places: [], thinkingLevel: 'off', model: null, compaction: null };
  const { leaf, state, compaction } = outline;
  const { thinkingLevel, model } = state;
  return { leaf, ...itemsAndPlaces(outline), thinkingLevel, model, compaction };
}

/** The shape of the context at a leaf, null for an empty one. Parameters as in `planContext`. */
export function outlineContext(tree: SessionTree, leafId?: string | null, asOf?: number): ContextOutline | null {
  if (leafId === null) return null;
  const at = asOf === undefined ? tree : tree.upTo(asOf);
  const resolved = resolveLeaf(tree, leafId, asOf);
  // As of an earlier position the same entry may be a node of another tree.
  const leaf = resolved && at.node(resolved.id);
  if (!leaf) return null;
  const state = at.stateOf(leaf);
  const start = state.reset ? state.reset.depth + 1 : 0;
  const compaction = state.compaction && state.compaction.depth >= start ? state.compaction : null;
  const boundary = compaction ? boundaryOf(at, compaction, start) : null;
  const edits = state.edit ? viewEditsAt(at, leaf) : null;
  const pins = withKeptMessages(at.pinsAsOf(asOf ?? Number.POSITIVE_INFINITY), compaction);
  const finder = pins.size > 0 ? new PinFinder(at, at.pathTo(leaf.id), pins, edits) : null;
  return {
    tree: at,
    leaf,
    state,
    start,
    compaction,
    boundary,
    tailAfter: compaction ?? state.reset,
    edits,
    pins,
    finder,
  };
}

/** User messages that a compaction promised to keep word for word are pinned as long as it is in force (PN5). */
function withKeptMessages(pins: ReadonlySet<string>, compaction: TreeNode | null): ReadonlySet<string> {
  const details = (compaction?.body as { details?: unknown } | undefined)?.details;
  const kept = isRecord(details) && isRecord(details.espalier) ? details.espalier.keptUserEntryIds : undefined;
  if (!Array.isArray(kept) || kept.length === 0) return pins;
  return new Set([...pins, ...kept.filter((id): id is string => typeof id === 'string')]);
}

function resolveLeaf(tree: SessionTree, leafId: string | undefined, asOf = Number.POSITIVE_INFINITY): TreeNode | null {
  let node: TreeNode | null = (leafId ? tree.node(leafId) : undefined) ?? null;
  if (!node) {
    const settled = asOf > tree.lastSeq ? tree.leafAfterLoad() : tree.copyUpTo(asOf).leafId;
    node = settled === null ? null : (tree.node(settled) ?? null);
  }
  while (node && node.seq >= asOf) node = node.parent;
  return node;
}

/** The items of a context in order. */
export function itemsOf(outline: ContextOutline): PlanItem[] {
  return itemsAndPlaces(outline).items;
}

type Listed = Pick<ContextPlan, 'items' | 'places'>;

function itemsAndPlaces(outline: ContextOutline): Listed {
  const { tree, leaf, start, compaction, boundary, tailAfter, edits, finder } = outline;
  const listed: Listed = { items: [], places: [] };
  if (compaction) {
    const edit = edits?.get(compaction.id);
    if (!removes(edit)) add(listed, { sourceId: compaction.id, kind: 'summary', node: compaction, edit });
    const hidden = finder ? finder.inRange(start, boundary ? boundary.depth : compaction.depth) : [];
    if (hidden.length > 0) add(listed, { sourceId: compaction.id, kind: 'pins', node: compaction, pinned: hidden });
  }
  const newestFirst: number[] = [];
  tree.spine.visible(leaf, tailAfter, newestFirst);
  if (compaction && boundary) tree.spine.visible(compaction.parent, boundary.parent, newestFirst);
  if (edits || finder) addEdited(listed, newestFirst, outline);
  else addPlain(listed, newestFirst, tree.spine);
  return listed;
}

function add({ items, places }: Listed, item: PlanItem, place = -1): void {
  items.push(item);
  places.push(place);
}

function addPlain({ items, places }: Listed, newestFirst: readonly number[], spine: Spine): void {
  for (let at = newestFirst.length - 1; at >= 0; at--) {
    const place = newestFirst[at] as number;
    items.push(spine.item(place));
    places.push(spine.isSummary(place) ? -1 : place);
  }
}

/** The boundary of a compaction if it lies on the path before it and after the last reset (CX4). O(kept). */
function boundaryOf(tree: SessionTree, compaction: TreeNode, start: number): TreeNode | null {
  const id = textOf((compaction.body as { firstKeptEntryId?: unknown } | undefined)?.firstKeptEntryId);
  const boundary = id === '' ? undefined : tree.node(id);
  if (!boundary) return null;
  tree.stateOf(boundary);
  if (boundary.depth < start || boundary.depth >= compaction.depth) return null;
  let node: TreeNode = compaction;
  while (node.parent && node.depth > boundary.depth) node = node.parent;
  return node === boundary ? boundary : null;
}

function addEdited(
  listed: Listed,
  newestFirst: readonly number[],
  { tree, edits, finder, pins }: ContextOutline,
): void {
  const { spine } = tree;
  const editAt = new Map<number, ViewEdit>();
  for (const [id, edit] of edits ?? []) {
    const target = tree.node(id);
    if (target) editAt.set(target.index, edit);
  }
  for (let at = newestFirst.length - 1; at >= 0; at--) {
    const place = newestFirst[at] as number;
    const edit = editAt.get(place);
    const isSummary = spine.isSummary(place);
    const plain = spine.item(place);
    if (!edit) add(listed, plain, isSummary ? -1 : place);
    else if (!removes(edit)) add(listed, { ...plain, edit: unprunedIfPinned(edit, pins.has(plain.sourceId)) });
    const hidden = finder && plain.kind === 'branch' ? finder.inRegionOf(plain.node) : [];
    if (hidden.length > 0) add(listed, { sourceId: plain.sourceId, kind: 'pins', node: plain.node, pinned: hidden });
  }
}

/** A pin promises the message word for word (IN14), so pruning has to leave it alone. */
function unprunedIfPinned(edit: ViewEdit, isPinned: boolean): ViewEdit {
  return isPinned && edit.prune ? { ...edit, prune: undefined } : edit;
}

/** The item of an entry that was appended at the leaf of a plan, or null if it emits nothing. */
export function itemOf(node: TreeNode): PlanItem | null {
  return node.facts.visible ? plainItem(node) : null;
}

/** The item of a visible entry without view edits. Kept at its node: most items of a context are the same each time. */
export function plainItem(node: TreeNode): PlanItem {
  return (node.plainItem ??= makePlainItem(node));
}

function makePlainItem(node: TreeNode): PlanItem {
  const { id, type } = node.facts;
  return { sourceId: id, kind: type === 'branch_summary' ? 'branch' : 'message', node, edit: undefined };
}

/** Ids of all entries whose bodies a plan needs, resident or not. */
export function bodyIdsOf(plan: ContextPlan): Set<string> {
  const ids = new Set<string>();
  for (const { node, pinned } of plan.items) {
    ids.add(node.id);
    if (pinned) for (const entry of pinned) ids.add(entry.id);
  }
  return ids;
}
