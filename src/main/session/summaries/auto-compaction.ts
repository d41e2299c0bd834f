import type { Recovery } from '../../agent/failure-cards';
import type { RepeatGuard } from '../../agent/run-calls';
import type { Overflow, RoomMaker } from '../../agent/run-scope';
import { type ContextSize, isAutoCompactionOn } from '../../agent/session-context';
import type { CompactionOutcome } from '../../ports';
import type { SessionScope } from '../machine/scope';
import { runCompaction } from './compactor';
import { dropLarge, type Pruned, pruneOutputs, shortenOutputs } from './prune-changes';
import { PROGRESS_SHARE } from '@shared/compaction/plan';
import type { Overhead } from '@shared/session/context/figure';
import type { ModelRef } from '@shared/types';

/** Wait after a failure; doubles with each further one. Milliseconds. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Compactions one after the other that one check may take (PL15). */
const MAX_PASSES = 3;

/** When a session compacts itself (TG1 to TG18): thresholds, and the guards against doing it in vain. */
export class AutoCompaction implements RoomMaker {
  private attempts = 0;
  /** That it makes too little room was said for this row of attempts. */
  private hasWarned = false;
  private failures = 0;
  private restUntil = 0;
  private hasRecovered = false;
  /** The last compaction since the person spoke left too much (TG13). */
  private lacksProgress = false;
  /** The person cancelled: until they speak again it happens only if nothing else can be sent. */
  private isDeclined = false;

  constructor(
    private readonly scope: SessionScope,
    private readonly repeats: RepeatGuard,
  ) {}

  /** A command, another model or other settings: what went wrong before says nothing any more. */
  reset(): void {
    this.endRow();
    this.failures = 0;
    this.restUntil = 0;
    this.isDeclined = false;
  }

  /** A user message. */
  heardPerson(): void {
    this.isDeclined = false;
    this.lacksProgress = false;
    this.allowRecovery();
  }

  get allowsContinuing(): boolean {
    return !this.isDeclined && !this.lacksProgress;
  }

  /** A user message or a good reply: an overflow may be recovered from again. */
  allowRecovery(): void {
    this.hasRecovered = false;
  }

  /**
   * Compacts if the context is above the threshold and nothing speaks against it (TG5, JB9): old tool outputs first,
   * then a summary, then up to two more that keep less.
   * @param overhead of the request that is about to be sent; absent: of the one in force
   */
  async makeRoom(model: ModelRef, overhead: Overhead | undefined, signal: AbortSignal): Promise<void> {
    const size = (): ContextSize => this.scope.size(model, overhead);
    const before = size();
    if (before.limits.threshold === null) return;
    if (!isAbove(before)) {
      this.scope.keeper.withdraw();
      return this.endRow();
    }
    if (!this.isEnabled || !this.mayTry(before)) return;
    const { log, context } = this.scope;
    if (this.tellPruned(await pruneOutputs(log, context, before, this.scope.settings()))) return;
    for (let pass = 1; pass <= MAX_PASSES && !signal.aborted; pass++) {
      const tokens = size().tokens;
      const outcome = await runCompaction(this.scope, { reason: 'threshold', model, signal, pass });
      const after = size();
      this.take(outcome, after);
      if (outcome.kind !== 'done' || !isAbove(after) || after.tokens >= tokens) return;
    }
  }

  /** After a provider refused the context as too long (JB10): compacts once, then shortens what is left. */
  async recover({ model, failedReplyId, keepsReply, retries, signal }: Overflow): Promise<Recovery> {
    const size = (): ContextSize => this.scope.size(model);
    if (!this.isEnabled) return 'off';
    // Replies of some words allow one recovery after the other: what bounds those is how often they were in vain (TG14).
    const isInVain = keepsReply && this.attempts >= this.scope.settings()['compaction.maxAutoAttempts'];
    if (this.hasRecovered || isInVain) return 'again';
    this.hasRecovered = true;
    const before = size();
    const reply = failedReplyId ?? undefined;
    const outcome = await runCompaction(this.scope, {
      reason: 'overflow',
      model,
      signal,
      failedReplyId: reply,
      keepsReply,
    });
    if (outcome.kind === 'done') {
      this.repeats.arm();
      this.lacksProgress = !hasProgress(size());
      if (this.lacksProgress) this.attempts++;
      else this.endRow();
    }
    if (!retries || signal.aborted || outcome.kind === 'aborted' || outcome.kind === 'failed') return outcome;
    // The provider counts more than we do, or it would not have refused.
    const { window } = before.limits;
    const factor = window !== null && before.tokens > 0 ? Math.max(1, window / before.tokens) : 1;
    const after = size();
    if (outcome.kind === 'done' && fits(after, factor)) return 'retry';
    const omits = outcome.kind === 'nothing' && !keepsReply ? failedReplyId : null;
    const { log, context } = this.scope;
    const isShorter = this.tellPruned(await shortenOutputs(log, context, after, factor, omits));
    if (isShorter && fits(size(), factor)) return 'retry';
    return outcome.kind === 'nothing'
      ? outcome
      : { kind: 'failed', message: 'the session is still too long for this model' };
  }

