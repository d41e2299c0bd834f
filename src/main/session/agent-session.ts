import type { Failure, ModelRef, QueueItem, SessionState, UndoPreview } from '@shared/ipc/types';
import type { CompactPreview } from '@shared/compaction/preview';
import type { EntryDraft } from '@shared/session/entry';
import { isOwnId } from '@shared/session/ids';
import { DurableQueue } from '../agent/durable-queue';
import { refusalOfMessage } from '../agent/message-limits';
import { STOPPED_FOR_COMPACTION } from '../agent/failure-cards';
import type { DriveEnd } from '../agent/run-driver';
import type { AppendedRecord, SessionLog } from '../ports';
import { Branches } from './branches';
import { latestCompaction } from './compaction-changes';
import { refuseImpossible } from './compact-preview';
import { isOpenTurn, lastMessage, readTurnEnd, turnEnd } from './interrupted';
import { BUSY_REWRITING, BUSY_RUNNING, Rewriter } from './rewriter';
import { SessionParts, type ManualCompaction, type Operation } from './session-parts';
import type { CompactParams, PromptParams, SessionActivity } from './session-params';
import type { SessionPorts } from './session-ports';
import { SessionRefusal } from './session-refusal';
import type { SessionKeeper } from './session-keeper';
import { TreeWork } from './tree-work';
import type { ApprovalChange } from '@shared/session-state/events';
import type { Row, SessionSnapshot } from '@shared/session-state/state';

export type { CompactParams, PromptParams, SessionActivity } from './session-params';

/** How long closing waits for a run to record what it has. */
const CLOSE_TIMEOUT_MS = 2000;
/** A reply that waits for the disk belongs at the leaf where it was given. */
const UNSAVED = 'The last reply is not saved yet. Press Retry to save it, then go on.';

/**
 * One live session (JB1, QU1): at most one operation at a time; prompts while it runs go to the durable queue;
 * Stop ends it and records what came. Everything durable goes through `SessionLog`, this class holds only what is on its
 * way. Methods that the person calls reject with a message meant for them.
 */
export class AgentSession {
  readonly sessionId: string;
  private readonly parts: SessionParts;
  /** Undo, redo and other changes of the branch. */
  readonly rewriter: Rewriter;
  /** Navigation, labels, versions. */
  readonly branches: Branches;
  private readonly treeWork: TreeWork;
  private readonly unsubscribe: () => void;
  private operation: Operation | null = null;
  private isOversize = false;
  private unsaved: EntryDraft[] = [];
  private saving: Promise<void> | null = null;
  private isClosing = false;
  /** A run is being stopped for a compaction: nothing else may start in between. */
  private isMakingWay = false;
  private shownState: SessionState = 'idle';
  /** What a window is shown. */
  private readonly keeper: SessionKeeper;
  /** Prompts whose entry is on its way to the file. */
  private readonly accepting = new Map<string, () => void>();

  private constructor(
    readonly log: SessionLog,
    private readonly queue: DurableQueue,
    queueDamage: string | null,
    private readonly ports: SessionPorts,
    private readonly onActivity: (session: AgentSession, activity: SessionActivity) => void,
    turn: { isInterrupted: boolean; failure: Failure | null },
  ) {
    this.sessionId = log.sessionId;
    this.parts = new SessionParts(log, queue, ports, () => this.refreshState());
    const { keeper, choice } = this.parts;
    this.keeper = keeper;
    keeper.begin({
      model: choice.model,
      thinkingLevel: choice.thinkingLevel,
      usage: this.parts.usage(),
      queue: queue.list(),
      failure: turn.failure,
      interrupted: turn.isInterrupted,
      damage: [...log.damage, ...(queueDamage === null ? [] : [queueDamage])],
    });
    this.rewriter = new Rewriter({
      log,
      refusal: () => this.whyNotNow(),
      fileListLimit: () => ports.settings()['compaction.fileListLimit'],
      onEnd: (change) => this.onRewritten(change),
    });
    this.treeWork = new TreeWork({
      ...ports,
      tell: keeper.tell,
      shown: () => keeper.state,
      onChange: () => this.refreshState(),
    });
    this.branches = new Branches({
      ...ports,
      log,
      work: this.treeWork,
      size: () => this.parts.size(),
      workspaceDir: () => ports.workspaceOf(this.sessionId),
      model: () => this.model,
      rewriter: this.rewriter,
      onMoved: () => this.onMoved(),
    });
    this.unsubscribe = log.onAppended((records) => this.onAppended(records));
  }

