import { PROGRESS_SHARE } from '@shared/compaction/plan';
import type { CompactionReason, ModelRef } from '@shared/ipc/types';
import type { ContextSize } from '../agent/session-context';
import type { CompactionOutcome } from '../compaction/compact';
import type { Compactor } from './compactor';

/** Automatic attempts in a row without progress after which they rest (engine.md 5.4). */
const MAX_ATTEMPTS = 3;
/** Wait after a failure; doubles with each further one. Milliseconds. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 15 * 60_000;

export interface AutoPorts {
  compactor: Compactor;
  /** `compaction.enabled`, and not switched off by the environment. */
  isEnabled: () => boolean;
  now: () => number;
}

/** When a session compacts itself (engine.md 5): thresholds, and the guards against doing it in vain. */
export class AutoCompaction {
  private attempts = 0;
  private failures = 0;
  private restUntil = 0;
  private hasRecovered = false;

  constructor(private readonly ports: AutoPorts) {}

  /** A command, another model or other settings: what went wrong before says nothing any more. */
  reset(): void {
    this.attempts = 0;
    this.failures = 0;
    this.restUntil = 0;
  }

  /** A user message or a good reply: an overflow may be recovered from again. */
  allowRecovery(): void {
    this.hasRecovered = false;
  }

  /**
   * Compacts if the context is above the threshold and nothing speaks against it (engine.md 5.2, 10.4).
   * @param size of the context that is about to be sent, read anew afterwards
   */
  async makeRoom(size: () => ContextSize, model: ModelRef, signal: AbortSignal): Promise<void> {
    const before = size();
    const { threshold } = before.limits;
    if (threshold === null || before.tokens <= threshold) {
      if (threshold !== null) this.attempts = 0;
      return;
    }
    if (!this.ports.isEnabled() || this.ports.compactor.isRunning || !this.mayTry(before)) return;
    const outcome = await this.ports.compactor.run({ reason: 'threshold', model, signal });
    this.take(outcome, size());
  }

  /**
   * After a provider refused the context as too long (engine.md 10.5): compacts once.
   * @param failedReplyId the reply that says so: it is left out of what is summarised and of the context from then on
   * @returns true if the request may be sent again
   */
  async recover(
    size: () => ContextSize,
    model: ModelRef,
    failedReplyId: string | null,
    signal: AbortSignal,
  ): Promise<'retry' | 'off' | 'again' | CompactionOutcome> {
    if (!this.ports.isEnabled()) return 'off';
    if (this.hasRecovered) return 'again';
    this.hasRecovered = true;
    const reason: CompactionReason = 'overflow';
    const outcome = await this.ports.compactor.run({
      reason,
      model,
      signal,
      failedReplyId: failedReplyId ?? undefined,
    });
    if (outcome.kind !== 'done') return outcome;
    const { tokens, limits } = size();
    const fits = limits.hardLine === null || tokens <= limits.hardLine;
    return fits ? 'retry' : { kind: 'failed', message: 'the session is still too long for this model' };
  }

  private mayTry({ tokens, limits }: ContextSize): boolean {
    if (this.attempts >= MAX_ATTEMPTS) return false;
    const isUrgent = limits.hardLine !== null && tokens > limits.hardLine;
    return isUrgent || this.ports.now() >= this.restUntil;
  }

  private take(outcome: CompactionOutcome, { tokens, limits }: ContextSize): void {
    if (outcome.kind === 'failed') {
      this.failures++;
      this.restUntil = this.ports.now() + Math.min(FIRST_WAIT_MS * 2 ** (this.failures - 1), LONGEST_WAIT_MS);
      return;
    }
    if (outcome.kind === 'done') this.failures = 0;
    const hasProgress =
      outcome.kind === 'done' && limits.threshold !== null && tokens <= Math.floor(PROGRESS_SHARE * limits.threshold);
    this.attempts = hasProgress ? 0 : this.attempts + 1;
  }
}
