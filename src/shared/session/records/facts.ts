import { isRecord } from '../../checks';
import { shownName } from '../../cut-text';
import { OPAQUE_TYPE, type SessionEntry } from './entry';
import { isSent, type MessageWeight, weigh, weighBlocks } from './estimate';
import { blocksOf, isOfExtension, isText, SKILL, textOf } from './message-text';
import { OWN_ENTRIES, COST_TYPE, TITLE_TYPE } from './own-entries';

/** What may have become of a call (SU23). */
export const CALL_OUTCOMES = ['ran', 'failed', 'declined', 'stopped', 'notRun', 'interrupted'] as const;

/** Figures of one reply (TK1): tokens, cost in US dollars. */
export interface ReplyFacts {
  provider: string;
  model: string;
  stopReason: string;
  usageTokens: number;
  promptTokens: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}

/**
 * What the tree keeps of every entry, body or not: structure and figures. Small on purpose, because a session of 100,000
 * entries has 100,000 of them in memory.
 */
export interface EntryFacts {
  id: string;
  parentId: string | null;
  type: string;
  /** Unix milliseconds; NaN if the timestamp does not parse. */
  timestampMs: number;
  /** Annotates the session and never moves the leaf (SF10). */
  side: boolean;
  /** Yields a message in the context by itself, view edits aside. A compaction's summary is not counted here. */
  visible: boolean;
  turnStart: boolean;
  /** A custom message that the person isn't shown (`display: false`); the model is sent it. */
  silent: boolean;
  /** A reply that calls tools and says nothing. */
  mute: boolean;
  /** A message of role `user` that carries the body of a skill, or that an extension said: not the person's own words (PN4). */
  skill: boolean;
  /** A result with the person's own words: why they declined the call (PN4); from the tree on. */
  said: boolean;
  role?: string;
  customType?: string;
  toolName?: string;
  /** Raw token estimate (TK3); 0 if invisible. */
  raw: number;
  /** Images among it, a count. */
  images: number;
  /** Raw tokens of thinking among it. */
  thinking: number;
  /** Ids of the tool calls of a reply. */
  calls?: string[];
  /** For each of them the file that it was to change, as it named it (`shownName`), else empty; absent where none was. */
  paths?: string[];
  /** Call id that a tool result answers. */
  answers?: string;
  isError?: boolean;
  /** How a call or a command of the person ended, where it is not simply done; from the tree on. */
  ended?: { outcome: (typeof CALL_OUTCOMES)[number]; note: string | null };
  reply?: ReplyFacts;
}

const CONTROL_TYPES = new Set([
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'label',
  'session_info',
  'context_edit',
  'reset_boundary',
]);

interface Kind {
  type: string;
  customType?: unknown;
}

/** True for records that annotate the session and never move the leaf (SF10). */
export function isSideRecord(entry: Kind): boolean {
  if (entry.type === OPAQUE_TYPE) return (entry as { side?: unknown }).side === true;
  if (entry.type === 'label' || entry.type === 'session_info') return true;
  if (entry.type !== 'custom' || typeof entry.customType !== 'string') return false;
  return OWN_ENTRIES.get(entry.customType)?.isSide === true;
}

/** True for entries that the tree keeps whole, because context, labels or figures need what they say. */
export function isControl(entry: Kind): boolean {
  if (CONTROL_TYPES.has(entry.type)) return true;
  return entry.type === 'custom' && typeof entry.customType === 'string' && entry.customType.startsWith('espalier.');
}

/** True for an entry that the transcript shows by itself; choices of model or level, view edits and the like are not. */
export function isShown({ visible, type, side }: Pick<EntryFacts, 'visible' | 'type' | 'side'>): boolean {
  return visible || type === 'message' || type === 'compaction' || (type === OPAQUE_TYPE && !side);
}

/** Whether an entry can be a version of another (TR13): a compaction is none, what follows it follows what stands before it. */
export function isVersion(facts: Pick<EntryFacts, 'visible' | 'type' | 'side'>): boolean {
  return isShown(facts) && facts.type !== 'compaction';
}

const TURN_START_ROLES = new Set(['user', 'bashExecution', 'custom', 'hookMessage']);

