import { type PlanItem, rawOfPin, weighItem, weighPinned } from '../session/messages/plan-item';
import { isRecord } from '../checks';
import { beginningOf, MAX_NAME_CHARS, shownCallId } from '../cut-text';
import { isValidReply } from '../session/records/facts';
import { IMAGE_TOKENS } from '../session/records/estimate';
import type { ModelChoice, TreeNode } from '../session/records/tree-node';
import type { WindowItem } from './cut';
import type { CompactionLimits } from './limits';
import { planIn } from './plan';
import type { CutWindow, NothingReason, PlanOptions } from './plan';
import { callersOf } from './call-results';
import { DEFAULT_TOOL_RESULT_CHARS, keptOfResult } from './serialize';

/** What an item of the window is, for its row in the sheet. */
export type PreviewKind = 'user' | 'assistant' | 'tool' | 'command' | 'branch' | 'note';

/** An entry as a list names it: its words come from its body. */
export interface ListedItem {
  id: string;
  kind: PreviewKind;
  /** Name of the tool whose result this is. */
  tool?: string;
  /** On a tool result: the entry and the id of the call that it answers. */
  call?: { entryId: string; id: string };
}

/** One entry that a compaction may summarise or keep. Tokens are raw. */
export interface PreviewItem extends ListedItem {
  raw: number;
  /** What a summary request holds of it. */
  sent: number;
  isLegalCut: boolean;
  isTurnStart: boolean;
  /** What it takes as a pin once a summary hides it; absent: not pinned. */
  pin?: number;
  /** On a message that may be kept word for word (PN4): what it takes then, 0 if it is pinned anyway; absent: it is not kept so. */
  words?: number;
  /** Files that its calls name and nothing before it did; absent: none. */
  files?: number;
}

/** A model that may write the summary. */
export interface SummaryModel extends ModelChoice {
  name: string;
  /** Effective window, tokens; 0: unknown. */
  window: number;
  /** Tokens that one raw token is for it. */
  ratio: number;
  /** US dollars per million tokens; null: not known. */
  price: { input: number; output: number } | null;
}

/** How the session's model was paid for its prompts lately. */
export interface Traffic {
  /** US dollars for one prompt token, cache hits included. */
  tokenPrice: number;
  /** US dollars for one prompt token that no cache holds: what the first request after a compaction costs. */
  freshPrice: number;
  requestsPerTurn: number;
}

/** A window to cut, as plain data: from it the numbers of every cut follow without asking again (PL13). */
export interface CompactPreview {
  /** The leaf that it was made for. */
  leafId: string | null;
  items: PreviewItem[];
  /** First kept entry of what `/compact` would do; null if it would do nothing. */
  suggested: string | null;
  /** Why `/compact` would do nothing, in words for the person. */
  nothing: { reason: NothingReason; text: string } | null;
  tokensBefore: number;
  ratio: number;
  /** Raw tokens of system prompt and tools. */
  overhead: number;
  limits: CompactionLimits;
  /** Raw tokens of pinned blocks that the context shows already. */
  shownPins: number;
  /** Raw tokens of the block around pins, once there is one. */
  pinBlock: number;
  /** Raw tokens of the person's newest messages that are kept word for word; 0: none. */
  keepUserTokens: number;
  /** The person's messages before the window that may be kept so, newest first. */
  earlierWords: Pick<Required<PreviewItem>, 'raw' | 'words'>[];
  /** Raw tokens of the summary that this one updates, 0 without one. */
  previousSummary: number;
  /** Files that it names; null: files are not known at all. */
  previousFiles: number | null;
  /** Raw tokens of the prompts of one summary call. */
  promptTokens: number;
  /** Requests beside those about the messages: for the line in lists. */
  extraRequests: number;
  /** Milliseconds that a request of the compaction before took; null: not known. */
  requestMs: number | null;
  /** Usable models, the one that is asked by default first. */
  models: SummaryModel[];
  /** Null: what a turn costs is not known. */
  traffic: Traffic | null;
}

/** What main adds to the window: figures that do not follow from the tree's structure. */
export interface PreviewParts {
  files: FileCounts | null;
  promptTokens: number;
  models: SummaryModel[];
  traffic: Traffic | null;
  extraRequests?: number;
  /** Characters of a tool result that a summary request holds. */
  toolResultChars?: number;
}

export interface FileCounts {
  /** Files that the compaction before named. */
  previous: number;
  /** For each item of the window: files that it is the first to name. */
  first: readonly number[];
}

