import { type ContextOutline, type ContextPlan, itemsOf, outlineContext } from '../session/context/context-plan';
import { type PlanItem, weighItem } from '../session/messages/plan-item';
import type { CompactionEntry } from '../session/records/entry';
import { textOf } from '../session/records/message-text';
import { estimateText } from '../session/records/estimate';
import { isRecord } from '../checks';
import type { SessionTree } from '../session/tree/tree';
import type { TreeNode } from '../session/records/tree-node';
import {
  type CutPoint,
  divideAt,
  findCutPoint,
  keptWords,
  type OwnMessage,
  ownMessages,
  windowInOrder,
  type WindowItem,
  windowOf,
} from './cut';
import type { CompactionLimits } from './limits';
import { stripTagBlocks } from '../session/records/own-marks';

/** Room for a summary in the estimates: at least this many tokens (PL5). */
export const MIN_SUMMARY_TOKENS = 512;
/** Share of the threshold that a compaction must come below to be worth it (PL5, TG13). */
export const PROGRESS_SHARE = 0.8;

interface PlanSettings {
  /** Tokens of the newest messages that stay word for word. */
  keepRecentTokens: number;
  /** Raw tokens of the person's newest messages that stay word for word (PN4); 0: none. */
  keepUserMessageTokens?: number;
}

export interface PlanOptions {
  settings: PlanSettings;
  /** D, tokens (TK6). */
  tokensBefore: number;
  /** Tokens that one raw token is for the model. */
  ratio?: number;
  /** Raw tokens of system prompt and tools. */
  overhead?: number;
  /** Window, threshold and reserve; null or without threshold: nothing is projected against one. */
  limits?: CompactionLimits | null;
  /** The entry that a person chose as the first kept one. */
  cutAt?: string;
  /** 1, 2 or 3: each further pass keeps half as much. */
  pass?: number;
  /** False: nobody asked for it, so it must gain something. */
  isManual?: boolean;
  /** The provider refused the context: the ratio is a guess that makes it as long as the window, so overhead says nothing. */
  isOverflow?: boolean;
  /** Entries left out as if they were not in the context: a failed reply that is about to be retried (JB10). */
  exclude?: ReadonlySet<string>;
}

/** Tokens of a plan, for the person and for the guards. */
export interface PlanEstimates {
  /** Raw tokens of what the summary will cover. */
  region: number;
  /** Raw tokens of what stays. */
  kept: number;
  /** Raw tokens of pinned messages that the summary would hide. */
  pins: number;
  overhead: number;
  /** Calibrated tokens that the summary may take. */
  summary: number;
  /** D after the compaction, calibrated. */
  projected: number;
  /** tokensBefore − projected. */
  gain: number;
}

/** What a compaction will do (PL8). Nothing in it depends on bodies. */
export interface CompactionPlan {
  firstKeptEntryId: string;
  /** Whole turns before the cut, oldest first. */
  messagesToSummarize: PlanItem[];
  /** The beginning of the turn that the cut divides, if it does. */
  turnPrefixMessages: PlanItem[];
  keptMessages: PlanItem[];
  isSplitTurn: boolean;
  /** Position on the path of the divided turn's start, −1 if none is divided. */
  turnStartIndex: number;
  tokensBefore: number;
  /** The compaction that this one builds on. */
  previous: TreeNode | null;
  /** Its text without our tag blocks. */
  previousSummary: string | undefined;
  previousPreserveData: Record<string, unknown> | undefined;
  keptUserEntryIds: string[];
  estimates: PlanEstimates;
}

export type NothingReason =
  'no-messages' | 'already-compacted' | 'too-small' | 'no-cut-point' | 'fixed-overhead' | 'no-gain';

/** Why there is nothing to do: `text` answers a person's command (PL14). */
interface NothingToDo {
  reason: NothingReason;
  text: string;
}

export type PlanResult = { ok: true; plan: CompactionPlan } | ({ ok: false } & NothingToDo);

/** A window to cut, the same for every place that a person tries. */
export interface CutWindow {
  context: Pick<ContextPlan, 'leaf' | 'compaction'>;
  window: readonly WindowItem[];
  /** Raw tokens of all of it. */
  raw: number;
  /** Raw tokens of pinned blocks that the context shows already, without what the compaction before keeps of the person's words. */
  shownPins: number;
  pins: ReadonlySet<string>;
  /** Raw tokens of the summary that a compaction takes up, without our tag blocks; 0: there is none. */
  previousSummary: number;
  /** The person's messages that may stand beside the summary, newest first; found when they are asked for first. */
  own: () => readonly OwnMessage[];
  /** Something visible came after the previous compaction. */
  hasNew: boolean;
}

