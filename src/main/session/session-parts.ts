import { setMaxListeners } from 'node:events';
import type { CompactPreview } from '@shared/compaction/preview';
import type { ContextUsage, ModelRef, QueueItem, UndoPreview } from '@shared/ipc/types';
import { omitDraft } from '@shared/session/drafts';
import type { EntryDraft } from '@shared/session/entry';
import type { Overhead } from '@shared/session/overhead';
import type { LiveSession } from '@shared/session-state/state';
import { AgentRun } from '../agent/agent-run';
import type { DurableQueue } from '../agent/durable-queue';
import { failureOfError, type Recovery } from '../agent/failure-cards';
import { Gate } from '../agent/gate';
import { judgeReply, type ReplyJudgement } from '../agent/judge-reply';
import { LiveView } from '../agent/live-view';
import { RepeatGuard } from '../agent/repeat-guard';
import { RunDriver, type DriveEnd, type OverflowKind } from '../agent/run-driver';
import { SessionContext, type ContextSize } from '../agent/session-context';
import { SystemPrompt } from '../agent/system-prompt';
import { replyFacts } from '@shared/session/facts';
import type { AssistantMessage } from '../models/pi-types';
import type { SessionLog } from '../ports';
import type { CompactionRequest } from '../compaction/compact';
import type { CompactionOutcome } from '../ports';
import { isAutoCompactionOn } from '../agent/threshold';
import { AutoCompaction } from './auto-compaction';
import { compactPreview } from './compact-preview';
import { previewUndo } from './compaction-changes';
import { Compactor } from './compactor';
import { CONTINUE_TYPE } from './interrupted';
import { ModelChoice } from './model-choice';
import { SessionKeeper } from './session-keeper';
import type { SessionPorts, SessionTools } from './session-ports';
import { pruneOutputs, shortenOutputs, type Pruned } from './prune-changes';
import { ToolSlot } from './tool-slot';

function inTokens(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US');
}

const CONTINUE_TEXT = 'Your last reply was cut off. Continue where it stopped.';

/** A compaction that a person asked for, as far as they say how. */
export type ManualCompaction = Omit<CompactionRequest, 'reason' | 'model' | 'signal'>;

/** What holds a session's mutex: its own controller and driver, so that nothing of an earlier one can reach it. */
export interface Operation {
  controller: AbortController;
  /** Null for a compaction that the person asked for. */
  driver: RunDriver | null;
  done: Promise<void>;
  /** Why the first message could not be stored. */
  notStored?: unknown;
}

/** The parts of one session put together: what a run needs, without the rules of who may run when. */
export class SessionParts {
  readonly context: SessionContext;
  /** What a window is shown of the session. */
  readonly keeper: SessionKeeper;
  readonly live: LiveView;
  readonly gate: Gate;
  readonly choice: ModelChoice;
  readonly tools: ToolSlot;
  readonly compactor: Compactor;
  readonly auto: AutoCompaction;
  private readonly repeats = new RepeatGuard();
  private runTools: SessionTools | null = null;

  constructor(
    private readonly log: SessionLog,
    private readonly queue: DurableQueue,
    private readonly ports: SessionPorts,
    private readonly onChange: () => void,
  ) {
    const { sessionId } = log;
    const workspaceDir = (): string => ports.workspaceOf(sessionId);
    const systemPrompt = new SystemPrompt(() => ports.promptPlace(workspaceDir()), ports.project);
    this.context = new SessionContext(log);
    this.keeper = new SessionKeeper({
      log,
      emit: ports.emit,
      flush: () => ports.flushEvents?.(),
      seen: () => this.context.seenPath(),
    });
    const { tell } = this.keeper;
    const shown = (): LiveSession => this.keeper.state;
    this.live = new LiveView(tell, shown);
    this.choice = new ModelChoice(log, this.context, ports.models, ports.settings);
    this.tools = new ToolSlot(workspaceDir, (workspace) => this.createTools(workspace));
    this.compactor = new Compactor({
      log,
      models: ports.models,
      transport: ports.transport,
      serializer: ports.serializer,
      extensions: ports.extensions,
      settings: ports.settings,
      size: () => this.size(),
      now: ports.now,
      ...{ tell, shown },
      newPath: () => this.keeper.newPath(),
      onChange: this.onChange,
    });
    this.auto = new AutoCompaction({
      compactor: this.compactor,
      isEnabled: () => isAutoCompactionOn(ports.settings()),
      maxAttempts: () => ports.settings()['compaction.maxAutoAttempts'],
      prune: async (size) => this.tellPruned(await pruneOutputs(log, this.context, size, ports.settings())),
      shorten: async (size, factor, failed) =>
        this.tellPruned(await shortenOutputs(log, this.context, size, factor, failed)),
      onCompacted: () => this.repeats.arm(),
      onNoProgress: (size) => this.warnOfNoProgress(size),
      now: ports.now,
    });
    this.gate = new Gate({
      log,
      context: this.context,
      models: ports.models,
      transport: ports.transport,
      systemPrompt: () => systemPrompt.current(),
      tools: () => this.runTools?.tools ?? [],
      takePendingState: () => this.choice.takePending(),
      makeRoom: (ref, overhead, signal) =>
        this.auto.makeRoom(() => this.size(ref, overhead), ref, signal ?? new AbortController().signal),
      onSend: (model) => this.live.startReply(model.provider, model.id),
    });
  }