/** The preview of a window. Pure; O(window). */
export function buildPreview(source: CutWindow, options: PlanOptions, parts: PreviewParts): CompactPreview {
  const { window, context, pins, shownPins } = source;
  const answer = planIn(source, { ...options, isManual: true, cutAt: undefined });
  const chars = parts.toolResultChars ?? DEFAULT_TOOL_RESULT_CHARS;
  const keepUserTokens = options.settings.keepUserMessageTokens ?? 0;
  const own = keepUserTokens > 0 ? source.own() : [];
  const wordsAt = new Map(own.map(({ node, at }) => [at, wordsOf(node, pins)]));
  const callers = callersOf(window.map(({ item }) => item));
  return {
    leafId: context.leaf?.id ?? null,
    items: window.map((entry, index) => {
      const { item, raw, isLegalCut, isTurnStart } = entry;
      const call = callOf(item, window[callers[index] ?? -1]?.item);
      const files = parts.files?.first[index] ?? 0;
      const words = wordsAt.get(index);
      return {
        ...listedItem(item.node),
        ...(call ? { call } : {}),
        raw,
        sent: sentOf(entry, chars),
        isLegalCut,
        isTurnStart,
        ...(pins.has(item.sourceId) ? { pin: rawOfPin(item.node) } : {}),
        ...(words === undefined ? {} : { words }),
        ...(files > 0 ? { files } : {}),
      };
    }),
    suggested: answer.ok ? answer.plan.firstKeptEntryId : null,
    nothing: answer.ok ? null : { reason: answer.reason, text: answer.text },
    tokensBefore: options.tokensBefore,
    ratio: options.ratio ?? 1,
    overhead: options.overhead ?? 0,
    limits: options.limits ?? NO_LIMITS,
    shownPins,
    pinBlock: weighPinned([]).raw,
    keepUserTokens,
    earlierWords: own.flatMap(({ node, raw, at }) => (at < 0 ? [{ raw, words: wordsOf(node, pins) }] : [])),
    previousSummary: source.previousSummary,
    previousFiles: parts.files ? parts.files.previous : null,
    promptTokens: parts.promptTokens,
    extraRequests: parts.extraRequests ?? 0,
    requestMs: requestMsOf(context.compaction?.body),
    models: parts.models,
    traffic: parts.traffic,
  };
}

/** How long each call of a stored compaction took. What the file says of it may be anything. */
function requestMsOf(compaction: unknown): number | null {
  const { durationMs, calls } = recordOf(recordOf(recordOf(compaction).details).espalier);
  const isMeasured = typeof durationMs === 'number' && typeof calls === 'number' && calls >= 1 && durationMs > 0;
  return isMeasured ? Math.min(durationMs / calls, LONGEST_REQUEST_MS) : null;
}

const LONGEST_REQUEST_MS = 60 * 60 * 1000;

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** What a message takes if it is kept word for word. */
function wordsOf(node: TreeNode, pins: ReadonlySet<string>): number {
  return pins.has(node.id) ? 0 : rawOfPin(node);
}

const NO_LIMITS: CompactionLimits = {
  window: null,
  reserve: null,
  threshold: null,
  hardLine: null,
  isReserveTooLarge: false,
};

/** How the replies of a window were paid for, if they say it: without their prices a promise would be a guess. */
export function trafficOf(
  window: readonly WindowItem[],
  model: ModelChoice,
  price: { input: number; cacheRead: number; cacheWrite: number },
): Traffic | null {
  let fresh = 0;
  let cached = 0;
  let written = 0;
  let requests = 0;
  let turns = 0;
  for (const { item } of window) {
    const { reply, role } = item.node.facts;
    if (role === 'user') turns++;
    if (!isValidReply(reply)) continue;
    requests++;
    if (reply.provider !== model.provider || reply.model !== model.modelId) continue;
    fresh += reply.input;
    cached += reply.cacheRead;
    written += reply.cacheWrite;
  }
  const tokens = fresh + cached + written;
  if (tokens === 0 || turns === 0 || price.input <= 0) return null;
  const paid = fresh * price.input + cached * price.cacheRead + written * price.cacheWrite;
  const freshPrice = written > 0 ? Math.max(price.input, price.cacheWrite) : price.input;
  return { tokenPrice: paid / tokens / 1e6, freshPrice: freshPrice / 1e6, requestsPerTurn: requests / turns };
}

/** An entry as a list names it, without the call that it answers. */
export function listedItem(node: TreeNode): ListedItem {
  const { id, toolName } = node.facts;
  return { id, kind: kindOf(node), ...(toolName ? { tool: beginningOf(toolName, MAX_NAME_CHARS) } : {}) };
}

function kindOf({ facts: { type, role } }: TreeNode): PreviewKind {
  if (type === 'branch_summary') return 'branch';
  if (role === 'user' || role === 'assistant') return role;
  if (role === 'toolResult') return 'tool';
  return role === 'bashExecution' || role === 'pythonExecution' ? 'command' : 'note';
}

/** The line that a summary request has in place of an image. */
const IMAGE_LINE_TOKENS = 8;
/** The note behind a result that was cut. */
const CUT_NOTE_TOKENS = 10;

/** Raw tokens of an item in a summary request (SU22): no thinking, no images, long outputs cut. An estimate. */
function sentOf({ item, raw }: WindowItem, toolResultChars: number): number {
  const { images, thinking } = weighItem(item);
  const kind = kindOf(item.node);
  const text = Math.max(0, raw - thinking - images * IMAGE_TOKENS);
  const { toolName, isError } = item.node.facts;
  // The call says what it changed (SU21).
  if (toolName === 'edit' && isError === false) return images * IMAGE_LINE_TOKENS;
  const isOutput = kind === 'tool' || kind === 'command';
  const most = isOutput ? Math.ceil(keptOfResult(toolName ?? '', toolResultChars) / 4) + CUT_NOTE_TOKENS : text;
  return Math.min(text, most) + images * IMAGE_LINE_TOKENS;
}

function callOf({ node: { facts } }: PlanItem, caller: PlanItem | undefined): PreviewItem['call'] | undefined {
  return caller && { entryId: caller.sourceId, id: shownCallId(facts.answers ?? '') };
}
