import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import type { CompactionReason, LiveCompaction, ReviewDraft, SummaryFailure } from '@shared/ipc/types';
import { compact } from '../compaction/compact';
import type { CompactionOutcome, CompactionPorts, CompactionRequest } from '../compaction/compact';
import { failureText } from '../compaction/failure-text';
import { SummaryAborted } from '../compaction/summary-call';
import type { RetryNotice } from '../compaction/summary-call';
import type { Emit } from '../ports';
import { SessionRefusal } from './session-refusal';

/** Characters of the growing summary that a window which opens meanwhile is given. */
const MAX_SHOWN_TEXT = 16_000;

/** What a compactor needs beside what it tells of itself. */
export interface CompactorPorts extends Omit<
  CompactionPorts,
  'onDelta' | 'onRetry' | 'onStep' | 'onPlan' | 'onCommit' | 'review'
> {
  emit: Emit;
  /** The state of the session may have changed. */
  onChange: () => void;
}

/** The compactions of one session, one at a time, and what the window sees of them (JB1, EV2). */
export class Compactor {
  /** What runs now, as a window that opens meanwhile needs it. */
  live: LiveCompaction | null = null;
  /** The last one had nobody to write its summary. Until the next one begins, the leaf moves or the person dismisses it. */
  summaryFailure: SummaryFailure | null = null;
  private controller: AbortController | null = null;
  private isCommitting = false;
  /** Takes the person's answer while a summary waits for it. */
  private accept: ((text: string) => void) | null = null;

  constructor(private readonly ports: CompactorPorts) {}

  get isRunning(): boolean {
    return this.controller !== null;
  }

  /** The person saw it, or it says nothing any more. @param of only that of such a compaction */
  forgetFailure(of?: CompactionReason): void {
    if (of === undefined || this.summaryFailure?.reason === of) this.summaryFailure = null;
  }

  /** Ends the compaction that runs; the session stays as it was. Too late once the entry is being written. */
  cancel(): void {
    if (!this.isCommitting) this.controller?.abort();
  }

  /**
   * The person's answer to the summary that waits for review.
   * @param text to store, or null to cancel
   * @throws SessionRefusal if nothing waits, or for a blank text; the review goes on then
   */
  answerReview(text: string | null): void {
    if (!this.accept) throw new SessionRefusal('There is no summary to review any more.');
    if (text === null) return this.cancel();
    const stored = stripTagBlocks(text);
    if (stored === '') throw new SessionRefusal('The summary is empty. Write something, or cancel the compaction.');
    this.accept(stored);
  }

  /**
   * Compacts at the leaf and tells the window. `request.signal` ends it with what it is part of. Never rejects.
   * @param release lets go of the session's mutex: called before the end is told, so that who hears of it may act at once
   */
  async run(request: CompactionRequest, release?: () => void): Promise<CompactionOutcome> {
    const controller = new AbortController();
    const end = (): void => controller.abort();
    request.signal.addEventListener('abort', end, { once: true });
    if (request.signal.aborted) end();
    this.controller = controller;
    this.isCommitting = false;
    this.start(request.reason);
    const outcome = await compact({ ...request, signal: controller.signal }, this.jobPorts());
    request.signal.removeEventListener('abort', end);
    const tokensBefore = this.live?.tokensBefore ?? 0;
    if (outcome.kind === 'done') this.summaryFailure = null;
    else if (outcome.kind === 'failed' && outcome.tried) this.summaryFailure = failureOf(request, outcome);
    this.controller = null;
    this.live = null;
    release?.();
    this.tellEnd(request.reason, outcome, tokensBefore);
    this.ports.onChange();
    return outcome;
  }

  private start(reason: CompactionReason): void {
    const { emit, log, now, size, onChange } = this.ports;
    this.live = {
      reason,
      phase: 'plan',
      step: 0,
      steps: 0,
      tokensBefore: size().tokens,
      projected: null,
      messages: null,
      text: '',
      retry: null,
      review: null,
      startedAt: now(),
    };
    // One that nobody asked for shows itself once there is something to do.
    if (reason === 'manual') {
      this.summaryFailure = null;
      emit({ type: 'compaction_start', sessionId: log.sessionId, compaction: this.live });
      onChange();
    }
  }