  /** Opens the session on its log: reads the queue (all held) and how the newest turn ended. */
  static async open(
    log: SessionLog,
    ports: SessionPorts,
    onActivity: (session: AgentSession, activity: SessionActivity) => void,
  ): Promise<AgentSession> {
    let session: AgentSession | null = null;
    const { queue, damage } = await DurableQueue.open(
      ports.queueFile(log.sessionId),
      (id) => log.tree.has(id),
      () => session?.onQueueChanged(),
    );
    session = new AgentSession(log, queue, damage, ports, onActivity, await readTurnEnd(log));
    session.shownState = session.state;
    return session;
  }

  get isRunning(): boolean {
    return this.operation !== null || this.treeWork.isRunning;
  }

  /** Nothing is under way in it and nothing waits for the disk. */
  get isQuiet(): boolean {
    return !this.isRunning && !this.rewriter.isRunning && this.unsaved.length === 0 && this.accepting.size === 0;
  }

  /** Nothing would be lost by letting go of the session: it can be opened again from its file. */
  get canRest(): boolean {
    return (
      !this.operation &&
      !this.rewriter.isRunning &&
      !this.keeper.state.failure &&
      this.unsaved.length === 0 &&
      lastMessage(this.log.tree) !== null
    );
  }

  get state(): SessionState {
    if (this.parts.compactor.isRunning || this.operation?.driver === null) return 'compacting';
    if (this.operation?.driver?.isWaiting) return 'retrying';
    if (this.operation) return this.keeper.state.approvals.length > 0 ? 'waiting' : 'streaming';
    if (this.treeWork.isWriting) return 'summarising';
    return this.keeper.state.failure ? 'error' : 'idle';
  }

  get model(): ModelRef {
    return this.parts.choice.model;
  }

  /** What a session that goes on from this one says of model and thinking. */
  choiceDrafts(): EntryDraft[] {
    return this.parts.choice.drafts();
  }

  /**
   * Takes a message: starts a run, or queues it if one is under way. Resolves when the message is durable. An id that is
   * known already is taken for the same message (QU2).
   */
  async prompt({ itemId, text, attachments, mode }: PromptParams): Promise<{ queued: boolean; itemId: string }> {
    // A queue item's id becomes its entry's id (SF5).
    if (!isOwnId(itemId)) throw new SessionRefusal('The message has no valid id. It was not sent.');
    if (text.trim() === '' && attachments.length === 0) throw new SessionRefusal('The message is empty.');
    const refusal = refusalOfMessage({ text, attachments });
    if (refusal !== null) throw new SessionRefusal(refusal);
    // A reply that waits for the disk stands before what is said next.
    if (this.unsaved.length > 0) await this.saveUnsaved();
    if (this.isClosing) throw new SessionRefusal('The session is being closed. Your message was not sent.');
    if (this.log.tree.has(itemId) || this.accepting.has(itemId)) return { queued: false, itemId };
    if (this.queue.has(itemId)) return { queued: true, itemId };
    const item: QueueItem = { id: itemId, text, attachments, mode, createdAt: this.ports.now(), held: false };
    if (this.operation || this.isMakingWay || this.rewriter.isRunning) {
      await this.queue.add(item);
      this.pump();
      return { queued: true, itemId };
    }
    await this.startWith(item);
    return { queued: false, itemId };
  }

  /** Ends run, retry wait and waiting questions; what came is recorded, what waits in the queue is held (JB4, QU6). */
  async stop(): Promise<void> {
    const { operation } = this;
    if (!operation && !this.treeWork.isRunning) return;
    this.queue.setHeld(true);
    operation?.controller.abort();
    await Promise.all([operation?.done, this.treeWork.stop()]);
  }

  /** Goes on where the last turn ended: after a failure, a stop, a crash, a full disk. Rejects if there is nothing to go on with. */
  async retry(): Promise<void> {
    if (this.unsaved.length > 0 && !this.isClosing) await this.saveUnsaved();
    if (this.isClosing || this.isMakingWay || this.rewriter.isRunning) return;
    if (this.operation) return this.skipRetryWait();
    const end = turnEnd(this.log.tree);
    if (isOpenTurn(end)) {
      if (this.isOversize) this.parts.gate.allowOversizeOnce();
      this.begin(null);
      return;
    }
    this.setFailure(null);
    if (this.queue.list().length > 0) return this.sendQueued();
    if (end === 'none') throw new SessionRefusal('There is nothing to retry yet.');
    this.settle('done');
  }

