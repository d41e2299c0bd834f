import { isRecord } from '../../checks';
import { plainItem, type PlanItem } from '../messages/plan-item';
import { IS_SUMMARY, type Spine } from '../messages/spine';
import { type PruneMode, removes, type ViewEdit } from '../messages/view-edits';
import { textOf } from '../records/message-text';
import { dataOf, type ModelChoice, type PathState, type TreeNode } from '../records/tree-node';
import type { SessionTree } from '../tree/tree';
import { PinFinder } from './pin-finder';

/** View edits in force at a node, by target. Latest first, so the first seen of a kind wins. O(edits on the path). */
export function viewEditsAt(tree: SessionTree, leaf: TreeNode): Map<string, ViewEdit> {
  const edits = new Map<string, ViewEdit>();
  const pruneSeen = new Set<string>();
  for (let node = tree.stateOf(leaf).edit; node; node = node.parent ? tree.stateOf(node.parent).edit : null) {
    if (node.facts.type === 'context_edit') addContextEdit(edits, node);
    else if (node.facts.customType === 'espalier.omit') addOmit(edits, node);
    else addPrune(edits, pruneSeen, node);
  }
  return edits;
}

function editOf(edits: Map<string, ViewEdit>, targetId: string): ViewEdit {
  const known = edits.get(targetId);
  if (known) return known;
  const edit: ViewEdit = { omitted: false };
  edits.set(targetId, edit);
  return edit;
}

function addContextEdit(edits: Map<string, ViewEdit>, node: TreeNode): void {
  const { targetId, replacement } = (node.body ?? {}) as { targetId?: unknown; replacement?: unknown };
  if (typeof targetId !== 'string') return;
  const edit = editOf(edits, targetId);
  if (edit.replacement !== undefined) return;
  edit.replacement = isRecord(replacement) ? { content: replacement.content } : null;
}

function addOmit(edits: Map<string, ViewEdit>, node: TreeNode): void {
  const { targets } = dataOf(node.body);
  if (!Array.isArray(targets)) return;
  for (const target of targets) if (typeof target === 'string') editOf(edits, target).omitted = true;
}

function addPrune(edits: Map<string, ViewEdit>, seen: Set<string>, node: TreeNode): void {
  const { action, items } = dataOf(node.body);
  if (!Array.isArray(items)) return;
  for (const item of items.filter(isRecord)) {
    const targetId = textOf(item.targetId);
    if (seen.has(targetId)) continue;
    seen.add(targetId);
    const { mode, tokens } = item;
    if (action !== 'prune' || !isPruneMode(mode)) continue;
    editOf(edits, targetId).prune = { mode, tokens: typeof tokens === 'number' ? tokens : 0 };
  }
}

function isPruneMode(mode: unknown): mode is PruneMode {
  return mode === 'elide' || mode === 'shorten' || mode === 'images';
}

/**
 * A context without bodies (CX1). It is kept as places in file order: of 50,000 items most are never looked at, and making the
 * list of them would cost more than everything else that a request needs.
 */
export class ContextPlan {
  leaf: TreeNode | null = null;
  thinkingLevel = 'off';
  model: ModelChoice | null = null;
  /** The compaction whose summary is emitted. */
  compaction: TreeNode | null = null;
  private list: PlanItem[] = [];

  /**
   * @param places in order: where the entry stands in file order if its item is a plain one; else -1 - its place in `made`
   * @param made the other items: summaries, pins, what view edits changed
   */
  constructor(
    private readonly spine: Spine | null = null,
    readonly places: number[] = [],
    private readonly made: PlanItem[] = [],
  ) {}

  get length(): number {
    return this.places.length;
  }

  /** The items in order. Grows in place. O(items) the first time. */
  get items(): PlanItem[] {
    for (let at = this.list.length; at < this.places.length; at++) this.list.push(this.item(at));
    return this.list;
  }

  /** The item at a place in the context. */
  item(at: number): PlanItem {
    const place = this.places[at] as number;
    return place >= 0 && this.spine ? this.spine.item(place) : (this.made[-1 - place] as PlanItem);
  }

  /** Takes a visible entry that was appended at the leaf. */
  append(node: TreeNode): void {
    if (this.spine?.isSummary(node.index)) this.appendMade(plainItem(node));
    else this.places.push(node.index);
  }

  /** Takes any other item at the end. */
  appendMade(item: PlanItem): void {
    this.places.push(-1 - this.made.length);
    this.made.push(item);
  }

  /** The same context without one entry, to send. */
  without(sourceId: string): ContextPlan {
    const kept = this.places.filter((_, at) => this.item(at).sourceId !== sourceId);
    return new ContextPlan(this.spine, kept, this.made);
  }
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
  /** The person's messages that the compaction hides and keeps word for word (PN5), on the path's order. */
  kept: readonly TreeNode[];
}

/**
 * Plans the context at a leaf (CX1): which entries emit a message, in order. Costs O(messages emitted
 * plus entries between them), not O(path); O(path) if something is pinned.
 * @param leafId null: before the first entry; undefined, empty or unknown: the leaf as after load
 * @param asOf file position from which on entries are ignored
 */
export function planContext(tree: SessionTree, leafId?: string | null, asOf?: number): ContextPlan {
  const outline = outlineContext(tree, leafId, asOf);
  if (!outline) return new ContextPlan();
  const plan = listed(outline);
  plan.leaf = outline.leaf;
  plan.thinkingLevel = outline.state.thinkingLevel;
  plan.model = outline.state.model;
  plan.compaction = outline.compaction;
  return plan;
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
  const pins = at.pinsAsOf(asOf ?? Number.POSITIVE_INFINITY);
  const finder = pins.size > 0 ? new PinFinder(at, leaf, pins, edits) : null;
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
    kept: compaction ? keptMessages(at, compaction, boundary, state.reset, edits) : [],
  };
}