/** The entries that a compaction at a leaf may divide: the projection without the summary that it builds on. O(items). */
export function cutWindow(tree: SessionTree, leafId: string | null, exclude?: ReadonlySet<string>): CutWindow {
  const outline = outlineContext(tree, leafId);
  const plain = outline && !exclude?.size ? plainWindow(outline) : null;
  const { window, shownPins } = plain ? { window: plain, shownPins: 0 } : anyWindow(outline, exclude);
  const [leaf, compaction] = outline ? [outline.leaf, outline.compaction] : [null, null];
  const last = window.at(-1)?.item;
  const hasNew = last !== undefined && (compaction === null || last.node.depth > compaction.depth);
  let found: OwnMessage[] | undefined;
  const own = (): OwnMessage[] => (found ??= ownMessages(outline, window));
  const context = { leaf, compaction };
  const previousSummary = estimateText(
    stripTagBlocks(textOf((compaction?.body as CompactionEntry | undefined)?.summary)),
  );
  return { context, window, raw: rawOf(window, 0), shownPins, pins: tree.pins, previousSummary, own, hasNew };
}

/** The window of a context without pins and view edits; null if it has some, or its results are out of order. */
function plainWindow({
  tree,
  leaf,
  compaction,
  boundary,
  tailAfter,
  edits,
  finder,
}: ContextOutline): WindowItem[] | null {
  if (edits || finder) return null;
  const places: number[] = [];
  tree.spine.visible(leaf, tailAfter, places);
  if (compaction && boundary) tree.spine.visible(compaction.parent, boundary.parent, places);
  return windowInOrder(tree.spine, places.reverse());
}

function anyWindow(
  outline: ContextOutline | null,
  exclude?: ReadonlySet<string>,
): { window: WindowItem[]; shownPins: number } {
  const entries: PlanItem[] = [];
  let shownPins = 0;
  for (const item of outline ? itemsOf(outline) : []) {
    if (item.kind === 'pins') shownPins += weighPins((item.pinned ?? []).filter(({ id }) => outline?.pins.has(id)));
    else if (item.kind !== 'summary' && !exclude?.has(item.sourceId)) entries.push(item);
  }
  return { window: windowOf(entries), shownPins };
}

/**
 * Plans a compaction in a window (PL1 to PL8): pure, the same in main and in the window's preview. O(window), for each halving
 * again.
 * @returns the plan, or why there is nothing to do
 */
export function planIn(source: CutWindow, options: PlanOptions): PlanResult {
  const { window, hasNew, context } = source;
  const { cutAt, pass = 1 } = options;
  if (window.length === 0 && context.compaction === null) {
    return nothing('no-messages', 'Nothing to compact (no messages yet)');
  }
  if (!hasNew && pass === 1 && cutAt === undefined) return nothing('already-compacted', 'Already compacted');
  const fixed = fixedOverhead(source, options);
  if (fixed) return fixed;
  return cutAt === undefined ? planByBudget(source, options) : planAt(source, options, cutAt);
}

function planByBudget(source: CutWindow, options: PlanOptions): PlanResult {
  const { window } = source;
  const { settings, ratio = 1, pass = 1, limits, isManual = false } = options;
  const budget = Math.max(1, Math.floor(settings.keepRecentTokens / ratio));
  let keep = Math.max(1, Math.floor(budget / 2 ** (pass - 1)));
  let cut = findCutPoint(window, keep);
  let { projected } = estimate(source, cut.firstKept, options);
  const goal = limits?.threshold ? Math.floor(PROGRESS_SHARE * limits.threshold) : Number.POSITIVE_INFINITY;
  // One large message may keep the cut where it is for a halving or two; budget 1 is the newest cut there is.
  while (projected > goal && keep > 1) {
    keep = Math.max(1, Math.floor(keep / 2));
    const next = findCutPoint(window, keep);
    if (next.firstKept !== cut.firstKept) ({ projected } = estimate(source, next.firstKept, options));
    cut = next;
  }
  if (!window.some(({ isLegalCut }, index) => isLegalCut && index > 0)) return noCutPoint();
  if (!cut.isReached || cut.firstKept === 0) {
    return nothing(
      'too-small',
      `Nothing to compact (session too small): below the ${settings.keepRecentTokens}-token keep budget`,
    );
  }
  const plan = describe(source, cut, options);
  if (!isManual && plan.estimates.projected >= plan.tokensBefore) {
    return nothing('no-gain', 'Compaction would not make the context smaller');
  }
  return { ok: true, plan };
}

function planAt(source: CutWindow, options: PlanOptions, cutAt: string): PlanResult {
  const { window } = source;
  const firstKept = window.findIndex(({ item }) => item.sourceId === cutAt);
  if (firstKept <= 0 || !window[firstKept]?.isLegalCut) return noCutPoint();
  return { ok: true, plan: describe(source, { ...divideAt(window, firstKept), isReached: true }, options) };
}

