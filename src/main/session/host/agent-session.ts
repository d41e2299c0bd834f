import { DurableQueue } from '../../agent/durable-queue';
import { Gate } from '../../agent/gate';
import { refusalOfMessage } from '../../agent/message-limits';
import { RepeatGuard } from '../../agent/run-calls';
import type { AppendedRecord, SessionLog } from '../../ports';
import { Branches, TARGET_GONE } from '../branches/branches';
import { readTurnEnd } from '../machine/interrupted';
import { sameModel } from '../machine/model-choice';
import { graphRows } from '../machine/rows';
import { type BranchMover, Runs } from '../machine/runs';
import {
  type CompactParams,
  type LeftBehind,
  type PromptParams,
  type SessionActivity,
  type SessionPorts,
  SessionScope,
} from '../machine/scope';
import { firstOfThem, type SessionKeeper } from '../machine/session-keeper';
import { reading, SessionRefusal, type Slot } from '../machine/slot';
import { Pins } from '../pins';
import { AutoCompaction } from '../summaries/auto-compaction';
import { previewUndo } from '../summaries/compaction-changes';
import { ManualCompaction } from '../summaries/manual-compaction';
import { compactPreview } from '../summaries/previews';
import { Rewriter } from '../summaries/rewriter';
import { openDoor } from '../extensions/door-session';
import type { DoorHost, LiveDoor } from '../extensions/live-door';
import { withinTime } from '../extensions/session-life';
import { type PromptAnswer, whatIsSaid } from './said';
import type { CompactPreview } from '@shared/compaction/preview';
import type { CompactAnswer, SummaryInstructions, UndoPreview } from '@shared/compaction/summary-job';
import { LET_GO } from '@shared/policy/call-outcome';
import { type OpenQuestion, questionOf } from '@shared/session-state/attention';
import type { ApprovalChange, ExtensionChange } from '@shared/session-state/events';
import { sessionStateOf } from '@shared/session-state/phases';
import type { Row, SessionSnapshot } from '@shared/session-state/state';
import type { EntryDraft } from '@shared/session/records/entry';
import { isOwnId } from '@shared/session/records/ids';
import { isOpenTurn, lastMessage, turnEnd } from '@shared/session/tree/turn-end';
import type { ModelRef, QueueItem, SessionState, StoredLine } from '@shared/types';

export type { CompactParams, PromptParams, SessionActivity } from '../machine/scope';

/** How long closing waits for a run to record what it has. */
const CLOSE_TIMEOUT_MS = 2000;
/** Entries that are read before it is looked at how long they are. */
const READ_TOGETHER = 16;

/**
 * One live session (JB1, QU1): what a person asks of it. The table says what becomes of each request (JB2), the slot what
 * holds the session meanwhile. Everything durable goes through `SessionLog`. Methods that the person calls reject with a
 * message meant for them.
 */
export class AgentSession {
  readonly sessionId: string;
  /** Undo, redo and other changes of the branch. */
  readonly rewriter: Rewriter;
  /** Navigation, labels, versions. */
  readonly branches: Branches;
  readonly pins: Pins;
  /** What extensions may do with it; null: there are none. */
  door: LiveDoor | null = null;
  /** Resolves when its extensions are there, or will not be in time. */
  waitForExtensions: () => Promise<void> | null = () => null;
  private readonly scope: SessionScope;
  private readonly slot: Slot;
  private readonly keeper: SessionKeeper;
  private readonly repeats = new RepeatGuard();
  private readonly auto: AutoCompaction;
  private readonly runs: Runs;
  private readonly byPerson: ManualCompaction;
  private readonly unsubscribe: () => void;