/** The facts of an entry. Never throws on what a foreign writer left out. O(size of the entry). */
export function factsOf(entry: SessionEntry): EntryFacts {
  const facts = emptyFacts(entry);
  if (entry.type === 'message') addMessageFacts(facts, (entry as { message?: unknown }).message);
  else if (entry.type === 'custom_message') {
    addWeight(facts, weighBlocks((entry as { content?: unknown }).content));
    facts.visible = true;
    facts.turnStart = true;
    facts.silent = (entry as { display?: unknown }).display === false;
  } else if (entry.type === 'branch_summary') {
    const summary = textOf((entry as { summary?: unknown }).summary);
    facts.visible = facts.turnStart = summary.trim() !== '';
    if (facts.visible) addWeight(facts, weigh({ role: 'branchSummary', summary, fromId: '', timestamp: 0 }));
  }
  return facts;
}

/** The same fields in the same order for every entry: one hidden class, so that reading them in a walk stays fast. */
function emptyFacts(entry: SessionEntry): EntryFacts {
  const customType = (entry as Kind).customType;
  return {
    id: entry.id,
    parentId: typeof entry.parentId === 'string' ? entry.parentId : null,
    type: entry.type,
    timestampMs: typeof entry.timestamp === 'string' ? Date.parse(entry.timestamp) : Number.NaN,
    side: isSideRecord(entry as Kind),
    visible: false,
    turnStart: false,
    silent: false,
    mute: false,
    skill: false,
    said: false,
    role: undefined,
    customType: typeof customType === 'string' ? intern(customType) : undefined,
    toolName: undefined,
    raw: 0,
    images: 0,
    thinking: 0,
    calls: undefined,
    paths: undefined,
    answers: undefined,
    isError: undefined,
    ended: undefined,
    reply: undefined,
  };
}

function addWeight(facts: EntryFacts, weight: MessageWeight): void {
  facts.raw = weight.raw;
  facts.images = weight.images;
  facts.thinking = weight.thinking;
}

function addMessageFacts(facts: EntryFacts, message: unknown): void {
  if (!isRecord(message) || typeof message.role !== 'string') return;
  const sent = message as { role: string };
  facts.role = intern(message.role);
  facts.visible = isSent(sent);
  if (!facts.visible) return;
  facts.turnStart = TURN_START_ROLES.has(message.role);
  addWeight(facts, weigh(sent));
  if (message.role === 'user') facts.skill = isOfExtension(message) || isSkill(message.content);
  else if (message.role === 'assistant') {
    facts.calls = callIds(message.content);
    facts.paths = facts.calls && changedPaths(message.content);
    facts.mute =
      facts.calls !== undefined && !blocksOf(message.content).some((block) => isText(block) && /\S/.test(block.text));
    facts.reply = replyFacts(message);
  } else if (message.role === 'toolResult') {
    facts.answers = textOf(message.toolCallId);
    facts.toolName = intern(textOf(message.toolName));
    facts.isError = message.isError === true;
  }
}

/** Whether the person called a skill by its name. */
function isSkill(content: unknown): boolean {
  return blocksOf(content).find(isText)?.text.startsWith(SKILL) === true;
}

function callIds(content: unknown): string[] | undefined {
  const ids: string[] = [];
  for (const block of blocksOf(content)) if (block.type === 'toolCall') ids.push(textOf(block.id));
  return ids.length > 0 ? ids : undefined;
}

/** Tools that change the file they name. */
const CHANGES = new Set(['write', 'edit']);

function changedPaths(content: unknown): string[] | undefined {
  const paths: string[] = [];
  for (const block of blocksOf(content)) {
    if (block.type !== 'toolCall') continue;
    const path = CHANGES.has(textOf(block.name)) && isRecord(block.arguments) ? textOf(block.arguments.path) : '';
    paths.push(intern(shownName(path)));
  }
  return paths.some((path) => path !== '') ? paths : undefined;
}

/** Figures of a reply (TK1). Missing or senseless usage counts as 0. */
export function replyFacts(message: Record<string, unknown>): ReplyFacts {
  const usage = isRecord(message.usage) ? message.usage : {};
  const input = count(usage.input);
  const output = count(usage.output);
  const cacheRead = count(usage.cacheRead);
  const cacheWrite = count(usage.cacheWrite);
  const usageTokens = count(usage.totalTokens) || input + output + cacheRead + cacheWrite;
  return {
    provider: intern(textOf(message.provider)),
    model: intern(textOf(message.model)),
    stopReason: intern(textOf(message.stopReason)),
    usageTokens,
    promptTokens: input + cacheRead + cacheWrite || usageTokens,
    input,
    output,
    cacheRead,
    cacheWrite,
    cost: isRecord(usage.cost) ? amount(usage.cost.total, MAX_COST) : 0,
  };
}

