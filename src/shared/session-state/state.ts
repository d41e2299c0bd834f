/** What main and window show of a live session (EV8): one type, which `reduce` alone changes. Plain JSON. */
import type { ContextUsage, Failure, LiveReply, LiveTool, ModelRef, QueueItem, RetryWait, StoredLine } from '../types';
import type { LiveJob, SummaryFailure } from '../compaction/summary-job';
import { type ExtensionQuestion, type ExtensionShows, SHOWS_NOTHING } from '../extensions/ui';
import type { ApprovalView } from '../policy/approval';
import type { CallEnd } from '../policy/call-outcome';

/** What a session is doing (EV11). */
export type Phase = 'idle' | 'running' | 'waiting' | 'retrying' | 'job' | 'rewriting' | 'stopping' | 'closing';

export type RowKind =
  | 'user'
  | 'assistant'
  | 'toolResult'
  | 'compaction'
  | 'branchSummary'
  /** A compaction that was taken back on this path; its entry is on another branch. */
  | 'undone'
  /** Tool outputs were hidden from the model. */
  | 'prune'
  | 'bash'
  | 'custom'
  | 'modelChange'
  | 'thinkingChange'
  /** An entry that can't be read: the row says so. */
  | 'opaque'
  /** Where a session that was handed off comes from. */
  | 'reference'
  /** An entry or a message of a type that is not known: the row says so. */
  | 'unknown'
  /** Nothing is drawn of it. */
  | 'silent';

/** One path entry as transcript and graph need it before its body is loaded. It travels with its entry. */
export interface Row {
  id: string;
  /** The nearest path entry above: an imported file may hang entries at labels. */
  parentId: string | null;
  seq: number;
  kind: RowKind;
  /** Unix milliseconds. */
  time: number;
  /** Raw estimate; 0 where the model is sent nothing of it. */
  tokens: number;
  /** On a tool result: the call that it answers. */
  callId?: string;
  /** Nothing is drawn of it, though the model is sent it. */
  silent?: true;
  /** A reply that calls tools and says nothing. */
  mute?: true;
  /** A reply that failed. */
  failed?: true;
  /** A reply that the person stopped. */
  stopped?: true;
  /** The result of a tool that changed a file. */
  changed?: true;
  /** Which one, as its call named it (`shownName`). */
  file?: string;
  /** On a tool result: the tool (`shownName`). */
  tool?: string;
  /** How a call or a command of the person ended, where it is not simply done. */
  ended?: CallEnd;
  /** US dollars that its request came to; absent: nothing, or it is a copy, whose original is counted (GR17). */
  cost?: number;
  /** The provider that was asked, where what it took has no price (TK9). */
  unpriced?: string;
  /** On a branch summary: the leaf of the branch that it tells of. */
  fromId?: string;
  /** It was brought over (BR14). */
  broughtOver?: true;
  /** On a message with which a branch was begun, or another version of that: the entry of the first one (GR5). */
  branchId?: string;
  /** On the active path only, and only where it is one of several versions. */
  siblingIndex?: number;
  siblingCount?: number;
}

/** The active path: what a move replaces. */
interface ActivePath {
  /** Where the next message goes; null: before the first entry. */
  leafId: string | null;
  /** Its newest page, oldest first; `rowsBefore` older rows are fetched over the bulk port. */
  rows: readonly Row[];
  rowsBefore: number;
  /** First row that the model sees word for word since the latest compaction; null: all of them. */
  seenFrom: string | null;
  /** Messages above it that the model sees word for word all the same, after the summary (PN2, PN4). */
  repeated: readonly string[];
  /** Tool results in whose place the model sees a note. */
  pruned: readonly string[];
}

/** The path after a change of it. The first `shared` rows are those of the path before. */
export interface PathChange extends ActivePath {
  shared: number;
}

export interface LiveSession extends ActivePath {
  phase: Phase;
  model: ModelRef | null;
  thinkingLevel: string;
  usage: ContextUsage | null;
  queue: readonly QueueItem[];
  /** What is being streamed; also a reply that could not be saved. */
  reply: LiveReply | null;
  tools: readonly LiveTool[];
  approvals: readonly ApprovalView[];
  /** The question about which main asks in its own window just now: its card takes no answer. */
  askedBeside: string | null;
  /** What extensions ask the person, oldest first. */
  extensionQuestions: readonly ExtensionQuestion[];
  extensionShows: ExtensionShows;
  retry: RetryWait | null;
  /** A summary under way, whatever it is for. */
  job: LiveJob | null;
  /** What is written so far of it; its last part if it is long. */
  summaryText: string;
  /** By entry, of all branches. */
  labels: Readonly<Record<string, string>>;
  /** Titles of branches, by the entry that they begin with (GR16). */
  names: Readonly<Record<string, string>>;
  /** Pinned entries, of all branches (SF11). */
  pins: readonly string[];
  /** Entries whose branches are hidden from graph and outline. */
  archived: readonly string[];
  /** A failure after which the run stopped, with what can be done. */
  failure: Failure | null;
  /** A compaction had nobody to write its summary. */
  summaryFailure: SummaryFailure | null;
  /** The last turn was cut off by a crash or a quit. */
  interrupted: boolean;
  /** Ids of calls of that turn that can't have begun (AG11). */
  neverBegan: readonly string[];
  /** By call of the newest reply: the entry of the command that the person put in its place (SF11). */
  edits: Readonly<Record<string, string>>;
  damage: readonly string[];
}

/** The state as of event `n`, with the lines of its newest rows, so that the first screen needs no second request. */
export interface SessionSnapshot extends LiveSession {
  n: number;
  lines: StoredLine[];
}

/** Bounds of the page (EV9). */
export const PAGE_ROWS = 200;
const PAGE_CHARS = 256 * 1024;

export const NO_SESSION: LiveSession = {
  phase: 'idle',
  leafId: null,
  rows: [],
  rowsBefore: 0,
  seenFrom: null,
  repeated: [],
  pruned: [],
  model: null,
  thinkingLevel: 'off',
  usage: null,
  queue: [],
  reply: null,
  tools: [],
  approvals: [],
  askedBeside: null,
  extensionQuestions: [],
  extensionShows: SHOWS_NOTHING,
  retry: null,
  job: null,
  summaryText: '',
  labels: {},
  names: {},
  pins: [],
  archived: [],
  failure: null,
  summaryFailure: null,
  interrupted: false,
  neverBegan: [],
  edits: {},
  damage: [],
};

const sizes = new WeakMap<Row, number>();

/** Characters of a row as JSON. Measured once: rows never change. */
function sizeOf(row: Row): number {
  const known = sizes.get(row);
  if (known !== undefined) return known;
  const size = JSON.stringify(row).length + 1;
  sizes.set(row, size);
  return size;
}

/** How many of the first rows are too many for one page; the last one always fits. O(page). */
export function beyondPage(rows: readonly Row[]): number {
  const least = Math.max(0, rows.length - PAGE_ROWS);
  let at = rows.length;
  for (let left = PAGE_CHARS; at > least; at--) {
    left -= sizeOf(rows[at - 1] as Row);
    if (left < 0 && at < rows.length) break;
  }
  return at;
}

/** How many of the first rows the model no longer sees: a summary stands for them. What is not loaded lies before. */
export function coveredRows(rows: readonly Row[], seenFrom: string | null): number {
  if (seenFrom === null) return 0;
  return Math.max(
    0,
    rows.findIndex((row) => row.id === seenFrom && row.kind !== 'undone'),
  );
}