  private constructor(
    readonly log: SessionLog,
    private readonly queue: DurableQueue,
    private readonly ports: SessionPorts,
    onActivity: (session: AgentSession, activity: SessionActivity) => void,
    left: LeftBehind,
  ) {
    this.sessionId = log.sessionId;
    const scope = new SessionScope(log, queue, ports, (activity) => this.onActivity(activity, onActivity), left);
    this.scope = scope;
    this.slot = scope.slot;
    this.keeper = scope.keeper;
    this.auto = new AutoCompaction(scope, this.repeats);
    const gate = new Gate(scope, this.auto);
    const mover = (): BranchMover => this.branches;
    this.runs = new Runs(scope, { gate, auto: this.auto, repeats: this.repeats, mover });
    this.byPerson = new ManualCompaction(scope, this.runs, { auto: this.auto, repeats: this.repeats });
    this.rewriter = new Rewriter(scope, this.runs);
    this.branches = new Branches(scope, this.rewriter, this.auto);
    this.pins = new Pins(scope);
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
      () => {
        session?.keeper.tell({ type: 'queue_changed', items: queue.list() });
        session?.door?.changed();
      },
    );
    const { sessionId } = log;
    const left = {
      ...(await readTurnEnd(log, (replyId) => ports.firstUnbegun?.({ sessionId, replyId }) ?? null)),
      queueDamage: damage,
    };
    return (session = new AgentSession(log, queue, ports, onActivity, left));
  }

  get isRunning(): boolean {
    return this.slot.isHeld;
  }

  /** The newest turn may still go on; in a navigation the path that is gone to has ended as it stands. */
  get isInTurn(): boolean {
    return this.isRunning && this.slot.phase !== 'rewriting';
  }

  /** Nothing is under way in it and nothing waits for the disk. */
  get isQuiet(): boolean {
    return !this.isRunning && !this.runs.isUnsaved;
  }

  /** Nothing would be lost by letting go of the session: it can be opened again from its file. */
  get canRest(): boolean {
    const { failure, extensionQuestions } = this.keeper.state;
    return this.isQuiet && !failure && extensionQuestions.length === 0 && lastMessage(this.log.tree) !== null;
  }

  get state(): SessionState {
    return sessionStateOf(this.keeper.state);
  }

  /** What it asks the person now. */
  get question(): OpenQuestion | null {
    return this.state === 'waiting' ? questionOf(this.keeper.state) : null;
  }

  get model(): ModelRef {
    return this.scope.model;
  }

  /** What a session that goes on from this one says of model and thinking. */
  choiceDrafts(): EntryDraft[] {
    return this.scope.choice.drafts();
  }

  /**
   * Takes a message: starts a run, or queues it if one is under way. Resolves when the message is durable. An id that is
   * known already is taken for the same message (QU2). With `command` the text is one, and what it makes of it is sent (CM3). With `parentId` it begins a branch: at once, when HEAD has moved and the
   * message is in the file; else it is prepared (BR4, GR13).
   */
  async prompt({ itemId, command, source = 'interactive', ...typed }: PromptParams): Promise<PromptAnswer> {
    const { runs, queue } = this;
    // A queue item's id becomes its entry's id (SF5).
    if (!isOwnId(itemId)) throw new SessionRefusal('The message has no valid id and was not sent.');
    const isKnown = this.log.tree.has(itemId) || runs.isAccepting(itemId) || queue.has(itemId);
    // Where nobody has a say, the phase of this very step decides (EV11).
    const own =
      isKnown || this.isSaidAsTyped(command) ? typed : await this.whatIsSaid({ itemId, command, source, ...typed });
    if (own === null) return { queued: false, itemId, isDone: true };
    const said = { ...typed, ...(source === 'extension' && { source }), text: own.text, attachments: own.attachments };
    const { text, attachments, parentId } = said;
    if (text.trim() === '' && attachments.length === 0) throw new SessionRefusal('The message is empty.');
    const refusal = refusalOfMessage({ text, attachments });
    if (refusal !== null) throw new SessionRefusal(refusal);
    if (typeof parentId === 'string' && !this.log.tree.has(parentId)) throw new SessionRefusal(TARGET_GONE);
    // A reply that waits for the disk stands before what is said next.
    while (runs.ask('prompt') === 'save-first') await runs.save();
    if (this.log.tree.has(itemId) || runs.isAccepting(itemId)) return { queued: false, itemId };
    if (queue.has(itemId)) return { queued: true, itemId };
    const item: QueueItem = { id: itemId, ...said, createdAt: this.ports.now(), held: false };
    if (parentId === undefined && runs.ask('prompt') === 'allow') {
      await runs.startWith(item);
      return { queued: false, itemId };
    }
    await queue.add(item);
    // In the queue first: the summary of what is left may take long, and whoever dies meanwhile loses nothing.
    if (parentId !== undefined && runs.ask('prompt') === 'allow' && queue.nextBranch()?.id === itemId) {
      await runs.startBranch(item);
      return { queued: false, itemId };
    }
    runs.pump();
    return { queued: true, itemId };
  }

  /** The door that extensions have to it. */
  openDoor(host: DoorHost): LiveDoor {
    return (this.door = openDoor(this.scope, this, this.runs, host));
  }

  private isSaidAsTyped(command?: boolean): boolean {
    return command !== true && !this.scope.events.has('input') && this.waitForExtensions() === null;
  }

  private async whatIsSaid(params: PromptParams): Promise<Pick<QueueItem, 'text' | 'attachments'> | null> {
    await this.waitForExtensions();
    return whatIsSaid(this.scope, params, this.isRunning);
  }

  private onActivity(
    activity: SessionActivity,
    tell: (session: AgentSession, activity: SessionActivity) => void,
  ): void {
    tell(this, activity);
    this.door?.changed();
  }

  /** Ends run, retry wait, job and waiting questions; what came is recorded, what waits in the queue is held (JB4, QU6). */
  async stop(): Promise<void> {
    await this.stopRun();
  }

  /** Goes on where the last turn ended: after a failure, a stop, a crash, a full disk. Rejects if there is nothing to go on with. */
  async retry({ dropsLarge = false } = {}): Promise<void> {
    const { runs } = this;
    while (runs.ask('retry') === 'save-first') await runs.save();
    if (dropsLarge && this.scope.shown.failure?.actions.includes('drop')) await this.auto.dropLarge();
    const answer = runs.ask('retry');
    if (answer === 'join') runs.skipRetryWait();
    if (answer !== 'allow') return;
    const end = turnEnd(this.log.tree);
    if (isOpenTurn(end)) return runs.goOn();
    this.scope.setFailure(null);
    if (this.queue.list().some((item) => item.parentId === undefined)) return this.sendQueued();
    if (end === 'none') throw new SessionRefusal('There is nothing to retry yet.');
    runs.settle('done');
  }

  /** Compacts at the leaf because the person asked for it (JB8). Resolves when it has begun. */
  compact(how: CompactParams = {}): Promise<CompactAnswer> {
    return this.byPerson.compact(how);
  }

  /** Summarises the messages of the branch's latest compaction again, with other instructions (UN5). Resolves when it has begun. */
  compactAgain(entryId: string, asked: SummaryInstructions = {}): Promise<void> {
    return this.byPerson.again(entryId, asked);
  }

  /** Ends the summary under way, and it alone: a run goes on, the session stays as it was. */
  cancelJob(): void {
    this.scope.job.cancel();
  }

  /** What the Compact sheet shows. Never blocked by what runs (JB5). */
  compactPreview(): Promise<CompactPreview> {
    return reading(this.log, () => compactPreview(this.scope));
  }

  /** The person's answer to the summary that waits for review: the text to store, or null: it is cancelled, or written `anew` (SU40). */
  answerReview(text: string | null, anew = false): void {
    this.scope.job.answer(text, anew);
  }

  /** What undoing a compaction of the branch would come to. */
  undoPreview(entryId: string): UndoPreview {
    return previewUndo(this.log.tree, entryId, this.scope.size());
  }

  skipRetryWait(): void {
    this.runs.skipRetryWait();
  }

  dismissFailure(of: 'run' | 'summary' = 'run'): void {
    if (of === 'summary') this.keeper.tell({ type: 'summary_failure_dismissed' });
    else this.scope.forgetTurn(null);
  }

  /** Sends what was held, or one of it: at once if the session rests, else as steering and follow-ups of the run. */
  async sendQueued(itemId?: string): Promise<void> {
    while (this.runs.ask('sendQueued') === 'save-first') await this.runs.save();
    this.queue.setHeld(false, itemId);
    this.runs.pump();
  }

  /** Takes a queued message back. False if there is none, or it is just being delivered: that stays. */
  async removeQueued(itemId: string): Promise<boolean> {
    return !this.runs.isDelivering(itemId) && (await this.queue.remove(itemId));
  }

  async setModel(ref: ModelRef): Promise<void> {
    // A choice is an entry at the leaf: one of the leaf that is being left would be lost with it.
    this.runs.ask('chooseModel');
    if (!this.ports.models.find(ref))
      throw new SessionRefusal(`The model ${ref.provider}/${ref.modelId} is no longer available.`);
    const previous = this.model;
    await this.scope.choice.setModel(ref, this.keeper.state.reply !== null);
    this.scope.tellModel();
    this.scope.tellModelSelected(previous, ref);
    this.door?.changed();
  }

  async setThinking(level: string): Promise<void> {
    this.runs.ask('chooseModel');
    const previousLevel = this.scope.choice.thinkingLevel;
    await this.scope.choice.setThinking(level);
    this.scope.tellModel();
    this.scope.tellLevelSelected(level, previousLevel);
    this.door?.changed();
  }

  /** All that a window needs for its first screen. Bodies of older rows follow on demand. */
  snapshot(): Promise<SessionSnapshot> {
    return this.keeper.snapshot();
  }

  /** Rows before index `before` of the path, newest chunk first. */
  rows(before: number): Iterable<Row[]> {
    return this.keeper.rows(before);
  }

  /** Rows of all branches from a line of the file on, for the branch graph. */
  graph(fromSeq: number): Iterable<Row[]> {
    return graphRows(this.log.tree, fromSeq);
  }

  /** Exact lines of the given entries, as many of the first ones as one answer holds; unknown ids are left out. */
  async entries(ids: readonly string[]): Promise<StoredLine[]> {
    const lines: StoredLine[] = [];
    for (let at = 0; at < ids.length; at += READ_TOGETHER) {
      lines.push(...(await this.log.linesOf(ids.slice(at, at + READ_TOGETHER))));
      const answer = firstOfThem(lines);
      if (answer.length < lines.length) return answer;
    }
    return lines;
  }

  /** An approval was asked or answered. */
  tellApproval(change: ApprovalChange): void {
    this.keeper.tell(change);
    this.slot.refresh();
    // The state may be the same, and the question another one.
    this.scope.onActivity({ kind: 'state' });
  }

  /** An extension asks or shows something, or does so no longer. */
  tellExtension(change: ExtensionChange): void {
    this.keeper.tell(change);
    if (change.type === 'extension_shows') return;
    this.slot.refresh();
    this.scope.onActivity({ kind: 'state' });
  }

  /**
   * The meter follows the settings, and what is known of the model, at once. So does the model of a session in which nothing was said:
   * the one that would answer is the one that is shown.
   */
  limitsChanged(): void {
    const { model, thinkingLevel } = this.scope.choice;
    const { state } = this.keeper;
    const isShown = state.model !== null && sameModel(state.model, model) && state.thinkingLevel === thinkingLevel;
    if (isShown) this.scope.tellUsage();
    else this.scope.tellModel();
  }

  /** Stops what runs, however long that takes, and stores what waits for the disk. Rejects if it can't be stored. */
  async comeToRest(): Promise<void> {
    await this.stopRun(LET_GO);
    await this.runs.save();
  }

  /** Stops the run, records what it has, lets go of tools and file. Waits at most 2 s for the run. */
  async dispose(): Promise<void> {
    this.slot.close();
    // Together: letting go of the tools ends what a run may be waiting for.
    await withinTime(Promise.all([this.halt(LET_GO), this.scope.tools.dispose(), this.queue.idle()]), CLOSE_TIMEOUT_MS);
    this.unsubscribe();
  }

  private async stopRun(why?: unknown): Promise<void> {
    if (this.runs.ask('stop') === 'allow') await this.halt(why);
  }

  private async halt(why?: unknown): Promise<void> {
    if (!this.slot.isHeld) return;
    this.queue.setHeld(true);
    await this.slot.stop(why);
  }

  private onAppended(records: readonly AppendedRecord[]): void {
    this.keeper.tellAppended(records);
    this.door?.appended(records);
    this.runs.onAppended(records);
    this.ports.onStorage(null);
    this.scope.tellUsage();
    this.scope.onActivity({ kind: 'entries', records });
  }
}
