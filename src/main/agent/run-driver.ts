import type { Failure, QueueItem } from '@shared/ipc/types';
import type { EntryDraft } from '@shared/session/entry';
import type { Settings } from '@shared/settings';
import type { AssistantMessage } from '../models/pi-types';
import type { Recovery } from './failure-cards';
import type { AgentRun, RunEnd } from './agent-run';
import type { DurableQueue } from './durable-queue';
import { NO_ROOM, overflowFailure, STUCK, unsavedFailure } from './failure-cards';
import type { ReplyJudgement } from './judge-reply';
import { retryDelayMs, waitForRetry } from './retry-policy';
import type { Tell } from '@shared/session-state/events';

/** `length` replies that are continued by themselves for one user message (TG9). */
const MAX_LENGTH_CONTINUES = 3;

/**
 * How a context was too long: refused with an error, taken although it was longer than the window, or answered with a reply that
 * broke off for want of room (TG9).
 */
export type OverflowKind = 'overflow' | 'silent' | 'length-overflow';

export interface DriverPorts {
  tell: Tell;
  queue: DurableQueue;
  settings: () => Settings;
  newRun: (signal: AbortSignal) => AgentRun;
  judge: (reply: AssistantMessage) => ReplyJudgement;
  /** A reply came that is no failure. */
  onAnswered: () => void;
  /** Makes a context smaller that was too long for the model (JB10); `retry` if it may be sent again. */
  recover: (reply: AssistantMessage, kind: OverflowKind, signal: AbortSignal) => Promise<Recovery>;
  /** Stores the message that goes on after a cut-off reply (TG20). Rejects if it can't be stored. */
  appendContinue: () => Promise<void>;
  now: () => number;
  /** The retry state changed. */
  onChange: () => void;
}

export type DriveEnd =
  | { reason: 'done' }
  | { reason: 'stopped'; failure: Failure | null }
  | { reason: 'failed'; failure: Failure; oversize?: boolean; unsaved?: { drafts: EntryDraft[]; error: unknown } };

/**
 * Carries one operation of a session from its first message to rest: runs of the loop, retries with back-off in between
 * (TG11, settings `retry.*`), the queue's follow-ups. One at a time per session (JB1).
 */
export class RunDriver {
  /** Waits before the next attempt. */
  isWaiting = false;
  private run: AgentRun | null = null;
  private skip = new AbortController();
  private attempt = 0;
  private lengthContinues = 0;

  constructor(private readonly ports: DriverPorts) {}

  /** Ends the wait before the next attempt at once. Without a wait nothing happens. */
  skipWait(): void {
    this.skip.abort();
  }

  isDelivering(itemId: string): boolean {
    return this.run?.isDelivering(itemId) ?? false;
  }

  /** Called for every stored reply: a good one ends a row of retries. */
  onReply(reply: AssistantMessage): void {
    if (reply.stopReason === 'error' || reply.stopReason === 'aborted') return;
    // A reply without room to end says nothing of the context being small enough.
    const isCutOff = reply.stopReason === 'length' && this.ports.judge(reply).kind === 'length-overflow';
    if (!isCutOff) this.ports.onAnswered();
    this.endRetry(true);
  }

  /** Never rejects. Failures of the world come back as a value. */
  async drive(first: QueueItem | null, signal: AbortSignal): Promise<DriveEnd> {
    let start = first;
    for (;;) {
      this.run = this.ports.newRun(signal);
      const end = await this.run.start(start);
      this.run = null;
      const next = await this.decide(end, signal);
      if ('reason' in next) return next;
      start = next.start;
    }
  }

  private async decide(end: RunEnd, signal: AbortSignal): Promise<DriveEnd | { start: QueueItem | null }> {
    switch (end.kind) {
      case 'stopped':
        this.endRetry(false, 'Stopped');
        return { reason: 'stopped', failure: null };
      case 'unsaved':
        this.endRetry(false);
        return {
          reason: 'failed',
          failure: unsavedFailure(end.error),
          unsaved: { drafts: end.unsaved, error: end.error },
        };
      case 'notSent':
        this.endRetry(false, end.failure.detail);
        return { reason: 'failed', failure: end.failure, oversize: end.oversize };
      case 'finished':
        return this.afterFinished(end.reply, signal);
      case 'stuck':
        return { reason: 'failed', failure: STUCK };
      case 'failed':
        return this.afterFailed(end.reply, signal);
    }
  }

  private async afterFinished(
    reply: AssistantMessage | null,
    signal: AbortSignal,
  ): Promise<DriveEnd | { start: QueueItem | null }> {
    const kind = reply ? this.ports.judge(reply).kind : 'ok';
    if (reply && kind === 'length-overflow') return this.afterOverflow(reply, kind, NO_ROOM, signal);
    // The answer is whole: only the next request needs the room.
    if (reply && kind === 'silent') await this.ports.recover(reply, kind, signal);
    if (signal.aborted) return { reason: 'stopped', failure: null };
    const next = this.ports.queue.next();
    if (next) {
      this.lengthContinues = 0;
      return { start: next };
    }
    const mayContinue = this.ports.settings()['compaction.autoContinue'] && this.lengthContinues < MAX_LENGTH_CONTINUES;
    if (kind !== 'length' || !mayContinue) return { reason: 'done' };
    this.lengthContinues++;
    try {
      await this.ports.appendContinue();
    } catch (error) {
      return { reason: 'failed', failure: unsavedFailure(error), unsaved: { drafts: [], error } };
    }
    return { start: null };
  }

  private async afterFailed(reply: AssistantMessage, signal: AbortSignal): Promise<DriveEnd | { start: null }> {
    const { judge, settings, now, tell, onChange } = this.ports;
    const { kind, transient, retryAfterMs, failure } = judge(reply);
    if (kind === 'overflow') return this.afterOverflow(reply, kind, failure, signal);
    const current = settings();
    const maxAttempts = current['retry.maxRetries'];
    if (!transient || !current['retry.enabled'] || this.attempt >= maxAttempts) {
      this.endRetry(false, failure.detail);
      return { reason: 'failed', failure };
    }
    const attempt = ++this.attempt;
    const delayMs = retryDelayMs(attempt, current, retryAfterMs);
    const errorMessage = failure.detail;
    this.isWaiting = true;
    this.skip = new AbortController();
    tell({ type: 'auto_retry_start', attempt, maxAttempts, delayMs, until: now() + delayMs, errorMessage });
    onChange();
    const how = await waitForRetry(delayMs, signal, this.skip.signal);
    this.isWaiting = false;
    onChange();
    if (how !== 'aborted') return { start: null };
    this.endRetry(false, errorMessage);
    return { reason: 'stopped', failure };
  }

  /** Overflow gets no generic retry: one compaction, then one more request (JB10). */
  private async afterOverflow(
    reply: AssistantMessage,
    kind: OverflowKind,
    failure: Failure,
    signal: AbortSignal,
  ): Promise<DriveEnd | { start: null }> {
    this.endRetry(false, failure.detail);
    const how = await this.ports.recover(reply, kind, signal);
    if (how === 'retry') return { start: null };
    if (signal.aborted) return { reason: 'stopped', failure };
    return { reason: 'failed', failure: overflowFailure(failure, how) };
  }

  private endRetry(success: boolean, finalError?: string): void {
    if (this.attempt === 0) return;
    const end = { success, attempt: this.attempt, ...(finalError ? { finalError } : {}) };
    this.ports.tell({ type: 'auto_retry_end', ...end });
    this.attempt = 0;
  }
}
