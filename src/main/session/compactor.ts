import type { CompactionReason, LiveCompaction } from '@shared/ipc/types';
import { compact } from '../compaction/compact';
import type { CompactionOutcome, CompactionPorts, CompactionRequest } from '../compaction/compact';
import type { RetryNotice } from '../compaction/summary-call';
import type { Emit } from '../ports';

/** Characters of the growing summary that a window which opens meanwhile is given. */
const MAX_SHOWN_TEXT = 16_000;

/** What a compactor needs beside what it tells of itself. */
export interface CompactorPorts extends Omit<
  CompactionPorts,
  'onDelta' | 'onRetry' | 'onStep' | 'onPlan' | 'onCommit'
> {
  emit: Emit;
  /** The state of the session may have changed. */
  onChange: () => void;
}

/** The compactions of one session, one at a time, and what the window sees of them (engine.md 10, 19). */
export class Compactor {
  /** What runs now, as a window that opens meanwhile needs it. */
  live: LiveCompaction | null = null;
  private controller: AbortController | null = null;
  private isCommitting = false;

  constructor(private readonly ports: CompactorPorts) {}

  get isRunning(): boolean {
    return this.controller !== null;
  }

  /** Ends the compaction that runs; the session stays as it was. Too late once the entry is being written. */
  cancel(): void {
    if (!this.isCommitting) this.controller?.abort();
  }

  /**
   * Compacts at the leaf and tells the window. `request.signal` ends it with what it is part of. Never rejects.
   */
  async run(request: CompactionRequest): Promise<CompactionOutcome> {
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
    this.controller = null;
    this.live = null;
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
      startedAt: now(),
    };
    // One that nobody asked for shows itself once there is something to do.
    if (reason === 'manual') {
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
        this.ports.emit({ type: 'compaction_start', sessionId: this.ports.log.sessionId, compaction: this.live });
        this.ports.onChange();
      },
      onStep: (phase, step, steps) => this.progress({ phase, step, steps, text: '' }),
      onDelta: (delta) => this.progress({ text: `${this.live?.text ?? ''}${delta}`.slice(-MAX_SHOWN_TEXT) }, delta),
      onRetry: (notice) => this.tellRetry(notice),
      onCommit: () => {
        this.isCommitting = true;
        this.progress({ phase: 'commit' });
      },
    };
  }

  private progress(change: Partial<LiveCompaction>, textDelta?: string): void {
    if (!this.live) return;
    this.live = { ...this.live, ...change };
    const { phase, step, steps } = this.live;
    const { sessionId } = this.ports.log;
    const text = textDelta === undefined ? {} : { textDelta };
    this.ports.emit({ type: 'compaction_progress', sessionId, phase, step, steps, ...text });
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
    else if (outcome.kind === 'failed') emit({ ...base, errorMessage: `${FAILED[reason]}: ${outcome.message}` });
    else emit(base);
  }
}

const FAILED: Record<CompactionReason, string> = {
  manual: 'Compaction failed',
  threshold: 'Auto-compaction failed',
  overflow: 'Context overflow recovery failed',
};

function compactionsOnPath({ tree }: CompactorPorts['log']): number {
  let count = 0;
  const node = tree.leafId === null ? undefined : tree.node(tree.leafId);
  for (let at = node && tree.stateOf(node).compaction; at; at = at.parent && tree.stateOf(at.parent).compaction)
    count++;
  return count;
}
