import { PROGRESS_SHARE } from '@shared/compaction/plan';
import type { ModelRef } from '@shared/ipc/types';
import type { Recovery } from '../agent/failure-cards';
import type { ContextSize } from '../agent/session-context';
import type { CompactionOutcome } from '../ports';
import type { Compactor } from './compactor';

/** Wait after a failure; doubles with each further one. Milliseconds. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Compactions one after the other that one check may take (PL15). */
const MAX_PASSES = 3;

export interface AutoPorts {
  compactor: Compactor;
  /** `compaction.enabled`, and not switched off by the environment. */
  isEnabled: () => boolean;
  /** Automatic attempts in a row without progress after which they rest (TG14). */
  maxAttempts: () => number;
  /** Hides old tool outputs if that is enough (PR1); true if it did. */
  prune: (size: ContextSize) => Promise<boolean>;
  /**
   * Shortens what is left (TG16); true if anything was.
   * @param factor by which the provider counts more than we do
   * @param failedReplyId goes out of the context with it
   */
  shorten: (size: ContextSize, factor: number, failedReplyId: string | null) => Promise<boolean>;
  /** A compaction took place. */
  onCompacted: () => void;
  /** A compaction left the context nearly as large as it was. */
  onNoProgress: (size: ContextSize) => void;
  now: () => number;
}

/** What a provider refused. */
export interface Overflow {
  /** What the context at the leaf comes to for the model, read anew each time. */
  size: () => ContextSize;
  model: ModelRef;
  /** The reply that says so: left out of what is summarised and of the context from then on. */
  failedReplyId: string | null;
  /** The reply stays in the context until another has taken its place. */
  keepsReply: boolean;
  /** False: the request was answered, only the next one needs the room. */
  retries: boolean;
  signal: AbortSignal;
}

/** When a session compacts itself (TG1 to TG18): thresholds, and the guards against doing it in vain. */
export class AutoCompaction {
  private attempts = 0;
  /** That it makes too little room was said for this row of attempts. */
  private hasWarned = false;
  private failures = 0;
  private restUntil = 0;
  private hasRecovered = false;
  /** The person cancelled: until they speak again it happens only if nothing else can be sent. */
  private isDeclined = false;

  constructor(private readonly ports: AutoPorts) {}

  /** A command, another model or other settings: what went wrong before says nothing any more. */
  reset(): void {
    this.attempts = 0;
    this.failures = 0;
    this.restUntil = 0;
    this.isDeclined = false;
  }

  /** A user message. */
  heardPerson(): void {
    this.isDeclined = false;
    this.allowRecovery();
  }

  /** A user message or a good reply: an overflow may be recovered from again. */
  allowRecovery(): void {
    this.hasRecovered = false;
  }

  /**
   * Compacts if the context is above the threshold and nothing speaks against it (TG5, JB9): old tool outputs first,
   * then a summary, then up to two more that keep less.
   * @param size of the context that is about to be sent, read anew after each step
   */
  async makeRoom(size: () => ContextSize, model: ModelRef, signal: AbortSignal): Promise<void> {
    const before = size();
    if (before.limits.threshold === null) return;
    if (!isAbove(before)) {
      this.attempts = 0;
      return;
    }
    if (!this.ports.isEnabled() || this.ports.compactor.isRunning || !this.mayTry(before)) return;
    if (await this.ports.prune(before)) return;
    for (let pass = 1; pass <= MAX_PASSES && !signal.aborted; pass++) {
      const tokens = size().tokens;
      const outcome = await this.ports.compactor.run({ reason: 'threshold', model, signal, pass });
      const after = size();
      this.take(outcome, after);
      if (outcome.kind !== 'done' || !isAbove(after) || after.tokens >= tokens) return;
    }
  }

  /** After a provider refused the context as too long (JB10): compacts once, then shortens what is left. */
  async recover({ size, model, failedReplyId, keepsReply, retries, signal }: Overflow): Promise<Recovery> {
    if (!this.ports.isEnabled()) return 'off';
    if (this.hasRecovered) return 'again';
    this.hasRecovered = true;
    const before = size();
    const reply = failedReplyId ?? undefined;
    const outcome = await this.ports.compactor.run({
      reason: 'overflow',
      model,
      signal,
      failedReplyId: reply,
      keepsReply,
    });
    if (outcome.kind === 'done') this.ports.onCompacted();
    if (!retries || signal.aborted || outcome.kind === 'aborted' || outcome.kind === 'failed') return outcome;
    // The provider counts more than we do, or it would not have refused.
    const { window } = before.limits;
    const factor = window !== null && before.tokens > 0 ? Math.max(1, window / before.tokens) : 1;
    const after = size();
    if (outcome.kind === 'done' && fits(after, factor)) return 'retry';
    const omits = outcome.kind === 'nothing' && !keepsReply ? failedReplyId : null;
    const isShorter = await this.ports.shorten(after, factor, omits);
    if (isShorter && fits(size(), factor)) return 'retry';
    return outcome.kind === 'nothing'
      ? outcome
      : { kind: 'failed', message: 'the session is still too long for this model' };
  }

  private mayTry({ tokens, limits }: ContextSize): boolean {
    if (this.isDeclined && (limits.window === null || tokens <= limits.window)) return false;
    if (this.attempts >= this.ports.maxAttempts()) return false;
    const isUrgent = limits.hardLine !== null && tokens > limits.hardLine;
    return isUrgent || this.ports.now() >= this.restUntil;
  }

  private take(outcome: CompactionOutcome, size: ContextSize): void {
    if (outcome.kind === 'aborted') {
      this.isDeclined = true;
      return;
    }
    if (outcome.kind === 'failed') {
      // Above the hard line the wait does not hold: without counting, a summariser that fails would be asked before every request.
      this.attempts++;
      this.failures++;
      this.restUntil = this.ports.now() + Math.min(FIRST_WAIT_MS * 2 ** (this.failures - 1), LONGEST_WAIT_MS);
      return;
    }
    if (outcome.kind === 'done') {
      this.failures = 0;
      this.ports.onCompacted();
    }
    if (outcome.kind === 'done' && hasProgress(size)) {
      this.attempts = 0;
      this.hasWarned = false;
      return;
    }
    this.attempts++;
    // Once for a row of them.
    if (!this.hasWarned) this.ports.onNoProgress(size);
    this.hasWarned = true;
  }
}

/** D after ≤ floor(0.8 T) (TG13). */
function hasProgress({ tokens, limits: { threshold } }: ContextSize): boolean {
  return threshold !== null && tokens <= Math.floor(PROGRESS_SHARE * threshold);
}

function isAbove({ tokens, limits: { threshold } }: ContextSize): boolean {
  return threshold !== null && tokens > threshold;
}

/** A retry may go out up to the hard line (TG13). */
function fits({ tokens, limits: { hardLine } }: ContextSize, factor: number): boolean {
  return hardLine === null || tokens * factor <= hardLine;
}