  /** Takes images and long outputs out of the context: the person's answer to a request of too many bytes (TG9). */
  async dropLarge(): Promise<void> {
    const { log, context } = this.scope;
    this.tellPruned(await dropLarge(log, context, this.scope.size()));
  }

  private get isEnabled(): boolean {
    return isAutoCompactionOn(this.scope.settings());
  }

  private tellPruned(pruned: Pruned | null): boolean {
    if (pruned) this.scope.tell({ type: 'pruned', ...pruned, pruned: this.scope.context.seenPath().pruned });
    return pruned !== null;
  }

  private mayTry({ tokens, limits }: ContextSize): boolean {
    if (this.isDeclined && (limits.window === null || tokens <= limits.window)) return false;
    if (this.attempts >= this.scope.settings()['compaction.maxAutoAttempts']) return false;
    const isUrgent = limits.hardLine !== null && tokens > limits.hardLine;
    return isUrgent || this.scope.now() >= this.restUntil;
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
      this.restUntil = this.scope.now() + Math.min(FIRST_WAIT_MS * 2 ** (this.failures - 1), LONGEST_WAIT_MS);
      return;
    }
    if (outcome.kind === 'done') {
      this.failures = 0;
      this.repeats.arm();
      this.lacksProgress = !hasProgress(size);
    }
    if (outcome.kind === 'done' && !this.lacksProgress) return this.endRow();
    this.attempts++;
    // Once for a row of them.
    if (!this.hasWarned) this.warnOfNoProgress(size);
    this.hasWarned = true;
  }

  /** What is in vain from here on is a row of its own, and is said again. */
  private endRow(): void {
    this.attempts = 0;
    this.hasWarned = false;
  }

  private warnOfNoProgress({ tokens, limits }: ContextSize): void {
    const { system, skills, tools, pins, messages, toolOutputs, summary } = this.scope.usage().breakdown;
    const isSummary = summary > Math.max(system + skills + tools, pins, messages + toolOutputs);
    const remedy = isSummary
      ? 'undo the compaction, or shorten its summary at the cut'
      : 'keep fewer recent messages (Settings, Context)';
    const shares = [
      `system prompt and tools ${inTokens(system + skills + tools)}`,
      ...(pins > 0 ? [`pins ${inTokens(pins)}`] : []),
      `summary ${inTokens(summary)}`,
      `recent messages ${inTokens(messages + toolOutputs)}`,
    ].join(', ');
    this.scope.keeper.warn({
      text: 'Compaction frees too little space',
      detail: `The context holds ${inTokens(tokens)} of ${inTokens(limits.threshold ?? 0)} tokens: ${shares}. Choose a model with a larger context window, or ${remedy}.`,
    });
  }
}

function inTokens(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US');
}

/** D after ≤ floor(0.8 T) (TG13); without a threshold there is nothing that it could fall short of. */
export function hasProgress({ tokens, limits: { threshold } }: ContextSize): boolean {
  return threshold === null || tokens <= Math.floor(PROGRESS_SHARE * threshold);
}

function isAbove({ tokens, limits: { threshold } }: ContextSize): boolean {
  return threshold !== null && tokens > threshold;
}

/** A retry may go out up to the hard line (TG13). */
function fits({ tokens, limits: { hardLine } }: ContextSize, factor: number): boolean {
  return hardLine === null || tokens * factor <= hardLine;
}
