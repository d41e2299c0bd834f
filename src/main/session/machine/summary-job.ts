import type { CompactionReport } from '../../compaction/compact';
import { type RetryNotice, SummaryAborted } from '../../compaction/summary-call';
import type { OwedCosts } from './owed-costs';
import { SessionRefusal, type Slot } from './slot';
import type { CompactionPlan } from '@shared/compaction/plan';
import type { LiveJob, ReviewDraft } from '@shared/compaction/summary-job';
import type { JobEnd, JobStep, Tell } from '@shared/session-state/events';
import type { LiveSession } from '@shared/session-state/state';
import { stripTagBlocks } from '@shared/session/records/own-marks';
import type { SpentCost } from '@shared/session/tree/drafts';
import type { ModelRef } from '@shared/types';

/** What it takes of its session. */
interface JobScope {
  tell: Tell;
  shown: LiveSession;
  slot: Slot;
  costs: OwedCosts;
  now(): number;
}

/** What adding up may leave over, US dollars. */
const LEAST_COST = 1e-9;

/** What is said of a job when it begins. */
type Begun<T extends LiveJob = LiveJob> = T extends LiveJob
  ? Omit<T, keyof JobStep | 'retry' | 'review' | 'startedAt'>
  : never;

/**
 * The job of a session that writes a summary, whatever it is for (EV10): what the window sees of it, its one cancel, its one
 * review. One at a time: the slot sees to that.
 */
export class SummaryJob implements CompactionReport {
  private controller: AbortController | null = null;
  private begun: LiveJob | null = null;
  /** What a compaction is, before anybody is told of it. */
  private facts: Begun<Extract<LiveJob, { kind: 'compaction' }>> | null = null;
  private isCommitting = false;
  /** What it came to so far, by who was asked. */
  private paid = new Map<string, SpentCost>();
  /** Takes the person's answer while a summary waits for it; null: it is to be written anew. */
  private accept: ((text: string | null) => void) | null = null;
  /** What waits does not look like a summary (SU40), or makes the context larger (SU41). */
  private mayBeAnew = false;

  constructor(private readonly scope: JobScope) {}