  /**
   * Compacts at the leaf because the person asked for it (JB8). A run is stopped first and what it has is recorded; it
   * goes on afterwards, as does what waits in the queue. Resolves when the compaction has begun.
   */
  async compact({ instructions, retry = false, ...how }: CompactParams = {}): Promise<void> {
    this.refuseCompaction(how);
    const { operation } = this;
    if (operation) {
      this.isMakingWay = true;
      operation.controller.abort();
      try {
        await operation.done;
      } finally {
        // In the step that goes on: a step in between would be a gap for something else to begin in.
        this.isMakingWay = false;
      }
      // Whatever was true before the run ended need not be true now.
      this.refuseCompaction(how);
      if (this.operation) throw new SessionRefusal('Another run has begun. Compact again when it is done.');
    }
    const { cutAt, model: summariser, review } = how;
    const request = { instructions: instructions?.trim() || undefined, cutAt, summariser, review };
    this.startCompaction(request, retry || operation !== null);
  }

  /**
   * Summarises the messages of the branch's latest compaction again, with other instructions (UN5). The new one takes its
   * place, what came after it stays. Resolves when it has begun.
   */
  async compactAgain(entryId: string, instructions?: string, summariser?: ModelRef): Promise<void> {
    const refusal = this.rewriter.isRunning ? BUSY_REWRITING : this.whyNotNow();
    if (refusal !== null) throw new SessionRefusal(refusal);
    refuseImpossible(this.log, this.ports.models, { model: summariser });
    const again = latestCompaction(this.log.tree, entryId).id;
    this.startCompaction({ again, instructions: instructions?.trim(), summariser });
  }

  /** Ends the compaction under way, and it alone: a run goes on, the session stays as it was. */
  cancelCompaction(): void {
    this.parts.compactor.cancel();
  }

  /** What the Compact sheet shows. Never blocked by what runs (JB5). */
  compactPreview(): Promise<CompactPreview> {
    return this.parts.compactPreview();
  }

  /** The person's answer to the summary that waits for review: the text to store, or null to cancel. */
  answerReview(text: string | null): void {
    this.parts.compactor.answerReview(text);
  }

  /** What undoing a compaction of the branch would come to. */
  undoPreview(entryId: string): UndoPreview {
    return this.parts.undoPreview(entryId);
  }

  skipRetryWait(): void {
    this.operation?.driver?.skipWait();
  }

  dismissFailure(of: 'run' | 'summary' = 'run'): void {
    if (of === 'summary') {
      this.keeper.tell({ type: 'summary_failure_dismissed' });
      return;
    }
    this.forgetTurn(null);
    this.refreshState();
  }

  /** Sends what was held: at once if the session rests, else as steering and follow-ups of the run. */
  async sendQueued(): Promise<void> {
    this.queue.setHeld(false);
    this.pump();
  }

  /** Takes a queued message back. One that is just being delivered stays. */
  async removeQueued(itemId: string): Promise<void> {
    if (this.operation?.driver?.isDelivering(itemId)) return;
    await this.queue.remove(itemId);
  }

  async setModel(ref: ModelRef): Promise<void> {
    this.refuseWhileMoving();
    if (!this.ports.models.find(ref))
      throw new SessionRefusal(`The model ${ref.provider}/${ref.modelId} is not there any more.`);
    await this.parts.choice.setModel(ref, this.keeper.state.reply !== null);
    this.tellModel();
  }

  async setThinking(level: string): Promise<void> {
    this.refuseWhileMoving();
    await this.parts.choice.setThinking(level);
    this.tellModel();
  }

  /** All that a window needs for its first screen. Bodies of older rows follow on demand. */
  snapshot(): Promise<SessionSnapshot> {
    return this.keeper.snapshot();
  }

  /** Rows before index `before` of the path, newest chunk first. */
  rows(before: number): Iterable<Row[]> {
    return this.keeper.rows(before);
  }

  /** An approval was asked or answered. */
  tellApproval(change: ApprovalChange): void {
    this.keeper.tell(change);
    this.refreshState();
  }

