import { estimateText, IMAGE_TOKENS, type MessageWeight, weigh } from '../records/estimate';
import { textOf } from '../records/message-text';
import type { PlainItem, TreeNode } from '../records/tree-node';
import {
  applyEdit,
  elisionNotice,
  IMAGE_REMOVED_NOTICE,
  SHORTEN_HEAD,
  SHORTEN_TAIL,
  type ViewEdit,
} from './view-edits';

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

/** The item of a visible entry without view edits. Kept at its node: most items of a context are the same each time. */
export function plainItem(node: TreeNode): PlanItem {
  return (node.plainItem ??= makePlainItem(node));
}

function makePlainItem(node: TreeNode): PlainItem {
  const { id, type } = node.facts;
  return { sourceId: id, kind: type === 'branch_summary' ? 'branch' : 'message', node, edit: undefined };
}

/** Raw tokens of a context by kind (TK9). `raw` is their sum. */
export interface ContextTotals {
  raw: number;
  summary: number;
  pins: number;
  messages: number;
  toolOutputs: number;
  images: number;
  thinking: number;
}

/** The totals of an empty context. */
export function noTotals(): ContextTotals {
  return { raw: 0, summary: 0, pins: 0, messages: 0, toolOutputs: 0, images: 0, thinking: 0 };
}

/** The totals of a context. O(items). */
export function totalsOf(items: readonly PlanItem[]): ContextTotals {
  const totals = noTotals();
  for (const item of items) addWeight(totals, item);
  return totals;
}

const OUTPUT_ROLES = new Set(['toolResult', 'bashExecution', 'pythonExecution']);

/** True for the role of what a tool or a command printed. */
export function isOutput(role: string | undefined): boolean {
  return role !== undefined && OUTPUT_ROLES.has(role);
}

/** Adds one item to totals and gives its raw tokens. O(1) for items without edits. */
export function addWeight(totals: ContextTotals, item: PlanItem): number {
  const { raw, images, thinking } = weighItem(item);
  totals.raw += raw;
  const imageTokens = Math.min(raw, images * IMAGE_TOKENS);
  const rest = raw - imageTokens - thinking;
  totals.images += imageTokens;
  totals.thinking += thinking;
  if (item.kind === 'summary' || item.kind === 'branch') totals.summary += rest;
  else if (item.kind === 'pins') totals.pins += rest;
  else if (isOutput(item.node.facts.role)) totals.toolOutputs += rest;
  else totals.messages += rest;
  return raw;
}

/** Tokens for the line that names a pinned entry. */
const PINNED_LINE_TOKENS = 8;

/** Raw tokens of an item as the context shows it, from facts: no body is needed. */
export function weighItem(item: PlanItem): MessageWeight {
  const { kind, node, edit, pinned } = item;
  if (pinned) return weighPinned(pinned.map((entry) => entry.facts));
  if (edit?.replacement) return weighReplaced(item, edit);
  if (edit?.prune) return weighPruned(item, edit.prune);
  if (kind !== 'summary') return node.facts;
  return { raw: node.body ? summaryRaw(node.body) : 0, images: 0, thinking: 0 };
}

/** What summaries weigh; they never change, and every context after one begins with it. */
const summaryRaws = new WeakMap<object, number>();

function summaryRaw(body: object): number {
  const known = summaryRaws.get(body);
  if (known !== undefined) return known;
  const raw = estimateText(textOf((body as { summary?: unknown }).summary));
  summaryRaws.set(body, raw);
  return raw;
}

/** Weight of a block of pinned messages. */
export function weighPinned(entries: readonly MessageWeight[]): MessageWeight {
  const total = { raw: PINNED_LINE_TOKENS, images: 0, thinking: 0 };
  for (const { raw, images, thinking } of entries) {
    total.raw += raw - thinking + PINNED_LINE_TOKENS;
    total.images += images;
  }
  return total;
}

/** Raw tokens of a pinned message in its block, without those of the block itself. */
export function rawOfPin({ facts }: TreeNode): number {
  return weighPinned([facts]).raw - weighPinned([]).raw;
}

function weighReplaced({ kind, node }: PlanItem, edit: ViewEdit): MessageWeight {
  const role =
    kind === 'summary' ? 'compactionSummary' : kind === 'branch' ? 'branchSummary' : (node.facts.role ?? 'custom');
  return weigh(applyEdit({ role, content: '', timestamp: 0 }, edit));
}

function weighPruned({ node }: PlanItem, { mode, tokens }: NonNullable<ViewEdit['prune']>): MessageWeight {
  const { raw, images, thinking } = node.facts;
  const shown = (): MessageWeight | null =>
    node.body && 'message' in node.body
      ? weigh(applyEdit(node.body.message as never, { omitted: false, prune: { mode, tokens } }))
      : null;
  // Exact but for the sentence about a command that the person changed, which only a resident body tells.
  if (mode === 'elide') return shown() ?? { raw: estimateText(elisionNotice(tokens)), images: 0, thinking: 0 };
  const text = raw - images * IMAGE_TOKENS;
  if (mode === 'images') {
    return { raw: text === 0 && images > 0 ? estimateText(IMAGE_REMOVED_NOTICE) : text, images: 0, thinking };
  }
  // Exact for Latin text; of a wide script the head and tail weigh up to four times this, which only a resident body tells.
  const shortened = Math.ceil((SHORTEN_HEAD + SHORTEN_TAIL) / 4) + PINNED_LINE_TOKENS;
  return shown() ?? { raw: Math.min(text, shortened) + images * IMAGE_TOKENS, images, thinking };
}
