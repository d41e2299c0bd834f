import { type ContextOutline, outlineContext } from '@shared/session/context/context-plan';
import { plainItem, type PlanItem } from '@shared/session/messages/plan-item';
import { MissingBodiesError, type ProjectedMessage } from '@shared/session/records/entry';
import { projectItem } from '@shared/session/messages/projection';
import type { SessionTree } from '@shared/session/tree/tree';
import type { ModelChoice, TreeNode } from '@shared/session/records/tree-node';
import { PinSearch } from './pin-search';
import { removes } from '@shared/session/messages/view-edits';

/** One message of the context and the entry that it comes from. */
interface ProjectionItem {
  sourceId: string;
  kind: PlanItem['kind'];
  message: ProjectedMessage;
}

/** What the model sees at a leaf (CX1), before the sanitizing pass and the words of a provider. */
export interface PlainContext {
  projection: ProjectionItem[];
  messages: ProjectedMessage[];
  thinkingLevel: string;
  /** Last model of the path, or null. */
  model: ModelChoice | null;
}

/**
 * The context at a leaf (CX1) made from scratch, entry by entry: what the app keeps up to date is held against it.
 * @param leafId as in `planContext`
 * @throws MissingBodiesError with the ids to load; then the call may be repeated
 */
export function buildContext(
  tree: SessionTree,
  leafId?: string | null,
  { asOf }: { asOf?: number } = {},
): PlainContext {
  const outline = outlineContext(tree, leafId, asOf);
  if (!outline) return { projection: [], messages: [], thinkingLevel: 'off', model: null };
  const items = itemsFromScratch(outline);
  const missing = missingBodies(items);
  if (missing.length > 0) throw new MissingBodiesError(missing);
  const projection = items.map((item) => ({
    sourceId: item.sourceId,
    kind: item.kind,
    message: projectItem(item),
  }));
  const { thinkingLevel, model } = outline.state;
  return { projection, messages: projection.map(({ message }) => message), thinkingLevel, model };
}

/** The items of a context in order, by a walk over the nodes themselves. */
function itemsFromScratch(outline: ContextOutline): PlanItem[] {
  const { tree, leaf, start, compaction, boundary, tailAfter, edits, pins } = outline;
  const search = pins.size > 0 ? new PinSearch(tree, tree.pathTo(leaf.id), pins, edits) : null;
  const items: PlanItem[] = [];
  if (compaction) {
    const edit = edits?.get(compaction.id);
    if (!removes(edit)) items.push({ sourceId: compaction.id, kind: 'summary', node: compaction, edit });
    const end = boundary ? boundary.depth : compaction.depth;
    const own = keptOf(compaction, visibleNodes(compaction.parent, null), edits).filter(
      ({ depth }) => depth >= start && depth < end,
    );
    const hidden = search ? search.inRange(start, end, new Set(own)) : own;
    if (hidden.length > 0) items.push({ sourceId: compaction.id, kind: 'pins', node: compaction, pinned: hidden });
    if (boundary) emit(items, visibleNodes(compaction.parent, boundary.parent), outline, search);
  }
  emit(items, visibleNodes(leaf, tailAfter), outline, search);
  return items;
}

/** The person's messages that a compaction says it keeps (PN5). */
function keptOf(compaction: TreeNode, path: readonly TreeNode[], edits: ContextOutline['edits']): TreeNode[] {
  const body = compaction.body as { details?: { espalier?: { keptUserEntryIds?: unknown } } } | undefined;
  const ids = body?.details?.espalier?.keptUserEntryIds;
  if (!Array.isArray(ids)) return [];
  return path.filter(
    ({ id, facts }) =>
      ids.includes(id) &&
      (facts.said || (facts.type === 'message' && facts.role === 'user')) &&
      !removes(edits?.get(id)),
  );
}

/** Visible entries from a node up to an ancestor (exclusive; null: to the root), oldest first. */
function visibleNodes(last: TreeNode | null, stop: TreeNode | null): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (let node = last; node && node !== stop; node = node.parent) if (node.facts.visible) nodes.push(node);
  return nodes.reverse();
}

function emit(
  items: PlanItem[],
  nodes: readonly TreeNode[],
  { edits, pins }: ContextOutline,
  search: PinSearch | null,
): void {
  for (const node of nodes) {
    const item = plainItem(node);
    const edit = edits?.get(node.id);
    // A pin promises the message word for word (IN14).
    const shown = edit?.prune && pins.has(node.id) ? { ...edit, prune: undefined } : edit;
    if (!removes(edit)) items.push(shown ? { ...item, edit: shown } : item);
    if (!search || item.kind !== 'branch') continue;
    const hidden = search.inRegionOf(node);
    if (hidden.length > 0) items.push({ sourceId: node.id, kind: 'pins', node, pinned: hidden });
  }
}

function missingBodies(items: readonly PlanItem[]): string[] {
  return items.flatMap(({ node, pinned }) =>
    (pinned ? [node, ...pinned] : [node]).filter((entry) => !entry.body).map((entry) => entry.id),
  );
}