  /** Stops what runs, however long that takes, and stores what waits for the disk. Rejects if it can't be stored. */
  async comeToRest(): Promise<void> {
    await this.stop();
    if (this.unsaved.length > 0) await this.saveUnsaved();
  }

  /** Stops the run, records what it has, lets go of tools and file. Waits at most 2 s for the run. */
  async dispose(): Promise<void> {
    this.isClosing = true;
    // Together: letting go of the tools ends what a run may be waiting for.
    await withTimeout(Promise.all([this.stop(), this.parts.tools.dispose(), this.queue.idle()]), CLOSE_TIMEOUT_MS);
    this.unsubscribe();
  }

  /** @throws SessionRefusal if the session can't be compacted so, now */
  private refuseCompaction(how: Pick<CompactParams, 'cutAt' | 'model'>): void {
    if (this.isClosing) throw new SessionRefusal('The session is being closed.');
    if (this.rewriter.isRunning) throw new SessionRefusal('Wait for the current tree navigation to finish.');
    if (this.operation?.driver === null || this.isMakingWay) throw new SessionRefusal('Compaction already in progress');
    if (this.unsaved.length > 0) throw new SessionRefusal(UNSAVED);
    refuseImpossible(this.log, this.ports.models, how);
  }

  private async startWith(item: QueueItem): Promise<void> {
    const stored = new Promise<void>((resolve) => this.accepting.set(item.id, resolve));
    const operation = this.begin(item);
    await Promise.race([stored, operation.done]);
    this.accepting.delete(item.id);
    if (this.log.tree.has(item.id)) return;
    throw operation.notStored ?? new SessionRefusal('The message could not be sent.');
  }

  /** One operation at a time (JB1): the controller exists before the first event. */
  private begin(first: QueueItem | null): Operation {
    const operation = this.parts.newOperation();
    this.operation = operation;
    this.setFailure(null);
    operation.done = this.operate(first, operation);
    this.refreshState();
    return operation;
  }

  private startCompaction(request: ManualCompaction, resumes = false): void {
    this.parts.auto.reset();
    const next: Operation = { controller: new AbortController(), driver: null, done: Promise.resolve() };
    this.operation = next;
    next.done = this.operateCompaction(next, request, resumes);
    this.setFailure(null);
  }

  private async operateCompaction(operation: Operation, request: ManualCompaction, resumes: boolean): Promise<void> {
    await Promise.resolve();
    const { signal } = operation.controller;
    const outcome = await this.parts.compactNow({ ...request, signal }, () => (this.operation = null));
    this.tellUsage();
    this.refreshState();
    if (this.isClosing || this.pump() || !resumes) return;
    // Who heard of the end has acted already: gone elsewhere, asked for another compaction.
    if (this.whyNotNow() !== null || this.rewriter.isRunning || !isOpenTurn(turnEnd(this.log.tree))) return;
    const isWanted = outcome.kind !== 'aborted' && this.ports.settings()['compaction.autoContinue'];
    if (isWanted) this.begin(null);
    else this.offerToContinue();
  }

  /** A turn that was stopped for a compaction and is not gone on with by itself (JB8). */
  private offerToContinue(): void {
    this.setFailure(STOPPED_FOR_COMPACTION);
    this.refreshState();
  }

  private async operate(first: QueueItem | null, operation: Operation): Promise<void> {
    // The caller's step ends before anything happens, so that no event comes from inside its call.
    await Promise.resolve();
    const end = await this.parts.drive(operation, first);
    if (end.reason === 'done') await this.parts.makeRoomAfterRun(operation.controller.signal);
    const unsaved = end.reason === 'failed' ? end.unsaved : undefined;
    this.parts.endLive(unsaved !== undefined && unsaved.drafts.length > 0);
    if (unsaved) this.ports.onStorage(unsaved.error);
    this.operation = null;
    this.take(end, first, operation);
    if (this.isClosing || end.reason === 'failed' || !this.pump()) this.settle(end.reason);
  }

  private take(end: DriveEnd, first: QueueItem | null, operation: Operation): void {
    if (end.reason === 'done') return;
    if (end.reason === 'failed') {
      this.queue.setHeld(true);
      this.unsaved = end.unsaved?.drafts ?? [];
      this.isOversize = end.oversize === true;
      // A first message that was never stored goes back to the composer; there is no failed turn to show.
      operation.notStored = end.unsaved?.error;
      if (operation.notStored && first && !this.log.tree.has(first.id) && !this.queue.has(first.id)) return;
    }
    this.setFailure(end.failure);
  }

