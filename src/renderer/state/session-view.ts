/** What the window holds of one open session, and how each event changes it. Pure. */
import type { AppEvent } from '@shared/ipc/contract';
import type { LiveTreeSummary } from '@shared/ipc/tree-types';
import type {
  ApprovalRequest,
  Attachment,
  ContextUsage,
  Failure,
  LiveCompaction,
  SummaryFailure,
  LiveReply,
  LiveTool,
  ModelRef,
  PathRow,
  QueueItem,
  SessionSnapshot,
  StoredLine,
} from '@shared/ipc/types';
import { applySideRecord } from './side-records';

/** A prompt on its way to main: shown until main has it, put back into the composer if main refuses it. */
export interface PendingPrompt {
  itemId: string;
  text: string;
  attachments: Attachment[];
}

export interface RetryWait {
  attempt: number;
  maxAttempts: number;
  /** Unix milliseconds at which the next attempt starts. */
  until: number;
  errorMessage: string;
}

export interface SessionView {
  status: 'loading' | 'ready' | 'failed';
  problem: string | null;
  leafId: string | null;
  rows: readonly PathRow[];
  /** Rows of the path older than `rows[0]` that are not loaded. */
  rowsBefore: number;
  loadingOlder: boolean;
  /** Counts up when bodies arrive, so that rows look into the cache again. */
  entriesVersion: number;
  model: ModelRef | null;
  thinkingLevel: string;
  usage: ContextUsage | null;
  queue: readonly QueueItem[];
  approvals: readonly ApprovalRequest[];
  retry: RetryWait | null;
  /** Without its growing text, which is in `LiveView`. */
  compaction: LiveCompaction | null;
  /** A branch summary or a handoff draft under way, without its growing text. */
  treeSummary: LiveTreeSummary | null;
  /** Labels by entry, of all branches. */
  labels: Readonly<Record<string, string>>;
  /** Entries whose branches are hidden from graph and outline. */
  archived: readonly string[];
  failure: Failure | null;
  /** A compaction had nobody to write its summary. */
  summaryFailure: SummaryFailure | null;
  interrupted: boolean;
  damage: readonly string[];
  pending: readonly PendingPrompt[];
}

/** Streaming state is apart, so that a token repaints one block and not the transcript. */
export interface LiveView {
  reply: LiveReply | null;
  tools: readonly LiveTool[];
  /** The summary that is being written, its last part if it is long. */
  summary: string;
  /** The branch summary or handoff draft that is being written, its last part if it is long. */
  treeSummary: string;
}

/** Characters of running output kept for the card; the full output is in main's file. */
export const MAX_TOOL_TAIL = 16_000;
/** Characters of a growing summary that are shown. */
const MAX_SUMMARY_TEXT = 16_000;

export function emptyView(): SessionView {
  return {
    status: 'loading',
    problem: null,
    leafId: null,
    rows: [],
    rowsBefore: 0,
    loadingOlder: false,
    entriesVersion: 0,
    model: null,
    thinkingLevel: 'off',
    usage: null,
    queue: [],
    approvals: [],
    retry: null,
    compaction: null,
    treeSummary: null,
    labels: {},
    archived: [],
    failure: null,
    summaryFailure: null,
    interrupted: false,
    damage: [],
    pending: [],
  };
}

/** The view after main's snapshot. Rows already loaded are kept where the snapshot continues them. */
export function viewFromSnapshot(before: SessionView, snapshot: SessionSnapshot): SessionView {
  const joined = joinRows(before, snapshot);
  return {
    ...before,
    ...joined,
    status: 'ready',
    problem: null,
    leafId: snapshot.leafId,
    entriesVersion: before.entriesVersion + 1,
    model: snapshot.model,
    thinkingLevel: snapshot.thinkingLevel,
    usage: snapshot.usage,
    queue: snapshot.queue,
    approvals: snapshot.approvals,
    retry: snapshot.retry,
    compaction: snapshot.compaction,
    treeSummary: snapshot.treeSummary,
    labels: snapshot.labels,
    archived: snapshot.archived,
    failure: snapshot.failure,
    summaryFailure: snapshot.summaryFailure,
    interrupted: snapshot.interrupted,
    damage: snapshot.damage,
    pending: before.pending.filter((prompt) => !knows(snapshot, prompt.itemId)),
  };
}

function knows(snapshot: SessionSnapshot, itemId: string): boolean {
  return snapshot.rows.some((row) => row.id === itemId) || snapshot.queue.some((item) => item.id === itemId);
}