function describe(source: CutWindow, cut: CutPoint, options: PlanOptions): CompactionPlan {
  const { window, context } = source;
  const { firstKept, turnStart, isSplit } = cut;
  const historyEnd = isSplit ? turnStart : firstKept;
  const previous = context.compaction;
  const body = previous?.body as CompactionEntry | undefined;
  const summary = textOf(body?.summary);
  return {
    firstKeptEntryId: window[firstKept]?.item.sourceId ?? '',
    messagesToSummarize: itemsBetween(window, 0, historyEnd),
    turnPrefixMessages: itemsBetween(window, historyEnd, firstKept),
    keptMessages: itemsBetween(window, firstKept, window.length),
    isSplitTurn: isSplit,
    turnStartIndex: isSplit ? (window[turnStart]?.item.node.depth ?? -1) : -1,
    tokensBefore: options.tokensBefore,
    previous,
    previousSummary: previous ? stripTagBlocks(summary) : undefined,
    previousPreserveData: isRecord(body?.preserveData) ? body.preserveData : undefined,
    keptUserEntryIds: keptUserEntries(source, firstKept, options),
    estimates: estimate(source, firstKept, options),
  };
}

function itemsBetween(window: readonly WindowItem[], from: number, to: number): PlanItem[] {
  const items: PlanItem[] = [];
  addItems(items, window, from, to);
  return items;
}

function addItems(into: PlanItem[], window: readonly WindowItem[], from: number, to: number): void {
  for (let index = from; index < to; index++) into.push((window[index] as WindowItem).item);
}

/** Raw tokens of a window from an index on. */
function rawOf(window: readonly WindowItem[], from: number): number {
  let raw = 0;
  for (let index = from; index < window.length; index++) raw += (window[index] as WindowItem).raw;
  return raw;
}

/** The person's newest messages before a cut that stay word for word, on the path's order (PN4). */
export function keptUserEntries(source: CutWindow, firstKept: number, { settings }: PlanOptions): string[] {
  const budget = settings.keepUserMessageTokens ?? 0;
  if (budget <= 0) return [];
  const kept = keptWords(source.own(), firstKept, budget);
  return kept.map(({ node }) => node.id).reverse();
}

/** Tokens of a plan (PL5). O(window), mostly O(kept). */
export function estimate(source: CutWindow, firstKept: number, options: PlanOptions): PlanEstimates {
  const { window, shownPins } = source;
  const kept = rawOf(window, firstKept);
  const pins = shownPins + weighPins(hiddenPins(source, firstKept, options));
  return estimateOf({ region: source.raw - kept, kept, pins }, options);
}

/** Messages that a cut hides and that stay word for word: pinned, or the newest of the person's; without those in `shownPins`. */
function hiddenPins(source: CutWindow, firstKept: number, { settings }: PlanOptions): TreeNode[] {
  const { window, pins } = source;
  const budget = settings.keepUserMessageTokens ?? 0;
  const own = budget > 0 ? keptWords(source.own(), firstKept, budget) : [];
  const words = own.flatMap(({ node }) => (pins.has(node.id) ? [] : [node]));
  if (pins.size === 0) return words;
  const pinned = window.slice(0, firstKept).flatMap(({ item }) => (pins.has(item.sourceId) ? [item.node] : []));
  return [...pinned, ...words];
}

/** The same from sums that are known already. O(1). */
export function estimateOf(
  { region, kept, pins }: Pick<PlanEstimates, 'region' | 'kept' | 'pins'>,
  {
    ratio = 1,
    overhead = 0,
    tokensBefore,
    limits,
    previousSummary = 0,
  }: Omit<PlanOptions, 'settings'> & { previousSummary?: number },
): PlanEstimates {
  const mostSummary = Math.floor(0.8 * (limits?.reserve ?? Number.POSITIVE_INFINITY));
  // What is shown counts the summary before, which the next takes up; a plan is made without it (PL5).
  const expected = Math.max(previousSummary + Math.floor(0.1 * region), MIN_SUMMARY_TOKENS);
  const summary = Math.min(expected, Math.max(mostSummary, 1));
  const projected = Math.ceil(ratio * (overhead + summary + pins + kept));
  return { region, kept, pins, overhead, summary, projected, gain: tokensBefore - projected };
}

function weighPins(nodes: TreeNode[]): number {
  const [first] = nodes;
  return first ? weighItem({ sourceId: first.id, kind: 'pins', node: first, pinned: nodes }).raw : 0;
}

function fixedOverhead(
  source: CutWindow,
  { ratio = 1, overhead = 0, limits, isOverflow = false }: PlanOptions,
): PlanResult | null {
  if (!limits?.threshold || isOverflow) return null;
  const fixed = Math.ceil(ratio * (overhead + source.shownPins));
  const most = Math.floor(PROGRESS_SHARE * limits.threshold);
  if (fixed <= most) return null;
  const text = `Compaction cannot help: system prompt, tools and pins use ${fixed} of ${limits.threshold} tokens`;
  return nothing('fixed-overhead', text);
}

function noCutPoint(): PlanResult {
  return nothing('no-cut-point', 'Nothing to compact (one exchange cannot be divided)');
}

function nothing(reason: NothingReason, text: string): PlanResult {
  return { ok: false, reason, text };
}
