/** The one job that writes a summary: what a person asks of it, and what the window is shown. Plain JSON. */
import { estimateText } from '../session/records/estimate';
import type { ModelRef, RetryWait } from '../types';

/** Why a compaction runs (EV2). */
export type CompactionReason = 'manual' | 'threshold' | 'overflow';

/** What the one job that writes a summary may be for (EV10). */
export type JobKind = 'compaction' | 'leave' | 'bringOver' | 'handoff';

/** A summary on its way, as the window shows it. Tokens. */
export type LiveJob = JobProgress & (CompactionFacts | BranchFacts);

interface JobProgress {
  phase: 'plan' | 'write' | 'review' | 'commit';
  /** What is written; `hooks`: extensions are asked. */
  part: 'hooks' | 'history' | 'prefix' | 'short' | null;
  /** Summary call under way, from 1, of `steps`; 0 before the first. */
  step: number;
  steps: number;
  retry: RetryWait | null;
  /** Waits for the person to accept it. */
  review: ReviewDraft | null;
  startedAt: number;
}

interface CompactionFacts {
  kind: 'compaction';
  reason: CompactionReason;
  tokensBefore: number;
  /** What the context will come to, once planned. */
  projected: number | null;
  /** Messages that the summary will stand for, once planned. */
  messages: number | null;
}

interface BranchFacts {
  kind: Exclude<JobKind, 'compaction'>;
  /** Where the summary will stand; for a handoff null. */
  targetId: string | null;
  /** The leaf of the branch that it tells of. */
  fromId: string | null;
}

/** What a person asks of a summary: one form from the dialog to the prompt. */
export interface SummaryInstructions {
  /** What to look at in particular. */
  instructions?: string;
  /** They stand in place of the prompt, not behind it. */
  replaceInstructions?: boolean;
  /** Writes the summary, if it can: asked first of all. */
  model?: ModelRef;
  /** The summary waits for the person; absent: the setting decides. */
  review?: boolean;
  /** The first kept entry (PL13); absent: planned. */
  cutAt?: string;
}

/** What the context comes to afterwards, where that changes. */
export interface ReviewContext {
  /** Calibrated tokens of it, the summary aside. */
  rest: number;
  /** Calibrated tokens of one raw token. */
  ratio: number;
  /** Of the model, tokens; null: not known. */
  window: number | null;
}

/** A summary before it lands (SH3). */
export interface ReviewDraft {
  /** As the model wrote it, without the tags of files. */
  text: string;
  previousSummary: string | null;
  context: ReviewContext | null;
  /** It does not look like a summary: it can be written anew (SU40). */
  isDoubtful?: true;
  /** That holds of this part of it alone: the other one is as it should be. */
  doubtfulPart?: 'history' | 'prefix';
  /** The context would be larger than before: it can be written anew (SU41). */
  isLarger?: true;
}

/** What the context comes to with this text as its summary, tokens; null: it changes nothing of it. */
export function contextAfter({ context }: Pick<ReviewDraft, 'context'>, text: string): number | null {
  return context && Math.ceil(context.rest + context.ratio * estimateText(text));
}

/**
 * Whether a context with this text as its summary would be larger than before and than the window: nothing could be sent any more (SU41).
 * @param before what the context comes to now, tokens
 */
export function leavesNoRoom(draft: Pick<ReviewDraft, 'context'>, text: string, before: number): boolean {
  const after = contextAfter(draft, text);
  const window = draft.context?.window ?? null;
  return after !== null && window !== null && after > Math.max(window, before);
}

/** A compaction for which nobody could write the summary: others can be offered for the same job (SU35). */
export interface SummaryFailure {
  reason: CompactionReason;
  /** The last error. */
  message: string;
  /** Who was asked. */
  tried: ModelRef[];
  job: SummaryJob;
}

/** What a compaction was asked for, so that it can be asked for again. */
interface SummaryJob extends SummaryInstructions {
  /** The compaction that is summarised again. */
  again?: string;
}

/** What undoing a compaction comes to, for the question before it. Tokens. */
export interface UndoPreview {
  /** Compactions after it that are undone with it, because they were made from its text. */
  later: number;
  tokensAfter: number;
  /** The window without the room for the answer; null if the window is unknown. Above it the next message compacts again. */
  hardLine: number | null;
}

/** Whether a compaction has begun; if not, the person is told of it at this leaf first (SH2). */
export type CompactAnswer = { begun: true } | { begun: false; leafId: string | null };