  /** Starts on what may be sent now, if the session rests. */
  private pump(): boolean {
    if (this.operation || this.isClosing || this.isMakingWay || this.rewriter.isRunning) return this.operation !== null;
    const next = this.queue.next();
    if (!next) return false;
    this.begin(next);
    return true;
  }

  /** A choice is an entry at the leaf: one of the leaf that is being left would be lost with it. */
  private refuseWhileMoving(): void {
    if (this.treeWork.isRunning) throw new SessionRefusal('Wait for the current tree navigation to finish.');
  }

  /** Why the tree must stay as it is (JB2). */
  private whyNotNow(): string | null {
    if (this.isClosing) return 'The session is being closed.';
    if (this.parts.compactor.isRunning || this.isMakingWay) return BUSY_REWRITING;
    if (this.unsaved.length > 0) return UNSAVED;
    return this.operation ? BUSY_RUNNING : null;
  }

  private onRewritten({ oldLeafId, reason }: { oldLeafId: string | null; reason: string }): void {
    const newLeafId = this.log.tree.leafId;
    if (newLeafId !== oldLeafId) {
      this.keeper.tellMoved(oldLeafId, reason);
      // Model and thinking level are those of the path that is shown now (BR1).
      this.tellModel();
    } else {
      this.keeper.tell({ type: 'summary_failure_dismissed' });
      this.tellUsage();
    }
    this.refreshState();
    this.pump();
  }

  /** What was told of the old leaf's last turn does not hold at the new one. */
  private async onMoved(): Promise<void> {
    // The leaf has moved whatever can be read at the new one: a card that can't be shown is no failure of the move.
    const end = await readTurnEnd(this.log).catch(() => null);
    this.parts.auto.reset();
    this.forgetTurn(end?.failure ?? null);
  }

  /** Stores what waits for the disk, once, however many ask for it meanwhile. */
  private saveUnsaved(): Promise<void> {
    this.saving ??= this.writeUnsaved().finally(() => (this.saving = null));
    return this.saving;
  }

  private async writeUnsaved(): Promise<void> {
    try {
      const records = await this.log.append(this.unsaved);
      this.unsaved = [];
      this.parts.live.endReply(records.find(({ entry }) => entry.type === 'message')?.entry.id ?? null);
    } catch (error) {
      this.ports.onStorage(error);
      throw error;
    }
  }

  private settle(reason: DriveEnd['reason']): void {
    this.keeper.tell({ type: 'settled', leafId: this.log.tree.leafId, reason });
    this.tellUsage();
    this.refreshState();
    this.onActivity(this, { kind: 'settled', reason });
  }

  private onAppended(records: readonly AppendedRecord[]): void {
    this.keeper.tellAppended(records);
    for (const { entry } of records) this.accepting.get(entry.id)?.();
    this.ports.onStorage(null);
    this.tellUsage();
    this.onActivity(this, { kind: 'entries', records });
  }

  private onQueueChanged(): void {
    this.keeper.tell({ type: 'queue_changed', items: this.queue.list() });
  }

  /** `setFailure`, also where the last turn is shown as interrupted: that holds no longer. */
  private forgetTurn(failure: Failure | null): void {
    if (this.keeper.state.interrupted) this.keeper.tell({ type: 'failure', failure: null });
    this.setFailure(failure);
  }

  private setFailure(failure: Failure | null): void {
    if (!failure) this.isOversize = false;
    const { state } = this.keeper;
    const isTold = failure !== null || state.summaryFailure?.reason !== 'overflow';
    const isSame = failure === state.failure && isTold;
    if (!isSame) this.keeper.tell({ type: 'failure', failure });
  }

  private tellModel(): void {
    const { model, thinkingLevel } = this.parts.choice;
    this.keeper.tell({ type: 'model_changed', model, thinkingLevel });
    this.tellUsage();
  }

  /** The meter follows the settings, and what is known of the model, at once. */
  limitsChanged(): void {
    this.tellUsage();
  }

  private tellUsage(): void {
    this.keeper.tell({ type: 'context_usage', usage: this.parts.usage() });
  }

  private refreshState(): void {
    const { state } = this;
    if (state === this.shownState) return;
    this.shownState = state;
    this.keeper.tell({ type: 'session_state', state });
    this.onActivity(this, { kind: 'state' });
  }
}

async function withTimeout(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
