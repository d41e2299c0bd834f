/** What happens in a session (EV2): every change of what is shown of it is one of these. */
import type {
  ContextUsage,
  Failure,
  LiveReply,
  LiveTool,
  ModelRef,
  QueueItem,
  RetryWait,
  SessionState,
  StoredLine,
} from '../types';
import type { CompactionReason, JobKind, LiveJob, ReviewDraft, SummaryFailure } from '../compaction/summary-job';
import type { ExtensionQuestion, ExtensionShows } from '../extensions/ui';
import type { TerminalFrame } from '../extensions/terminal';
import type { ExtensionName } from '../extensions/view';
import type { ApprovalDecision, ApprovalView } from '../policy/approval';
import type { PathChange, Phase, Row } from './state';

/** A durable entry: in the journal, in the tree. */
export interface EntryAppended {
  type: 'entry_appended';
  line: StoredLine;
  /** The running CRC over all lines of the file, after this one and before it. */
  crc: number;
  crcBefore: number;
  /** Null for a record that is not a path entry. */
  row: Row | null;
  /** It does not follow the path that is shown: a copy, or a summary at another point. The path comes with the move. */
  elsewhere?: true;
  /** What the record says of the labels; empty clears. */
  label?: { targetId: string; label: string };
  /** What it says of the title of a branch. */
  named?: { targetId: string; label: string };
  /** With the last record of a write that says something of pins: what all of them say, and what the summary is followed by now. */
  pins?: { changed: readonly PinChange[]; repeated: string[] };
  /** What it says of the hidden branches, and the rows of the page whose versions are others now. */
  archived?: { targetId: string; isHidden: boolean; rows: Row[] };
}

export interface PinChange {
  targetId: string;
  isPinned: boolean;
}

export type JobStep = Pick<LiveJob, 'phase' | 'part' | 'step' | 'steps'>;

export interface JobEnd {
  type: 'job_end';
  kind: JobKind;
  aborted: boolean;
  /** The summary's entry, if there is one. */
  entryId?: string;
  errorMessage?: string;
  compaction?: CompactionEnd;
}

interface CompactionEnd {
  reason: CompactionReason;
  /** The compaction whose messages it was to summarise again. */
  again?: string;
  /** With the new entry. */
  path?: PathChange;
  /** Nobody could write the summary: the window offers others on a card. */
  summaryFailure?: SummaryFailure;
  /** Nothing was to be done; neutral words for the person. */
  skippedReason?: string;
  tokensBefore: number;
  tokensAfter?: number;
  durationMs?: number;
  cost?: number;
  compactionsOnPath: number;
}

export type SessionChange =
  | EntryAppended
  /** The path that is shown is another one: gone elsewhere, undone, replaced. */
  | { type: 'leaf_changed'; oldLeafId: string | null; newLeafId: string | null; reason: string; path: PathChange }
  | { type: 'phase'; phase: Phase }
  /** What the phase comes to for lists, and outward (EV2). */
  | { type: 'session_state'; state: SessionState }
  | { type: 'stream_start'; live: LiveReply }
  | {
      type: 'stream_delta';
      streamId: string;
      index: number;
      kind: LiveReply['blocks'][number]['kind'];
      delta: string;
      toolName?: string;
      toolCallId?: string;
    }
  | { type: 'stream_end'; streamId: string; entryId: string | null }
  | { type: 'tool_start'; tool: LiveTool }
  /** The person changed its command, and the entry has what runs. */
  | { type: 'tool_edited'; toolCallId: string; entryId: string }
  /** It waited for its turn, or for the person, until now. */
  | { type: 'tool_runs'; toolCallId: string; startedAt: number }
  | { type: 'tool_output'; toolCallId: string; chunk: string }
  | { type: 'tool_end'; toolCallId: string; isError: boolean }
  | { type: 'queue_changed'; items: QueueItem[] }
  | { type: 'context_usage'; usage: ContextUsage }
  | { type: 'model_changed'; model: ModelRef | null; thinkingLevel: string }
  /** `until`: Unix milliseconds at which the next attempt starts. */
  | ({ type: 'auto_retry_start'; delayMs: number } & RetryWait)
  | { type: 'auto_retry_end'; success: boolean; attempt: number; finalError?: string }
  | { type: 'job_start'; job: LiveJob }
  | ({ type: 'job_progress'; kind: JobKind; textDelta?: string } & JobStep)
  | { type: 'job_retry'; kind: JobKind; retry: RetryWait | null }
  /** The text waits for the person. */
  | { type: 'job_review'; kind: JobKind; review: ReviewDraft }
  | JobEnd
  /** What a compaction could not be summarized for is told no longer. */
  | { type: 'summary_failure_dismissed' }
  /** Old tool outputs are hidden from the model (PR4); `pruned`: all that are now. Tokens. */
  | { type: 'pruned'; entryId: string; count: number; tokensSaved: number; pruned: string[] }
  /** How the last turn ended, as far as it has to be told; null: there is nothing to tell any more. */
  | { type: 'failure'; failure: Failure | null }
  /** The leaf moved to a turn that was cut off with calls left open. */
  | { type: 'turn_interrupted'; neverBegan: readonly string[]; edits: Readonly<Record<string, string>> }
  | { type: 'approval_requested'; request: ApprovalView }
  /** Main's own window asks about the same call, or does so no longer. */
  | { type: 'approval_asking'; approvalId: string; isAsking: boolean }
  | { type: 'approval_resolved'; approvalId: string; decision: ApprovalDecision | 'closed' }
  | { type: 'extension_asks'; question: ExtensionQuestion }
  /** It was answered, or ended without an answer. */
  | { type: 'extension_answered'; questionId: string }
  | { type: 'extension_shows'; shows: ExtensionShows }
  | { type: 'settled'; leafId: string | null; reason: string };

/** What extensions ask and show in a session (EX16). */
export type ExtensionChange = Extract<SessionChange, { type: `extension_${string}` }>;

/** What is told of extensions and no state of a session keeps. */
export type ExtensionEvent =
  /** What Settings lists of them is to be asked for anew. */
  | { type: 'extensions_changed' }
  | {
      type: 'extension_notice';
      sessionId: string;
      extension: ExtensionName;
      level: 'info' | 'warning' | 'error';
      text: string;
      /** So many more came within a second and are not told. */
      more?: number;
      /** It went wrong in the extension: Settings says what (EX17). */
      isFault?: true;
    }
  /** What a terminal view shows now. */
  | { type: 'extension_frame'; sessionId: string; viewId: string; frame: TerminalFrame }
  /** It wants the composer to hold a text, or a text in the place of the cursor. */
  | { type: 'extension_text'; sessionId: string; extension: ExtensionName; text: string; how: 'set' | 'paste' }
  /** The person writes in an editor of an extension: what it holds now, or a key of the composer (EX24). */
  | { type: 'extension_typed'; sessionId: string; extension: ExtensionName; text: string; does: EditorDoes };

/** `hold`: it holds another text now. `submit`, `followUp`: as Enter, and Alt+Enter, in the composer. */
export type EditorDoes = 'hold' | 'submit' | 'followUp' | 'escape';

/** A question of a tool was asked or answered. */
export type ApprovalChange = Extract<SessionChange, { type: `approval_${string}` }>;

/** A change as it crosses to the window. */
export type SessionEvent = SessionChange & {
  sessionId: string;
  /** The session's own number of it: one more than that of the event before. */
  n: number;
  /** So many neighboring events were joined to this one, which has the number of the last; absent: it is one. */
  over?: number;
};

/** Tells of a change: it is applied, then it goes to the window. Never throws. */
export type Tell = (change: SessionChange) => void;