  private jobPorts(): CompactionPorts {
    return {
      ...this.ports,
      onPlan: ({ estimates, messagesToSummarize, turnPrefixMessages }) => {
        if (!this.live) return;
        const messages = messagesToSummarize.length + turnPrefixMessages.length;
        this.live = { ...this.live, projected: estimates.projected, messages };
        this.summaryFailure = null;
        this.ports.emit({ type: 'compaction_start', sessionId: this.ports.log.sessionId, compaction: this.live });
        this.ports.onChange();
      },
      onStep: (phase, step, steps) => this.progress({ phase, step, steps, text: '' }),
      onDelta: (delta) => this.progress({ text: `${this.live?.text ?? ''}${delta}`.slice(-MAX_SHOWN_TEXT) }, delta),
      onRetry: (notice) => this.tellRetry(notice),
      review: (draft, signal) => this.review(draft, signal),
      onCommit: () => {
        this.isCommitting = true;
        this.progress({ phase: 'commit', review: null });
      },
    };
  }

  private async review(review: ReviewDraft, signal: AbortSignal): Promise<string> {
    try {
      return await new Promise<string>((resolve, reject) => {
        this.accept = resolve;
        signal.addEventListener('abort', () => reject(new SummaryAborted()), { once: true });
        if (signal.aborted) reject(new SummaryAborted());
        this.progress({ phase: 'review', review });
      });
    } finally {
      this.accept = null;
    }
  }

  private progress(change: Partial<LiveCompaction>, textDelta?: string): void {
    if (!this.live) return;
    this.live = { ...this.live, ...change };
    const { phase, step, steps, review } = this.live;
    const { sessionId } = this.ports.log;
    const text = textDelta === undefined ? {} : { textDelta };
    this.ports.emit({ type: 'compaction_progress', sessionId, phase, step, steps, ...text, ...(review && { review }) });
  }

  private tellRetry(notice: RetryNotice | null): void {
    if (!this.live) return;
    const retry = notice && {
      attempt: notice.attempt,
      maxAttempts: notice.maxAttempts,
      until: this.ports.now() + notice.delayMs,
      errorMessage: notice.errorMessage,
    };
    // The next attempt writes the summary anew.
    this.live = { ...this.live, retry, text: notice ? '' : this.live.text };
    this.ports.emit({ type: 'summarization_retry', sessionId: this.ports.log.sessionId, retry });
  }

  private tellEnd(reason: CompactionReason, outcome: CompactionOutcome, tokensBefore: number): void {
    const { emit, log } = this.ports;
    if (outcome.kind === 'nothing' && reason !== 'manual') return;
    const base = {
      type: 'compaction_end',
      sessionId: log.sessionId,
      reason,
      aborted: outcome.kind === 'aborted',
      tokensBefore,
      compactionsOnPath: compactionsOnPath(log),
    } as const;
    if (outcome.kind === 'done') {
      const { entryId, tokensAfter, durationMs, cost } = outcome;
      emit({ ...base, entryId, tokensBefore: outcome.tokensBefore, tokensAfter, durationMs, cost });
    } else if (outcome.kind === 'nothing') emit({ ...base, skippedReason: outcome.text });
    else if (outcome.kind === 'failed') {
      const offered = outcome.tried && this.summaryFailure ? { summaryFailure: this.summaryFailure } : {};
      emit({ ...base, errorMessage: failureText(reason, outcome.message), ...offered });
    } else emit(base);
  }
}

function failureOf(
  { reason, instructions, cutAt, review, again }: CompactionRequest,
  { message, tried = [] }: Extract<CompactionOutcome, { kind: 'failed' }>,
): SummaryFailure {
  const job = {
    ...(instructions === undefined ? {} : { instructions }),
    ...(cutAt === undefined ? {} : { cutAt }),
    ...(review === undefined ? {} : { review }),
    ...(again === undefined ? {} : { again }),
  };
  return { reason, message, tried: [...tried], job };
}

function compactionsOnPath({ tree }: CompactorPorts['log']): number {
  let count = 0;
  const node = tree.leafId === null ? undefined : tree.node(tree.leafId);
  for (let at = node && tree.stateOf(node).compaction; at; at = at.parent && tree.stateOf(at.parent).compaction)
    count++;
  return count;
}
