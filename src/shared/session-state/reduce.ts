/** How each event changes what is shown of a session (EV8). Main and window apply the same function. */
import type { Failure, LiveReply, LiveTool } from '../types';
import type { LiveJob, SummaryFailure } from '../compaction/summary-job';
import { withSameParts } from '../extensions/same-shows';
import type { ExtensionQuestion } from '../extensions/ui';
import type { ApprovalView } from '../policy/approval';
import type { EntryAppended, PinChange, SessionChange } from './events';
import { beyondPage, type LiveSession, type PathChange, type Row } from './state';

/** Characters of running output that are kept; the full output is in main's file. */
const MAX_TOOL_TAIL = 16_000;
/** Characters of a growing summary that are kept. */
const MAX_SUMMARY_TEXT = 16_000;
/** So many blocks ahead of the last one a delta may open its own: an index is a number from a server. */
const MAX_BLOCKS_AHEAD = 100;

/** The state after an event; the same object if it changes nothing. Pure. O(page) at most, O(blocks) for a delta. */
export function reduce(state: LiveSession, event: SessionChange): LiveSession {
  switch (event.type) {
    case 'entry_appended':
      return appended(state, event);
    case 'leaf_changed':
      return { ...moved(state, event.path), summaryFailure: null };
    case 'phase':
      return { ...state, phase: event.phase };
    case 'session_state':
      return state;
    case 'stream_start':
      return { ...state, reply: event.live, interrupted: false, edits: {}, retry: null, failure: null };
    case 'stream_delta':
      return state.reply?.streamId === event.streamId ? { ...state, reply: addDelta(state.reply, event) } : state;
    case 'stream_end':
      return state.reply?.streamId === event.streamId ? { ...state, reply: null } : state;
    case 'tool_start':
      return { ...state, tools: [...withoutTool(state.tools, event.tool.toolCallId), event.tool] };
    case 'tool_edited':
      return { ...state, edits: { ...state.edits, [event.toolCallId]: event.entryId } };
    case 'tool_runs': {
      const { toolCallId, startedAt } = event;
      const begun = (tool: LiveTool): LiveTool => (tool.toolCallId === toolCallId ? { ...tool, startedAt } : tool);
      return { ...state, tools: state.tools.map(begun) };
    }
    case 'tool_output':
      return { ...state, tools: state.tools.map((tool) => addOutput(tool, event.toolCallId, event.chunk)) };
    case 'tool_end':
      return { ...state, tools: withoutTool(state.tools, event.toolCallId) };
    case 'queue_changed':
      return { ...state, queue: event.items };
    case 'context_usage':
      return { ...state, usage: event.usage };
    case 'model_changed':
      return { ...state, model: event.model, thinkingLevel: event.thinkingLevel };
    case 'auto_retry_start': {
      const { attempt, maxAttempts, until, errorMessage } = event;
      return { ...state, retry: { attempt, maxAttempts, until, errorMessage } };
    }
    case 'auto_retry_end':
      return state.retry ? { ...state, retry: null } : state;
    case 'job_start': {
      const summaryFailure = event.job.kind === 'compaction' ? null : state.summaryFailure;
      return { ...state, job: event.job, summaryText: '', failure: null, summaryFailure };
    }
    case 'job_progress':
      return state.job ? progressed(state, state.job, event) : state;
    case 'job_retry':
      // The next attempt writes the summary again.
      return state.job ? { ...state, job: { ...state.job, retry: event.retry }, summaryText: '' } : state;
    case 'job_review':
      if (!state.job) return state;
      return { ...state, job: { ...state.job, phase: 'review', retry: null, review: event.review } };
    case 'job_end': {
      const { compaction } = event;
      const after = compaction?.path ? moved(state, compaction.path) : state;
      const summaryFailure = compaction ? (compaction.summaryFailure ?? null) : state.summaryFailure;
      return { ...after, job: null, summaryText: '', summaryFailure };
    }
    case 'summary_failure_dismissed':
      return state.summaryFailure ? { ...state, summaryFailure: null } : state;
    case 'pruned':
      return { ...state, pruned: event.pruned };
    case 'turn_interrupted':
      return { ...state, interrupted: true, neverBegan: event.neverBegan, edits: event.edits };
    case 'failure': {
      const summaryFailure = stillTold(state.summaryFailure, event.failure);
      return { ...state, failure: event.failure, interrupted: false, edits: {}, summaryFailure };
    }
    case 'approval_requested':
      return { ...state, approvals: withApproval(state.approvals, event.request) };
    case 'approval_resolved':
      return {
        ...state,
        approvals: state.approvals.filter((item) => item.id !== event.approvalId),
        askedBeside: state.askedBeside === event.approvalId ? null : state.askedBeside,
      };
    case 'approval_asking':
      return askedBeside(state, event);
    case 'extension_asks':
      return { ...state, extensionQuestions: withQuestion(state.extensionQuestions, event.question) };
    case 'extension_answered': {
      const { questionId } = event;
      return { ...state, extensionQuestions: state.extensionQuestions.filter(({ id }) => id !== questionId) };
    }
    case 'extension_shows':
      return { ...state, extensionShows: withSameParts(state.extensionShows, event.shows) };
    case 'settled':
      return state.retry || state.approvals.length > 0
        ? { ...state, retry: null, approvals: [], askedBeside: null }
        : state;
  }
}

