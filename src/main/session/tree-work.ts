import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import type { TreeSummaryKind, LiveSession } from '@shared/session-state/state';
import type { Tell } from '@shared/session-state/events';
import { NoSummary, SummaryAborted, SummaryError } from '../compaction/summary-call';
import type { CallPorts, RetryNotice } from '../compaction/summary-call';
import { SessionRefusal } from './session-refusal';

export interface TreeWorkPorts extends Pick<CallPorts, 'transport' | 'settings'> {
  tell: Tell;
  shown: () => LiveSession;
  now: () => number;
  /** The state of the session may have changed. */
  onChange: () => void;
}

/** What of a summary is told when it is over. */
interface Ended {
  kind: TreeSummaryKind;
  aborted: boolean;
  summaryEntryId?: string;
  errorMessage?: string;
}

/**
 * A navigation, bring over or handoff while it may still be cancelled, and what the window sees of its summary (JB4, BR2). One
 * at a time: the session's mutex sees to that.
 */
export class TreeWork {
  /** What the summary is for that is being written. */
  private writing: TreeSummaryKind | null = null;
  private controller: AbortController | null = null;
  private done: Promise<unknown> = Promise.resolve();
  private isCommitting = false;
  private summaryEntryId: string | undefined;
  private ended: Ended | null = null;
  /** Takes the person's answer while a summary waits for it. */
  private accept: ((text: string) => void) | null = null;

  constructor(private readonly ports: TreeWorkPorts) {}

  /** A summary is being written, or waits for the person. */
  get isWriting(): boolean {
    return this.writing !== null;
  }

  /** Something runs that has to end before a model or a level can be chosen. */
  get isRunning(): boolean {
    return this.controller !== null;
  }

  /**
   * Runs a piece of work under a signal of its own.
   * @returns null if it was cancelled: then nothing has changed
   * @throws SessionRefusal in place of a SummaryError
   */
  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const controller = new AbortController();
    this.controller = controller;
    this.isCommitting = false;
    this.summaryEntryId = undefined;
    const running = work(controller.signal);
    this.done = running.catch(() => undefined);
    try {
      const result = await running;
      this.finish({ aborted: false, summaryEntryId: this.summaryEntryId });
      return result;
    } catch (error) {
      const aborted = error instanceof SummaryAborted || (controller.signal.aborted && !this.isCommitting);
      const errorMessage = error instanceof Error ? error.message : String(error);
      this.finish(aborted ? { aborted } : { aborted, errorMessage });
      if (aborted) return null;
      if (error instanceof NoSummary) throw new SessionRefusal(errorMessage, error.tried);
      throw error instanceof SummaryError ? new SessionRefusal(errorMessage) : error;
    }
  }

  /** Tells the end of what ran, now that the session is free again. */
  tellEnd(): void {
    const { ended } = this;
    this.ended = null;
    if (!ended) return;
    this.ports.tell({ type: 'tree_summary_end', ...ended });
    this.ports.onChange();
  }

  /** Ends what runs; nothing changes. Too late once it is being written. */
  cancel(): void {
    if (!this.isCommitting) this.controller?.abort();
  }

  /** `cancel`, and waits for the end. */
  async stop(): Promise<void> {
    this.cancel();
    await this.done;
  }

  /** A summary begins to be written. */
  start(kind: TreeSummaryKind, targetId: string | null, fromId: string | null): void {
    const { tell, now, onChange } = this.ports;
    this.writing = kind;
    tell({
      type: 'tree_summary_start',
      summary: { kind, targetId, fromId, retry: null, review: null, startedAt: now() },
    });
    onChange();
  }

  /** The next of several calls writes the text anew. */
  restart(): void {
    const { treeSummary, summaryText } = this.ports.shown();
    if (treeSummary && summaryText !== '') this.ports.tell({ type: 'tree_summary_start', summary: treeSummary });
  }

  /** What its calls need. */
  callPorts(): CallPorts {
    const { transport, settings } = this.ports;
    return { transport, settings, onDelta: (text) => this.progress(text), onRetry: (notice) => this.tellRetry(notice) };
  }

  /** From here on it is written: too late to cancel. @throws SummaryAborted if it was cancelled before */
  commit(): void {
    if (this.controller?.signal.aborted) throw new SummaryAborted();
    this.isCommitting = true;
  }

  /** Its summary stands in the tree. */
  stored(summaryEntryId: string | undefined): void {
    this.summaryEntryId = summaryEntryId;
  }

  /** Waits for the person to accept a text, changed or not. @throws SummaryAborted */
  async review(text: string, signal: AbortSignal): Promise<string> {
    try {
      return await new Promise<string>((resolve, reject) => {
        this.accept = resolve;
        signal.addEventListener('abort', () => reject(new SummaryAborted()), { once: true });
        if (signal.aborted) return reject(new SummaryAborted());
        this.ports.tell({ type: 'tree_summary_review', review: { text } });
      });
    } finally {
      this.accept = null;
    }
  }

  /**
   * The person's answer to the summary that waits for it.
   * @param text to store, or null to cancel
   * @throws SessionRefusal if nothing waits, or for a blank text; the review goes on then
   */
  answerReview(text: string | null): void {
    if (!this.accept) throw new SessionRefusal('There is no summary to review any more.');
    if (text === null) return this.cancel();
    const stored = stripTagBlocks(text);
    if (stored === '') throw new SessionRefusal('The summary is empty. Write something, or cancel.');
    this.accept(stored);
  }

  private finish(end: Omit<Ended, 'kind'>): void {
    const { writing } = this;
    this.controller = null;
    this.writing = null;
    if (writing) this.ended = { kind: writing, ...end };
  }

  private progress(textDelta: string): void {
    if (this.writing) this.ports.tell({ type: 'tree_summary_progress', textDelta });
  }

  private tellRetry(notice: RetryNotice | null): void {
    if (!this.writing) return;
    const { now, tell } = this.ports;
    const retry = notice && {
      attempt: notice.attempt,
      maxAttempts: notice.maxAttempts,
      until: now() + notice.delayMs,
      errorMessage: notice.errorMessage,
    };
    tell({ type: 'tree_summary_retry', retry });
  }
}
