/** The data of branches that crosses between main and the window (BR1, HF1, HF3). Plain JSON. */
import type { RowKind } from '../session-state/state';
import type { Attachment, ModelRef, SessionSummary, StoredLine } from '../types';

/** What going somewhere leaves behind, for the question before it (BR3). Tokens are calibrated. */
export interface LeavePreview {
  /** Visible messages that the model would no longer see. */
  messages: number;
  tokens: number;
  modifiedFiles: string[];
  /** Who would write the summary; null: no model can. */
  model: ModelRef | null;
}

/** Where a branch would begin and what would stay behind, for the composer (BR4). Tokens are calibrated. */
export interface BranchPreview {
  /** What its first message would follow; null: nothing, it begins anew. */
  leafId: string | null;
  /** First words of the turn there, or of the message of which it is another version, or its label; empty: it has none to show. Null: it begins anew. */
  from: string | null;
  /** Something goes on from there already: else the message begins no branch, it goes on with that one (GR21). */
  begins: boolean;
  /** Turns of the path that the model would no longer see, and what they come to; 0 turns with tokens: a part of one. */
  turns: number;
  tokens: number;
  /** Who would write the summary; null: no model can. */
  model: ModelRef | null;
}

/** How a navigation ended (BR1). */
export interface NavigateResult {
  cancelled: boolean;
  /** The person or a stop ended its summary. */
  aborted?: boolean;
  /** Text of the user message that was gone to, for the composer. */
  editorText?: string;
  /** Images and files of that message. */
  editorAttachments?: Attachment[];
  summaryEntryId?: string;
}

/** What `session.go` came to (BR3): the move, or the question that the person answers first. */
export type GoAnswer =
  /** `leafId`: where the session goes on. The page of its path came before this answer, as `leaf_changed` (EV9). */
  | ({ kind: 'done'; leafId: string | null } & NavigateResult)
  /** It is the point at which the session stands. */
  | { kind: 'here' }
  /** The answer is the same request with a `choice`. `problem`: a summary was tried unasked, and nobody could write it. */
  | { kind: 'question'; preview: LeavePreview; problem?: { text: string; tried: readonly ModelRef[] } };

/** What bringing the summary of a branch over comes to (BR12, BR13). Tokens are calibrated. */
export interface BringOverPreview {
  sourceId: string;
  targetId: string;
  ancestorId: string | null;
  /** Visible messages of the region; 0: only navigation makes sense. */
  messages: number;
  tokens: number;
  modifiedFiles: string[];
  /** Files that both sides modified since they parted. */
  conflicts: string[];
  /** Files modified on the dragged side that the target's side has read. */
  staleReads: string[];
  /** A side ran commands, whose changes to files nobody knows. */
  hasCommands: boolean;
  model: ModelRef | null;
}

/** Where an entry that a reference names stands. */
export interface FoundEntry {
  sessionId: string;
  sessionTitle: string;
  entryId: string;
  kind: RowKind;
  /** First words. */
  preview: string;
  isOnPath: boolean;
}

/** One message that the model sees. */
export interface ContextPart {
  /** The entry that it comes from. */
  entryId: string;
  role: string;
  /** What is sent, images and calls as one line each. */
  text: string;
  tokens: number;
}

/** What precedes the messages of a request. */
export interface ContextHead {
  systemPrompt: string;
  tools: { name: string; description: string }[];
  model: ModelRef | null;
  thinkingLevel: string;
  messages: number;
  tokens: number;
}

/** A session that `fork` or `handoff` made, and what its composer holds. */
export interface MadeSession {
  summary: SessionSummary;
  editorText: string;
  editorAttachments?: Attachment[];
}

/** A path that is read while HEAD stays where it is (GR12). */
export interface PathHead {
  /** The entry that is read, and the end of the path through it: where its branch was left. */
  entryId: string;
  leafId: string | null;
  /** It is on HEAD's own path: nothing else is said then. */
  isHead: boolean;
  /** The last entry that HEAD's path has too; null: they share none. */
  forkId: string | null;
  /** So many of the first rows are HEAD's as well; the figures are of those behind them. */
  shared: number;
  /** Rows before the page that comes with this, and behind it. */
  rowsBefore: number;
  rowsAfter: number;
  /** First row that a request at the end of the path has word for word since its latest compaction; null: all. */
  seenFrom: string | null;
  turns: number;
  /** Raw estimate. */
  tokens: number;
  /** Unix milliseconds of its last entry. */
  leftAt: number;
  /** The first prompt behind the shared rows; the reply, if it leaves within a turn. Null: nothing is said there. */
  firstId: string | null;
  /** The last prompt that both have. */
  sharedPromptId: string | null;
  /** Of the entry that is read, and of what stands around it. */
  lines: StoredLine[];
}
