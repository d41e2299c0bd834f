import type { Failure, QueueItem } from '@shared/types';
import type { EntryDraft, ImageBlock } from '@shared/session/records/entry';
import { replyFacts } from '@shared/session/records/facts';
import { CONTINUE_TYPE, lastMessage } from '@shared/session/tree/turn-end';
import type { AssistantMessage } from '../pi/pi-types';
import { AgentRun, type RunEnd, type RunParts } from './agent-run';
import { failureOfError, NO_ROOM, overflowFailure, STUCK, unsavedFailure, type Recovery } from './failure-cards';
import { judgeReply, type ReplyJudgement, retryDelayMs, waitForRetry } from './judge-reply';
import type { BeforeAgentStart } from '../extensions/run-events';
import { askBeforeStart } from '../extensions/run-hooks';
import type { CustomDraft, RunScope, RunTools } from './run-scope';

/** What continues an open turn (TG20), and what continues a reply that was cut off. */
const CONTINUE_TEXT =
  'Continue if you have next steps. The newest messages take priority over the summary. ' +
  'If the last request is already answered, stop.';
const CUT_OFF_TEXT = 'Your last reply was cut off. Continue where it stopped.';
/** `length` replies that are continued by themselves for one user message (TG9). */
const MAX_LENGTH_CONTINUES = 3;

/**
 * How a context was too long: refused with an error, taken although it was longer than the window, or answered with a reply that
 * broke off for want of room (TG9).
 */
export type OverflowKind = 'overflow' | 'silent' | 'length-overflow';

export type DriveEnd =
  | { reason: 'done' }
  | { reason: 'stopped'; failure: Failure | null }
  | { reason: 'failed'; failure: Failure; oversize?: boolean; unsaved?: { drafts: EntryDraft[]; error: unknown } };

/**
 * Carries one operation of a session from its first message to rest: runs of the loop, retries with back-off in between
 * (TG11, settings `retry.*`), the queue's follow-ups. One at a time per session (JB1).
 */
export class RunDriver {
  private run: AgentRun | null = null;
  private skip = new AbortController();
  private attempt = 0;
  private lengthContinues = 0;

  constructor(
    private readonly scope: RunScope,
    private readonly parts: RunParts,
  ) {}

  /** Ends the wait before the next attempt at once. Without a wait nothing happens. */
  skipWait(): void {
    this.skip.abort();
  }

  isDelivering(itemId: string): boolean {
    return this.run?.isDelivering(itemId) ?? false;
  }

  /** A good reply ends a row of retries. */
  private onReply(reply: AssistantMessage): void {
    if (reply.stopReason === 'error' || reply.stopReason === 'aborted') return;
    // A reply without room to begin says nothing of the context being small enough (TG12).
    const isCutOff = reply.stopReason === 'length' && reply.usage.output === 0;
    if (!isCutOff) this.parts.auto.allowRecovery();
    this.endRetry(true);
  }

  /**
   * Never rejects. Failures of the world come back as a value, and a bug ends in a card, not in silence.
   * @param continues an open turn that was stopped for a compaction: with results at its end the model is told to go on (TG19)
   */
  async drive(first: QueueItem | null, signal: AbortSignal, continues = false): Promise<DriveEnd> {
    const { gate, auto, repeats } = this.parts;
    const { log, choice, tools } = this.scope;
    try {
      gate.askedAgain = null;
      if (first) {
        auto.heardPerson();
        repeats.disarm();
      }
      // What the last run left open is told before anything else is said.
      await this.scope.settleCalls();
      if (continues && !signal.aborted && lastMessage(log.tree)?.facts.role === 'toolResult')
        await this.appendContinue(CONTINUE_TEXT);
      const ready = await tools.ready();
      const begin = await this.begin(first, ready, signal);
      const end = await this.carryOn(first, ready, signal, begin);
      const pending = choice.takePending();
      if (pending.length > 0) await log.append(pending);
      return end;
    } catch (error) {
      return { reason: 'failed', failure: failureOfError(error), unsaved: { drafts: [], error } };
    }
  }