/** The person's messages that a compaction promised to keep word for word as long as it is in force (PN5). O(distance to the oldest). */
function keptMessages(
  tree: SessionTree,
  compaction: TreeNode,
  boundary: TreeNode | null,
  reset: TreeNode | null,
  edits: ReadonlyMap<string, ViewEdit> | null,
): TreeNode[] {
  const details = (compaction.body as { details?: unknown } | undefined)?.details;
  const ids = isRecord(details) && isRecord(details.espalier) ? details.espalier.keptUserEntryIds : undefined;
  if (!Array.isArray(ids) || ids.length === 0) return [];
  const wanted = new Set<unknown>(ids);
  const hidden = tree.spine.saidByPerson((boundary ?? compaction).parent, reset);
  return hidden.filter((node) => wanted.has(node.id) && !removes(edits?.get(node.id))).reverse();
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
  return listed(outline).items;
}

function listed(outline: ContextOutline): ContextPlan {
  const { tree, leaf, compaction, boundary, tailAfter, edits, finder, kept } = outline;
  const { spine } = tree;
  const places: number[] = [];
  let seen = spine.visible(leaf, tailAfter, places);
  if (compaction && boundary) seen |= spine.visible(compaction.parent, boundary.parent, places);
  if (edits || finder || kept.length > 0 || (seen & IS_SUMMARY) !== 0) return edited(outline, places.reverse());
  if (!compaction) return new ContextPlan(spine, places.reverse());
  places.push(-1);
  return new ContextPlan(spine, places.reverse(), [{ sourceId: compaction.id, kind: 'summary', node: compaction }]);
}

/** The boundary of a compaction if it lies on the path before it and after the last reset (CX4). O(kept). */
function boundaryOf(tree: SessionTree, compaction: TreeNode, start: number): TreeNode | null {
  const id = textOf((compaction.body as { firstKeptEntryId?: unknown } | undefined)?.firstKeptEntryId);
  const boundary = id === '' ? undefined : tree.node(id);
  if (!boundary) return null;
  tree.stateOf(boundary);
  if (boundary.depth < start || boundary.depth >= compaction.depth) return null;
  return tree.spine.isBelow(compaction, boundary) ? boundary : null;
}

/** A context with view edits, pins or branch summaries, from the places of what the path shows. */
function edited(
  { tree, state, compaction, boundary, edits, finder, pins, kept }: ContextOutline,
  path: number[],
): ContextPlan {
  const { spine } = tree;
  const plan = new ContextPlan(spine);
  const addPins = (node: TreeNode, pinned: readonly TreeNode[]): void => {
    if (pinned.length > 0) plan.appendMade({ sourceId: node.id, kind: 'pins', node, pinned });
  };
  if (compaction) {
    const edit = edits?.get(compaction.id);
    if (!removes(edit)) plan.appendMade({ sourceId: compaction.id, kind: 'summary', node: compaction, edit });
    const before = (boundary ?? compaction).parent;
    addPins(compaction, finder ? finder.between(before, state.reset, kept) : kept);
  }
  const editAt = new Map<number, ViewEdit>();
  for (const [id, edit] of edits ?? []) {
    const target = tree.node(id);
    if (target) editAt.set(target.index, edit);
  }
  for (const place of path) {
    const edit = editAt.get(place);
    if (!edit && !spine.isSummary(place)) {
      plan.places.push(place);
      continue;
    }
    const plain = spine.item(place);
    if (!edit) plan.appendMade(plain);
    else if (!removes(edit)) plan.appendMade({ ...plain, edit: unprunedIfPinned(edit, pins.has(plain.sourceId)) });
    if (finder && plain.kind === 'branch') addPins(plain.node, finder.inRegionOf(plain.node));
  }
  return plan;
}

/** A pin promises the message word for word (IN14), so pruning has to leave it alone. */
function unprunedIfPinned(edit: ViewEdit, isPinned: boolean): ViewEdit {
  return isPinned && edit.prune ? { ...edit, prune: undefined } : edit;
}

/** The item of an entry that was appended at the leaf of a plan, or null if it emits nothing. */
export function itemOf(node: TreeNode): PlanItem | null {
  return node.facts.visible ? plainItem(node) : null;
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

/**
 * From which entry of the path on the model sees it word for word, null: from its beginning; and which messages above it follow the
 * summary in full (PN2, PN4). O(context), O(path) where something is repeated.
 */
export function seenFromOf(tree: SessionTree, plan: ContextPlan): { seenFrom: string | null; repeated: string[] } {
  const { compaction, items } = plan;
  const { pinned } = items.find(({ kind, sourceId }) => kind === 'pins' && sourceId === compaction?.id) ?? {};
  // Those of a branch that a summary covers stand in no row of the path.
  const onPath = pinned && compaction ? tree.spine.bitsOfPath(compaction, 1) : null;
  const kept = compaction && items.find(({ kind, node }) => kind !== 'pins' && node.depth < compaction.depth);
  return {
    seenFrom: compaction && (kept ?? { sourceId: compaction.id }).sourceId,
    repeated: (pinned ?? []).flatMap((node) => (onPath?.[node.index] === 1 ? node.id : [])),
  };
}