  /** Tells what the context at the leaf comes to for a model, by default the session's. */
  size(ref: ModelRef = this.choice.model, overhead?: Overhead): ContextSize {
    const { models, settings } = this.ports;
    return this.context.size(ref, models.effectiveWindow(ref), settings(), overhead);
  }

  newOperation(): Operation {
    const controller = new AbortController();
    // Each call of a reply listens while it is under way, and a reply may make thousands: more than ten are no leak.
    setMaxListeners(0, controller.signal);
    const driver: RunDriver = new RunDriver({
      tell: this.keeper.tell,
      queue: this.queue,
      settings: this.ports.settings,
      newRun: (signal) => this.newRun(signal, (reply) => driver.onReply(reply)),
      onAnswered: () => this.auto.allowRecovery(),
      judge: (reply) => this.judge(reply),
      appendContinue: () => this.appendContinue(),
      recover: (reply, kind, signal) => this.recover(reply, kind, signal),
      now: this.ports.now,
      onChange: this.onChange,
    });
    return { controller, driver, done: Promise.resolve() };
  }

  /** Runs an operation to its end. Never rejects: a bug ends in a card, not in silence. */
  async drive({ driver, controller }: Operation, first: QueueItem | null): Promise<DriveEnd> {
    if (!driver) throw new Error('A compaction was driven as a run.');
    try {
      if (first) this.auto.heardPerson();
      this.gate.askedAgain = null;
      if (first) this.repeats.disarm();
      this.runTools = await this.tools.ready();
      const end = await driver.drive(first, controller.signal);
      const pending = this.choice.takePending();
      if (pending.length > 0) await this.log.append(pending);
      return end;
    } catch (error) {
      return { reason: 'failed', failure: failureOfError(error), unsaved: { drafts: [], error } };
    }
  }

  /** The check after a run (TG4): what is said next need not wait for it then. */
  async makeRoomAfterRun(signal: AbortSignal): Promise<void> {
    if (this.queue.next()) return;
    await this.auto.makeRoom(() => this.size(), this.choice.model, signal);
  }

  /** A compaction that the person asked for, while a run rests or was stopped for it. */
  async compactNow(
    request: ManualCompaction & { signal: AbortSignal },
    release: () => void,
  ): Promise<CompactionOutcome> {
    const outcome = await this.compactor.run({ ...request, reason: 'manual', model: this.choice.model }, release);
    if (outcome.kind === 'done') this.repeats.arm();
    return outcome;
  }

  /** Nothing is on its way any more, except a reply that could not be saved: it stays on screen. */
  endLive(keepReply: boolean): void {
    if (!keepReply) this.live.endReply(null);
    this.live.endAllTools();
  }

  usage(): ContextUsage {
    const { models, settings } = this.ports;
    return this.context.usage(this.choice.model, models.effectiveWindow(this.choice.model), settings());
  }

  /** What the Compact sheet shows. */
  compactPreview(): Promise<CompactPreview> {
    const { models, serializer, settings } = this.ports;
    const { model } = this.choice;
    return compactPreview({
      ...{ log: this.log, models, serializer, model },
      settings: settings(),
      size: this.size(),
    });
  }