  /** `before_agent_start`: what extensions say with the first message, and the system prompt of this run. */
  private async begin(first: QueueItem | null, tools: RunTools, signal: AbortSignal): Promise<EntryDraft[]> {
    const { gate } = this.parts;
    gate.promptOfRun = null;
    const { events, startedBy, log } = this.scope;
    this.scope.startedBy = null;
    if (!first && !startedBy) return [];
    const waiting = first ? this.scope.nextTurn.splice(0) : [];
    if (!events.has('before_agent_start')) return waiting;
    const start = {
      ...(first ? saidIn(first) : begunBy(startedBy, this.scope.now())),
      systemPrompt: await this.scope.systemPrompt(),
      systemPromptOptions: { cwd: this.scope.workspaceDir, selectedTools: tools.tools.map(({ name }) => name) },
    };
    const { messages, systemPrompt } = await askBeforeStart(events, start, signal);
    gate.promptOfRun = systemPrompt ?? null;
    if (first) return [...waiting, ...messages];
    // Nobody says anything in this run that they could stand before.
    if (messages.length > 0) await log.append(messages);
    return [];
  }

  private async carryOn(
    first: QueueItem | null,
    tools: RunTools,
    signal: AbortSignal,
    opening: EntryDraft[],
  ): Promise<DriveEnd> {
    let start = first;
    for (;;) {
      this.run = new AgentRun(this.scope, this.parts, tools, signal, (reply) => this.onReply(reply));
      const end = await this.run.start(start, opening.splice(0));
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
    const kind = reply ? this.judge(reply).kind : 'ok';
    if (reply && kind === 'length-overflow') return this.afterOverflow(reply, kind, NO_ROOM, signal);
    // The answer is whole: only the next request needs the room.
    if (reply && kind === 'silent') await this.recover(reply, kind, signal);
    if (signal.aborted) return { reason: 'stopped', failure: null };
    const next = this.scope.queue.next();
    if (next) {
      this.lengthContinues = 0;
      return { start: next };
    }
    const isCutOff = kind === 'length' && this.lengthContinues < MAX_LENGTH_CONTINUES;
    if (!isCutOff || !this.scope.settings()['compaction.autoContinue']) return { reason: 'done' };
    return this.continueCutOff(signal);
  }

  /** Continues a reply that its cap cut off, unless there is no room for more of it (TG19). */
  private async continueCutOff(signal: AbortSignal): Promise<DriveEnd | { start: QueueItem | null }> {
    const { auto } = this.parts;
    const { context, models } = this.scope;
    await auto.makeRoom(context.model ?? models.initialModel(), undefined, signal);
    if (signal.aborted) return { reason: 'stopped', failure: null };
    // What was said while room was made continues the run instead.
    const said = this.scope.queue.next();
    if (said) return { start: said };
    if (!auto.allowsContinuing) return { reason: 'done' };
    this.lengthContinues++;
    try {
      await this.appendContinue(CUT_OFF_TEXT);
    } catch (error) {
      return { reason: 'failed', failure: unsavedFailure(error), unsaved: { drafts: [], error } };
    }
    return { start: null };
  }

  private async afterFailed(reply: AssistantMessage, signal: AbortSignal): Promise<DriveEnd | { start: null }> {
    const { slot } = this.scope;
    const { kind, transient, retryAfterMs, failure } = this.judge(reply);
    if (kind === 'overflow') return this.afterOverflow(reply, kind, failure, signal);
    const current = this.scope.settings();
    const maxAttempts = current['retry.maxRetries'];
    if (!transient || !current['retry.enabled'] || this.attempt >= maxAttempts) {
      this.endRetry(false, failure.detail);
      return { reason: 'failed', failure };
    }
    const attempt = ++this.attempt;
    const delayMs = retryDelayMs(attempt, current, retryAfterMs);
    const errorMessage = failure.detail;
    this.skip = new AbortController();
    const until = this.scope.now() + delayMs;
    this.scope.tell({ type: 'auto_retry_start', attempt, maxAttempts, delayMs, until, errorMessage });
    slot.become('retrying');
    const how = await waitForRetry(delayMs, signal, this.skip.signal);
    slot.become('running');
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
    const how = await this.recover(reply, kind, signal);
    if (how === 'retry') return { start: null };
    if (signal.aborted) return { reason: 'stopped', failure };
    const room = await this.scope.roomLeft({ provider: reply.provider, modelId: reply.model });
    if (signal.aborted) return { reason: 'stopped', failure };
    return { reason: 'failed', failure: overflowFailure(failure, how, room) };
  }

  private endRetry(success: boolean, finalError?: string): void {
    if (this.attempt === 0) return;
    const end = { success, attempt: this.attempt, ...(finalError ? { finalError } : {}) };
    this.scope.tell({ type: 'auto_retry_end', ...end });
    this.attempt = 0;
  }

  private judge(reply: AssistantMessage): ReplyJudgement {
    const { models } = this.scope;
    const ref = { provider: reply.provider, modelId: reply.model };
    const window = models.effectiveWindow(ref);
    const provider = models.providers().find(({ id }) => id === reply.provider);
    const { threshold, tokens, implausible } = this.scope.usage(ref);
    // A request above a learned window was answered: the window is larger than its server's error said.
    const served = isAnswer(reply) && implausible === null ? servedTokens(reply) : 0;
    const isRaised = served > window && served <= (models.find(ref)?.contextWindow ?? 0);
    if (isRaised) models.noteServed(ref, served);
    const judgement = judgeReply(
      reply,
      {
        window: isRaised ? served : window,
        threshold: threshold ?? undefined,
        sessionFigure: tokens,
        maxOutput: models.find(ref)?.maxTokens,
        isImplausible: implausible !== null,
      },
      { name: provider?.name ?? reply.provider, baseUrl: provider?.baseUrl },
    );
    if (judgement.learnedWindow !== null) models.learnWindow(ref, judgement.learnedWindow);
    if (judgement.kind !== 'payload' || this.scope.canDrop()) return judgement;
    const { failure } = judgement;
    return { ...judgement, failure: { ...failure, actions: failure.actions.filter((action) => action !== 'drop') } };
  }

  /** Makes a context smaller that was too long for the model (JB10); `retry` if it may be sent again. */
  private async recover(reply: AssistantMessage, kind: OverflowKind, signal: AbortSignal): Promise<Recovery> {
    const model = { provider: reply.provider, modelId: reply.model };
    const { tree } = this.scope.log;
    const { leafId } = tree;
    const stored = leafId !== null && tree.node(leafId)?.facts.reply ? leafId : null;
    const failedReplyId = kind === 'silent' ? null : stored;
    // What a cut-off reply said is kept until a whole one is there.
    const keepsReply = kind === 'length-overflow' && reply.usage.output > 0;
    const retries = kind !== 'silent';
    const how = await this.parts.auto.recover({ model, failedReplyId, keepsReply, retries, signal });
    if (how === 'retry' && keepsReply) this.parts.gate.askedAgain = failedReplyId;
    return how;
  }

  /** Stores the message that continues an open turn (TG20). Rejects if it can't be stored. */
  private async appendContinue(text: string): Promise<void> {
    const content = [{ type: 'text' as const, text }];
    await this.scope.log.append([{ type: 'custom_message', customType: CONTINUE_TYPE, content, display: false }]);
  }
}

type Beginning = Omit<BeforeAgentStart, 'systemPrompt' | 'systemPromptOptions'>;

function saidIn(item: QueueItem): Beginning {
  const images = imagesOf(item);
  return { messageType: 'user', prompt: item.text, ...(images.length > 0 ? { images } : {}) };
}

function begunBy(draft: CustomDraft | null, timestamp: number): Beginning {
  if (!draft) return { messageType: 'custom' };
  const { customType, content, display, details } = draft;
  return { messageType: 'custom', message: { role: 'custom', customType, content, display, details, timestamp } };
}

function imagesOf({ attachments }: QueueItem): ImageBlock[] {
  return attachments.flatMap(({ kind, data, mimeType }) =>
    kind === 'image' ? [{ type: 'image', data, mimeType }] : [],
  );
}

function isAnswer({ stopReason }: AssistantMessage): boolean {
  return stopReason === 'stop' || stopReason === 'toolUse';
}

/** Tokens of the request that a reply answered, as far as its usage says so. */
function servedTokens(reply: AssistantMessage): number {
  return replyFacts({ ...reply }).promptTokens;
}