/** True for a reply whose usage counts: it neither failed nor was aborted, and it reports tokens (TK1). */
export function isValidReply(reply: ReplyFacts | undefined): reply is ReplyFacts {
  return reply !== undefined && !isFailedReply(reply) && reply.usageTokens > 0;
}

/** True for a reply that ended in an error or was aborted. */
export function isFailedReply(reply: ReplyFacts): boolean {
  return reply.stopReason === 'error' || reply.stopReason === 'aborted';
}

/** More tokens than any server counts in one request: what is above it is not a count. Sums of such stay exact numbers. */
const MAX_TOKENS = 1e12;
/** More dollars than one reply or summary costs. */
const MAX_COST = 1e6;

/** A whole number of tokens; what can't be one counts as 0. */
function count(value: unknown): number {
  return Math.floor(amount(value, MAX_TOKENS));
}

function amount(value: unknown, most: number): number {
  return typeof value === 'number' && value > 0 && value <= most ? value : 0;
}

const interned = new Map<string, string>();
/** A hostile file could invent a new model name per entry; past this the names are simply not shared. */
const MAX_INTERNED = 2000;

/** The one copy of a string that repeats over a session (roles, providers, models), which halves the size of replies. */
export function intern(text: string): string {
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size < MAX_INTERNED && text.length < 200) interned.set(text, text);
  return text;
}

/**
 * Cost in US dollars of the calls that wrote a summary or a title: its `usage`, else what our `details` say (SF9, TK9); of a title, and of
 * what was discarded, what its record says (SF25, GR17).
 */
export function summaryCostOf(entry: SessionEntry | undefined): number {
  const { customType, data } = (entry ?? {}) as { customType?: unknown; data?: unknown };
  if (entry?.type === 'custom' && (customType === TITLE_TYPE || customType === COST_TYPE)) return recordedCost(data);
  if (!entry || (entry.type !== 'compaction' && entry.type !== 'branch_summary')) return 0;
  const { usage, details } = entry as { usage?: unknown; details?: unknown };
  const reported = isRecord(usage) && isRecord(usage.cost) ? usage.cost.total : undefined;
  if (typeof reported === 'number' && Number.isFinite(reported)) return believable(reported);
  const ours = isRecord(details) && isRecord(details.espalier) ? details.espalier.cost : undefined;
  return typeof ours === 'number' && Number.isFinite(ours) ? believable(ours) : 0;
}

function recordedCost(data: unknown): number {
  const cost = isRecord(data) ? data.cost : undefined;
  return typeof cost === 'number' && Number.isFinite(cost) ? believable(cost) : 0;
}

/** More dollars than a summary costs, or fewer than none, are no cost. */
function believable(dollars: number): number {
  return dollars >= 0 && dollars <= MAX_COST ? dollars : 0;
}

/** Of a file with many senseless names of providers so many are kept. */
const MOST_UNPRICED = 100;

/** Takes note of whoever was asked for a reply or a summary that came without a price: what it cost is not known (TK9). */
export function noteUnpriced(providers: Set<string>, facts: EntryFacts, entry: SessionEntry | undefined): void {
  const provider = askedBy(facts, entry);
  if (provider !== '' && providers.size < MOST_UNPRICED) providers.add(provider);
}

/** The provider that was asked for a reply or a summary; empty where none was. */
export function askedBy({ reply }: EntryFacts, entry: SessionEntry | undefined): string {
  if (!reply) return writerOf(entry);
  return reply.usageTokens > 0 ? (reply.provider ?? '') : '';
}

/** The provider that calls of ours for a summary went to, empty where there were none. */
function writerOf(entry: SessionEntry | undefined): string {
  if (entry?.type !== 'compaction' && entry?.type !== 'branch_summary') return '';
  const { details } = entry as { details?: unknown };
  const { model, calls } = (isRecord(details) && isRecord(details.espalier) ? details.espalier : {}) as Record<
    string,
    unknown
  >;
  return typeof calls === 'number' && calls > 0 ? (textOf(model).split('/', 1)[0] ?? '') : '';
}