function joinRows(before: SessionView, snapshot: SessionSnapshot): Pick<SessionView, 'rows' | 'rowsBefore'> {
  const first = snapshot.rows[0];
  const at = first ? before.rows.findIndex((row) => row.id === first.id) : -1;
  if (at > 0 && before.rowsBefore + at === snapshot.rowsBefore) {
    return { rows: [...before.rows.slice(0, at), ...snapshot.rows], rowsBefore: before.rowsBefore };
  }
  return { rows: snapshot.rows, rowsBefore: snapshot.rowsBefore };
}

type SessionEvent = Extract<AppEvent, { sessionId: string }> | Extract<AppEvent, { type: 'approval_requested' }>;

/** The view after one event of its session. The same object comes back when nothing changed. */
export function applyToView(view: SessionView, event: SessionEvent, now: number): SessionView {
  switch (event.type) {
    case 'entry_appended':
      return event.row ? appendRow(view, event.row, event.line.id) : appendSide(view, event.line);
    case 'queue_changed': {
      const pending = view.pending.filter((prompt) => !event.items.some((item) => item.id === prompt.itemId));
      return { ...view, queue: event.items, pending: pending.length === view.pending.length ? view.pending : pending };
    }
    case 'context_usage':
      return { ...view, usage: event.usage };
    case 'model_changed':
      return { ...view, model: event.model, thinkingLevel: event.thinkingLevel };
    case 'auto_retry_start': {
      const { attempt, maxAttempts, delayMs, errorMessage } = event;
      return { ...view, retry: { attempt, maxAttempts, errorMessage, until: now + delayMs } };
    }
    case 'auto_retry_end':
      return { ...view, retry: null };
    case 'compaction_start':
      return { ...view, compaction: event.compaction, failure: null, summaryFailure: null };
    case 'compaction_progress': {
      const { phase, step, steps } = event;
      const { compaction } = view;
      if (compaction && event.review)
        return { ...view, compaction: { ...compaction, phase, step, steps, retry: null, review: event.review } };
      if (!compaction || (compaction.phase === phase && compaction.step === step && compaction.steps === steps))
        return view;
      return { ...view, compaction: { ...compaction, phase, step, steps, retry: null, review: null } };
    }
    case 'summarization_retry':
      return view.compaction ? { ...view, compaction: { ...view.compaction, retry: event.retry } } : view;
    case 'compaction_end':
      return { ...view, compaction: null, summaryFailure: event.summaryFailure ?? null };
    case 'tree_summary_start':
      return { ...view, treeSummary: event.summary, failure: null };
    case 'tree_summary_retry':
      return view.treeSummary ? { ...view, treeSummary: { ...view.treeSummary, retry: event.retry } } : view;
    case 'tree_summary_progress':
      return view.treeSummary?.retry ? { ...view, treeSummary: { ...view.treeSummary, retry: null } } : view;
    case 'tree_summary_review':
      if (!view.treeSummary) return view;
      return { ...view, treeSummary: { ...view.treeSummary, retry: null, review: event.review } };
    case 'tree_summary_end':
      return { ...view, treeSummary: null };
    case 'failure':
      return { ...view, failure: event.failure, summaryFailure: stillTold(view.summaryFailure, event.failure) };
    case 'approval_requested':
      return { ...view, approvals: withApproval(view.approvals, event.request) };
    case 'approval_resolved':
      return { ...view, approvals: view.approvals.filter((item) => item.id !== event.approvalId) };
    case 'stream_start':
      return view.interrupted || view.retry || view.failure
        ? { ...view, interrupted: false, retry: null, failure: null }
        : view;
    case 'settled':
      return { ...view, retry: null, approvals: [] };
    default:
      return view;
  }
}

/** A question that was edited keeps its place: what is next in the queue stays next. */
function withApproval(approvals: readonly ApprovalRequest[], request: ApprovalRequest): ApprovalRequest[] {
  if (!approvals.some((item) => item.id === request.id)) return [...approvals, request];
  return approvals.map((item) => (item.id === request.id ? request : item));
}

/** A record that is no row of the path: a label, a hidden branch, a leaf move. */
function appendSide(view: SessionView, line: StoredLine): SessionView {
  return { ...appendRow(view, null, line.id), ...applySideRecord(view, line.line) };
}

