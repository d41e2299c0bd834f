import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import type { CompactionReason, LiveCompaction, ReviewDraft, SummaryFailure } from '@shared/ipc/types';
import type { SessionChange, Tell } from '@shared/session-state/events';
import type { LiveSession, PathChange } from '@shared/session-state/state';
import { compact } from '../compaction/compact';
import type { CompactionPorts, CompactionRequest } from '../compaction/compact';
import type { CompactionOutcome } from '../ports';
import { failureText } from '../compaction/failure-text';
import { SummaryAborted } from '../compaction/summary-call';
import type { RetryNotice } from '../compaction/summary-call';
import { SessionRefusal } from './session-refusal';

/** What a compactor needs beside what it tells of itself. */
export interface CompactorPorts extends Omit<
  CompactionPorts,
  'onDelta' | 'onRetry' | 'onStep' | 'onPlan' | 'onCommit' | 'review'
> {
  tell: Tell;
  shown: () => LiveSession;
  /** The path is told anew. */
  newPath: () => PathChange;
  /** The state of the session may have changed. */
  onChange: () => void;
}

/** The compactions of one session, one at a time, and what the window sees of them (JB1, EV2). */
export class Compactor {
  private controller: AbortController | null = null;
  private isCommitting = false;
  /** Takes the person's answer while a summary waits for it. */
  private accept: ((text: string) => void) | null = null;

  constructor(private readonly ports: CompactorPorts) {}

  get isRunning(): boolean {
    return this.controller !== null;
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
    const begun = this.start(request.reason);
    const outcome = await compact({ ...request, signal: controller.signal }, this.jobPorts(begun));
    request.signal.removeEventListener('abort', end);
    this.controller = null;
    release?.();
    this.tellEnd(request, outcome, begun.tokensBefore);
    this.ports.onChange();
    return outcome;
  }

  private start(reason: CompactionReason): LiveCompaction {
    const { tell, now, size, onChange } = this.ports;
    const compaction: LiveCompaction = {
      reason,
      phase: 'plan',
      step: 0,
      steps: 0,
      tokensBefore: size().tokens,
      projected: null,
      messages: null,
      retry: null,
      review: null,
      startedAt: now(),
    };
    // One that nobody asked for shows itself once there is something to do.
    if (reason === 'manual') {
      tell({ type: 'compaction_start', compaction });
      onChange();
    }
    return compaction;
  }

  private jobPorts(begun: LiveCompaction): CompactionPorts {
    return {
      ...this.ports,
      onPlan: ({ estimates, messagesToSummarize, turnPrefixMessages }) => {
        const messages = messagesToSummarize.length + turnPrefixMessages.length;
        const compaction = { ...(this.ports.shown().compaction ?? begun), projected: estimates.projected, messages };
        this.ports.tell({ type: 'compaction_start', compaction });
        this.ports.onChange();
      },
      onStep: (phase, step, steps) => this.progress({ phase, step, steps }),
      onDelta: (textDelta) => this.progress({ textDelta }),
      onRetry: (notice) => this.tellRetry(notice),
      review: (draft, signal) => this.review(draft, signal),
      onCommit: () => {
        this.isCommitting = true;
        this.progress({ phase: 'commit' });
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

  /** One that nobody was told of has no progress. */
  private progress(change: Partial<Omit<Extract<SessionChange, { type: 'compaction_progress' }>, 'type'>>): void {
    const { compaction } = this.ports.shown();
    if (!compaction) return;
    const { phase, step, steps } = compaction;
    this.ports.tell({ type: 'compaction_progress', phase, step, steps, ...change });
  }

  private tellRetry(notice: RetryNotice | null): void {
    const retry = notice && {
      attempt: notice.attempt,
      maxAttempts: notice.maxAttempts,
      until: this.ports.now() + notice.delayMs,
      errorMessage: notice.errorMessage,
    };
    this.ports.tell({ type: 'summarization_retry', retry });
  }

  private tellEnd(request: CompactionRequest, outcome: CompactionOutcome, tokensBefore: number): void {
    const { tell, log, newPath } = this.ports;
    const { reason } = request;
    if (outcome.kind === 'nothing' && reason !== 'manual') return;
    const base = {
      type: 'compaction_end',
      reason,
      aborted: outcome.kind === 'aborted',
      tokensBefore,
      compactionsOnPath: compactionsOnPath(log),
    } as const;
    if (outcome.kind === 'done') {
      const { entryId, tokensAfter, durationMs, cost } = outcome;
      tell({ ...base, entryId, path: newPath(), tokensBefore: outcome.tokensBefore, tokensAfter, durationMs, cost });
    } else if (outcome.kind === 'nothing') tell({ ...base, skippedReason: outcome.text });
    else if (outcome.kind === 'failed') {
      const offered = outcome.tried ? { summaryFailure: failureOf(request, outcome) } : {};
      tell({ ...base, errorMessage: failureText(reason, outcome.message), ...offered });
    } else tell(base);
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
