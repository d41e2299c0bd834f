import { itemsOf, outlineContext, planContext } from './context-plan';
import type { ContextOutline, ContextPlan, PlanItem, ProjectionKind } from './context-plan';
import type { ProjectedMessage } from './entry';
import { MissingBodiesError } from './errors';
import { projectItem } from './project-item';
import type { SessionTree } from './tree';
import type { ModelChoice } from './tree-node';

/** One message of the context and the entry that it comes from. */
export interface ProjectionItem {
  sourceId: string;
  kind: ProjectionKind;
  message: ProjectedMessage;
}

/** What the model sees at a leaf (CX1), before the sanitising pass and the words of a provider. */
export interface SessionContext {
  /** Messages with their sources; put together when first asked for. */
  readonly projection: ProjectionItem[];
  messages: ProjectedMessage[];
  thinkingLevel: string;
  /** Last model of the path, or null. It never changes the app's default. */
  model: ModelChoice | null;
}

/**
 * The context at a leaf from resident bodies (CX1).
 * @param leafId as in `planContext`
 * @throws MissingBodiesError with the ids to load; then the call may be repeated
 */
export function buildContext(
  tree: SessionTree,
  leafId?: string | null,
  { asOf }: { asOf?: number } = {},
): SessionContext {
  const outline = outlineContext(tree, leafId, asOf);
  if (!outline) return { projection: [], messages: [], thinkingLevel: 'off', model: null };
  const { thinkingLevel, model } = outline.state;
  let items = outline.edits || outline.finder ? itemsOf(outline) : null;
  const messages = items ? messagesOf(items) : plainMessages(outline.tree, outline);
  let projection: ProjectionItem[] | null = null;
  return {
    messages,
    thinkingLevel,
    model,
    get projection() {
      items ??= itemsOf(outline);
      projection ??= items.map(({ sourceId, kind }, index) => ({
        sourceId,
        kind,
        message: messages[index] as ProjectedMessage,
      }));
      return projection;
    },
  };
}

function messagesOf(items: readonly PlanItem[]): ProjectedMessage[] {
  requireBodies(items, 0);
  return items.map((item) => projectItem(item));
}

/** Without view edits and pins the path itself is the list: one walk, nothing made but the array. */
function plainMessages(
  tree: SessionTree,
  { leaf, compaction, boundary, tailAfter }: ContextOutline,
): ProjectedMessage[] {
  const newestFirst: ProjectedMessage[] = [];
  const missing: string[] = [];
  tree.spine.collect(leaf, tailAfter, newestFirst, missing);
  if (compaction && boundary) tree.spine.collect(compaction.parent, boundary.parent, newestFirst, missing);
  if (missing.length > 0) throw new MissingBodiesError(missing.reverse());
  if (compaction) newestFirst.push(projectItem({ sourceId: compaction.id, kind: 'summary', node: compaction }));
  return newestFirst.reverse();
}

/** Ids of the bodies that the context at a leaf needs and that are not resident. O(context). */
export function contextBodyIds(tree: SessionTree, leafId?: string | null, asOf?: number): string[] {
  return missingBodies(planContext(tree, leafId, asOf).items, 0);
}

/** Ids of all entries whose bodies a plan needs, resident or not: what to keep when bodies are dropped. */
export function bodyIdsOf(plan: ContextPlan): Set<string> {
  const ids = new Set<string>();
  for (const { node, pinned } of plan.items) {
    ids.add(node.id);
    if (pinned) for (const entry of pinned) ids.add(entry.id);
  }
  return ids;
}

/** @throws MissingBodiesError if a body of the items from an index on is not resident */
export function requireBodies(items: readonly PlanItem[], from: number): void {
  const missing = missingBodies(items, from);
  if (missing.length > 0) throw new MissingBodiesError(missing);
}

function missingBodies(items: readonly PlanItem[], from: number): string[] {
  const missing: string[] = [];
  for (let i = from; i < items.length; i++) {
    const { node, pinned } = items[i] as PlanItem;
    if (!node.body) missing.push(node.id);
    if (pinned) for (const entry of pinned) if (!entry.body) missing.push(entry.id);
  }
  return missing;
}