function appendRow(view: SessionView, row: PathRow | null, entryId: string): SessionView {
  const pending = view.pending.some((prompt) => prompt.itemId === entryId)
    ? view.pending.filter((prompt) => prompt.itemId !== entryId)
    : view.pending;
  const entriesVersion = view.entriesVersion + 1;
  if (!row || isKnownRow(view.rows, row.id)) return { ...view, pending, entriesVersion };
  const interrupted = row.kind === 'user' ? false : view.interrupted;
  return { ...view, rows: [...view.rows, row], leafId: row.id, pending, entriesVersion, interrupted };
}

/** A row that a snapshot already brought can only be among the newest. */
function isKnownRow(rows: readonly PathRow[], id: string): boolean {
  for (let at = rows.length - 1; at >= 0 && at >= rows.length - 200; at--) if (rows[at]?.id === id) return true;
  return false;
}

/** The streaming state after one event of its session. The same object comes back when nothing changed. */
export function applyToLive(live: LiveView, event: SessionEvent): LiveView {
  switch (event.type) {
    case 'stream_start':
      return { ...live, reply: event.live };
    case 'stream_delta':
      return live.reply?.streamId === event.streamId ? { ...live, reply: addDelta(live.reply, event) } : live;
    case 'stream_end':
      return live.reply?.streamId === event.streamId ? { ...live, reply: null } : live;
    case 'tool_start':
      return { ...live, tools: [...withoutTool(live.tools, event.tool.toolCallId), event.tool] };
    case 'tool_output':
      return { ...live, tools: live.tools.map((tool) => addOutput(tool, event.toolCallId, event.chunk)) };
    case 'tool_end':
      return { ...live, tools: withoutTool(live.tools, event.toolCallId) };
    case 'compaction_progress':
      if (event.textDelta === undefined) return isWritten(event.phase) ? live : { ...live, summary: '' };
      return { ...live, summary: (live.summary + event.textDelta).slice(-MAX_SUMMARY_TEXT) };
    case 'summarization_retry':
    case 'compaction_start':
    case 'compaction_end':
      return live.summary === '' ? live : { ...live, summary: '' };
    case 'tree_summary_progress':
      return { ...live, treeSummary: (live.treeSummary + event.textDelta).slice(-MAX_SUMMARY_TEXT) };
    case 'tree_summary_retry':
    case 'tree_summary_start':
    case 'tree_summary_end':
      return live.treeSummary === '' ? live : { ...live, treeSummary: '' };
    case 'settled':
      return live.reply || live.tools.length ? { ...live, reply: null, tools: [] } : live;
    default:
      return live;
  }
}

/** The summary is whole: what follows writes none anew. */
function isWritten(phase: LiveCompaction['phase']): boolean {
  return phase === 'review' || phase === 'commit';
}

type Delta = Extract<AppEvent, { type: 'stream_delta' }>;

/** So many blocks ahead of the last one a delta may open its own: an index is a number from a server. */
const MAX_BLOCKS_AHEAD = 100;

function addDelta(reply: LiveReply, event: Delta): LiveReply {
  const isPlace = Number.isInteger(event.index) && event.index >= 0;
  if (!isPlace || event.index > reply.blocks.length + MAX_BLOCKS_AHEAD) return reply;
  const blocks = reply.blocks.slice();
  const block = blocks[event.index];
  const { kind, toolName, toolCallId } = event;
  blocks[event.index] = block
    ? {
        ...block,
        text: block.text + event.delta,
        toolName: toolName ?? block.toolName,
        toolCallId: toolCallId ?? block.toolCallId,
      }
    : { kind, text: event.delta, toolName, toolCallId };
  // A delta may open a later block before an earlier one: holes would break every reader of the array.
  for (let at = 0; at < blocks.length; at++) blocks[at] ??= { kind: 'text', text: '' };
  return { ...reply, blocks };
}

function addOutput(tool: LiveTool, toolCallId: string, chunk: string): LiveTool {
  return tool.toolCallId === toolCallId ? { ...tool, tail: (tool.tail + chunk).slice(-MAX_TOOL_TAIL) } : tool;
}

function withoutTool(tools: readonly LiveTool[], toolCallId: string): LiveTool[] {
  return tools.filter((tool) => tool.toolCallId !== toolCallId);
}

/** What an overflow could not be recovered from goes with the failure of its run. */
function stillTold(told: SummaryFailure | null, failure: Failure | null): SummaryFailure | null {
  return failure === null && told?.reason === 'overflow' ? null : told;
}