  /**
   * Carries a job out. `outer` ends it with what it is part of, `cancel` it alone.
   * @throws SummaryAborted if either did before it was written
   */
  async run<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const end = (): void => controller.abort();
    outer.addEventListener('abort', end, { once: true });
    if (outer.aborted) end();
    Object.assign(this, { controller, begun: null, isCommitting: false });
    this.paid.clear();
    try {
      return await work(controller.signal);
    } catch (error) {
      // Whatever came of it then is not a failure.
      throw controller.signal.aborted && !this.isCommitting ? new SummaryAborted() : error;
    } finally {
      outer.removeEventListener('abort', end);
      this.controller = null;
      this.owe();
    }
  }

  /** Tells that it begins, or more of what it is. */
  start(facts: Begun): void {
    const { scope } = this;
    const fresh = { phase: 'plan', part: null, step: 0, steps: 0, retry: null, review: null } as const;
    this.begun = { ...fresh, ...facts, startedAt: this.begun?.startedAt ?? scope.now() };
    scope.tell({ type: 'job_start', job: this.begun });
    if (facts.kind === 'compaction') scope.slot.become('job');
    else scope.slot.refresh();
  }

  /** A compaction that is told of once it has something to do. */
  prepare(facts: NonNullable<SummaryJob['facts']>): void {
    this.facts = facts;
  }

  planned({ estimates, messagesToSummarize, turnPrefixMessages }: CompactionPlan, since: number): void {
    const messages = messagesToSummarize.length + turnPrefixMessages.length;
    if (this.facts) this.start({ ...this.facts, projected: estimates.projected + since, messages });
  }

  step(part: NonNullable<JobStep['part']>, step: number, steps: number): void {
    this.progress({ phase: part === 'hooks' ? 'plan' : 'write', part, step, steps });
  }

  delta(textDelta: string): void {
    this.progress({}, textDelta);
  }

  spent(ref: ModelRef, cost: number): void {
    this.pay(ref, cost);
  }

  private pay({ provider, modelId }: ModelRef, cost: number): void {
    const { kind } = this.begun ?? this.facts ?? { kind: 'summary' };
    const model = `${provider}/${modelId}`;
    this.paid.set(model, { kind, model, cost: (this.paid.get(model)?.cost ?? 0) + cost });
  }

  /** What the text cost that was written last and is not in the session, by who was asked; asked for once. */
  takePaid(): SpentCost[] {
    const paid = [...this.paid.values()].filter(({ cost }) => cost > LEAST_COST);
    this.paid.clear();
    return paid;
  }

  private owe(): void {
    for (const paid of this.takePaid()) this.scope.costs.add(paid);
  }

  retry(notice: RetryNotice | null): void {
    if (!this.begun) return;
    const retry = notice && {
      attempt: notice.attempt,
      maxAttempts: notice.maxAttempts,
      until: this.scope.now() + notice.delayMs,
      errorMessage: notice.errorMessage,
    };
    this.scope.tell({ type: 'job_retry', kind: this.begun.kind, retry });
  }

  async review(review: ReviewDraft): Promise<string | null> {
    const { controller, begun } = this;
    if (!controller || !begun) throw new Error('A summary is reviewed outside a job.');
    const { signal } = controller;
    try {
      this.mayBeAnew = review.isDoubtful === true || review.isLarger === true;
      const answer = await new Promise<string | null>((resolve, reject) => {
        this.accept = resolve;
        signal.addEventListener('abort', () => reject(new SummaryAborted()), { once: true });
        if (signal.aborted) return reject(new SummaryAborted());
        this.scope.tell({ type: 'job_review', kind: begun.kind, review });
        this.scope.slot.refresh();
      });
      if (answer === null) {
        this.progress({ phase: 'plan', part: null, step: 0, steps: 0 });
        this.scope.slot.refresh();
      }
      return answer;
    } finally {
      this.accept = null;
    }
  }

  commit(): void {
    if (this.controller?.signal.aborted) throw new SummaryAborted();
    this.isCommitting = true;
    this.progress({ phase: 'commit' });
    this.scope.slot.refresh();
  }

  written(cost: number, writer: ModelRef | null): void {
    if (writer && cost > 0) this.pay(writer, -cost);
  }

  /** Tells the end of a job that was told of; the session is free when it hears. */
  end(end: Omit<JobEnd, 'type' | 'kind'>): void {
    const { begun } = this;
    this.begun = null;
    if (begun) this.scope.tell({ type: 'job_end', kind: begun.kind, ...end });
  }

  /** Ends it, and it alone; the session stays as it was. Too late once it is being written. */
  cancel(): void {
    if (!this.isCommitting) this.controller?.abort();
  }

  /**
   * The person's answer to the summary that waits for it.
   * @param text to store, or null to cancel
   * @param anew it is to be written anew: only what does not look like a summary (SU40), or makes the context larger (SU41)
   * @throws SessionRefusal if nothing waits, or for a blank text; the review goes on then
   */
  answer(text: string | null, anew = false): void {
    if (!this.accept) throw new SessionRefusal('There is no longer a summary to review.');
    if (anew && !this.mayBeAnew) throw new SessionRefusal('This summary cannot be written again. Use it, or cancel.');
    if (anew) return this.accept(null);
    if (text === null) return this.cancel();
    const stored = stripTagBlocks(text);
    if (stored === '') throw new SessionRefusal('The summary is empty. Write something, or cancel.');
    this.accept(stored);
  }

  /** One that nobody was told of has no progress. */
  private progress(change: Partial<JobStep>, textDelta?: string): void {
    const { job } = this.scope.shown;
    if (!this.begun || !job) return;
    const { kind, phase, part, step, steps } = job;
    const words = textDelta === undefined ? {} : { textDelta };
    this.scope.tell({ type: 'job_progress', kind, phase, part, step, steps, ...change, ...words });
  }
}