function appended(state: LiveSession, { row, elsewhere, label, named, pins, archived }: EntryAppended): LiveSession {
  if (pins) return { ...state, pins: withPins(state.pins, pins.changed), repeated: pins.repeated };
  if (label) return { ...state, labels: withLabel(state.labels, label) };
  if (named) return { ...state, names: withLabel(state.names, named) };
  if (archived) {
    const { targetId, isHidden, rows } = archived;
    return { ...state, archived: toggled(state.archived, targetId, isHidden), rows: withRows(state.rows, rows) };
  }
  if (!row || elsewhere) return state;
  const rows = [...state.rows, row];
  const beyond = beyondPage(rows);
  return {
    ...state,
    leafId: row.id,
    rows: beyond > 0 ? rows.slice(beyond) : rows,
    rowsBefore: state.rowsBefore + beyond,
    interrupted: row.kind === 'user' ? false : state.interrupted,
  };
}

function moved(state: LiveSession, path: PathChange): LiveSession {
  const { leafId, rows, rowsBefore, seenFrom, repeated, pruned } = path;
  return { ...state, leafId, rows, rowsBefore, seenFrom, repeated, pruned };
}

function withLabel(
  labels: LiveSession['labels'],
  { targetId, label }: { targetId: string; label: string },
): LiveSession['labels'] {
  const { [targetId]: _old, ...others } = labels;
  return label === '' ? others : { ...others, [targetId]: label };
}

/** A file may have any number of pins: they are copied once. O(pins + changes). */
function withPins(ids: readonly string[], changed: readonly PinChange[]): readonly string[] {
  const all = new Set(ids);
  for (const { targetId, isPinned } of changed)
    if (isPinned) all.add(targetId);
    else all.delete(targetId);
  return [...all];
}

function toggled(ids: readonly string[], id: string, isIn: boolean): readonly string[] {
  if (ids.includes(id) === isIn) return ids;
  return isIn ? [...ids, id] : ids.filter((other) => other !== id);
}

/** The rows with some of them replaced by what they are now. */
export function withRows(rows: readonly Row[], changed: readonly Row[]): readonly Row[] {
  if (changed.length === 0) return rows;
  const byId = new Map(changed.map((row) => [row.id, row]));
  return rows.map((row) => (row.kind === 'undone' ? row : (byId.get(row.id) ?? row)));
}

type Progress = Extract<SessionChange, { type: 'job_progress' }>;

function progressed(state: LiveSession, job: LiveJob, event: Progress): LiveSession {
  const { phase, part, step, steps, textDelta } = event;
  // What is committed is whole; any other step without words begins the text again.
  const begun = phase === 'commit' ? state.summaryText : '';
  const summaryText = textDelta === undefined ? begun : withText(state.summaryText, textDelta);
  const isSame = job.phase === phase && job.part === part && job.step === step && job.steps === steps;
  if (isSame && !job.retry) return summaryText === state.summaryText ? state : { ...state, summaryText };
  return { ...state, summaryText, job: { ...job, phase, part, step, steps, retry: null, review: null } };
}

function withText(text: string, delta: string): string {
  return (text + delta).slice(-MAX_SUMMARY_TEXT);
}

type Delta = Extract<SessionChange, { type: 'stream_delta' }>;

function addDelta(reply: LiveReply, event: Delta): LiveReply {
  const isPlace = Number.isInteger(event.index) && event.index >= 0;
  if (!isPlace || event.index > reply.blocks.length + MAX_BLOCKS_AHEAD) return reply;
  const blocks = reply.blocks.slice();
  // A delta may open a later block before an earlier one: holes would break every reader of the array.
  while (blocks.length < event.index) blocks.push({ kind: 'text', text: '' });
  const block = blocks[event.index] ?? { kind: event.kind, text: '' };
  const { toolName = block.toolName, toolCallId = block.toolCallId } = event;
  const names = {
    ...(toolName === undefined ? {} : { toolName }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
  blocks[event.index] = { kind: block.kind, text: block.text + event.delta, ...names };
  return { ...reply, blocks };
}

function addOutput(tool: LiveTool, toolCallId: string, chunk: string): LiveTool {
  return tool.toolCallId === toolCallId ? { ...tool, tail: (tool.tail + chunk).slice(-MAX_TOOL_TAIL) } : tool;
}

function withoutTool(tools: readonly LiveTool[], toolCallId: string): LiveTool[] {
  return tools.filter((tool) => tool.toolCallId !== toolCallId);
}

/** What is told of a question that is gone changes nothing. */
function askedBeside(
  state: LiveSession,
  { approvalId, isAsking }: Extract<SessionChange, { type: 'approval_asking' }>,
): LiveSession {
  if (isAsking && state.approvals.some(({ id }) => id === approvalId)) return { ...state, askedBeside: approvalId };
  return state.askedBeside === approvalId ? { ...state, askedBeside: null } : state;
}

/** A question that was edited keeps its place: what is next in the queue stays next. */
function withApproval(approvals: readonly ApprovalView[], request: ApprovalView): ApprovalView[] {
  if (!approvals.some((item) => item.id === request.id)) return [...approvals, request];
  return approvals.map((item) => (item.id === request.id ? request : item));
}

/** One that a session began with is told once more. */
function withQuestion(questions: LiveSession['extensionQuestions'], question: ExtensionQuestion): ExtensionQuestion[] {
  return [...questions.filter(({ id }) => id !== question.id), question];
}

/** What an overflow could not be recovered from goes with the failure of its run. */
function stillTold(told: SummaryFailure | null, failure: Failure | null): SummaryFailure | null {
  return failure === null && told?.reason === 'overflow' ? null : told;
}