  /** What undoing a compaction of the branch would come to. */
  undoPreview(entryId: string): UndoPreview {
    return previewUndo(this.log.tree, entryId, this.size());
  }

  private tellPruned(pruned: Pruned | null): boolean {
    if (pruned) this.keeper.tell({ type: 'pruned', ...pruned, pruned: this.context.seenPath().pruned });
    return pruned !== null;
  }

  private warnOfNoProgress({ tokens, limits }: ContextSize): void {
    const { system, tools, pins, messages, toolOutputs, summary } = this.usage().breakdown;
    const shares = [
      `system prompt and tools ${inTokens(system + tools)}`,
      ...(pins > 0 ? [`pins ${inTokens(pins)}`] : []),
      `summary ${inTokens(summary)}`,
      `newest messages ${inTokens(messages + toolOutputs)}`,
    ].join(', ');
    this.ports.emit({
      type: 'notice',
      notice: {
        level: 'warning',
        code: 'no-progress',
        sessionId: this.log.sessionId,
        text: 'Compaction makes too little room here',
        detail: `The context holds ${inTokens(tokens)} of ${inTokens(limits.threshold ?? 0)} tokens: ${shares}. A model with a larger window helps, or fewer messages kept word for word (Settings, Context).`,
      },
    });
  }

  private createTools(workspaceDir: string): SessionTools {
    const onOutput = ({ toolCallId, chunk }: { toolCallId: string; chunk: string }): void =>
      this.live.toolOutput(toolCallId, chunk);
    return this.ports.createTools({ sessionId: this.log.sessionId, workspaceDir, onOutput });
  }

  private newRun(signal: AbortSignal, onReply: (reply: AssistantMessage) => void): AgentRun {
    const { log, queue, gate, live } = this;
    if (!this.runTools) throw new Error('A run was made before its tools.');
    return new AgentRun(
      {
        log,
        queue,
        gate,
        live,
        tools: this.runTools,
        openingState: () => this.choice.opening(),
        takePendingState: () => this.choice.takePending(),
        beforeReply: (reply) => this.replaced(reply),
        repeats: this.repeats,
        onReply,
        now: this.ports.now,
      },
      signal,
    );
  }

  private judge(reply: AssistantMessage): ReplyJudgement {
    const { models, settings } = this.ports;
    const ref = { provider: reply.provider, modelId: reply.model };
    const window = models.effectiveWindow(ref);
    const provider = models.providers().find(({ id }) => id === reply.provider);
    const { threshold, tokens, implausible } = this.context.usage(ref, window, settings());
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

    return judgement;
  }

  private async recover(reply: AssistantMessage, kind: OverflowKind, signal: AbortSignal): Promise<Recovery> {
    const model = { provider: reply.provider, modelId: reply.model };
    const leaf = this.log.tree.leafId;
    const stored = leaf !== null && this.log.tree.node(leaf)?.facts.reply ? leaf : null;
    const failedReplyId = kind === 'silent' ? null : stored;
    // What a cut-off reply said is kept until a whole one is there.
    const keepsReply = kind === 'length-overflow' && reply.usage.output > 0;
    const size = (): ContextSize => this.size(model);
    const retries = kind !== 'silent';
    const how = await this.auto.recover({ size, model, failedReplyId, keepsReply, retries, signal });
    if (how === 'retry' && keepsReply) this.gate.askedAgain = failedReplyId;
    return how;
  }

  /** A whole reply takes the place of the one that was cut off, in the same write. */
  private replaced({ stopReason }: AssistantMessage): EntryDraft[] {
    const old = this.gate.askedAgain;
    if (old === null || stopReason === 'error' || stopReason === 'aborted') return [];
    this.gate.askedAgain = null;
    return [omitDraft(old)];
  }

  private async appendContinue(): Promise<void> {
    const text = { type: 'text' as const, text: CONTINUE_TEXT };
    await this.log.append([{ type: 'custom_message', customType: CONTINUE_TYPE, content: [text], display: false }]);
  }
}

function isAnswer({ stopReason }: AssistantMessage): boolean {
  return stopReason === 'stop' || stopReason === 'toolUse';
}

/** Tokens of the request that a reply answered, as far as its usage says so. */
function servedTokens(reply: AssistantMessage): number {
  return replyFacts({ ...reply }).promptTokens;
}
