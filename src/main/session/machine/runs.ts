import type { RunParts } from '../../agent/agent-run';
import { type DriveEnd, RunDriver } from '../../agent/run-driver';
import type { AppendedRecord } from '../../ports';
import type { Outgoing, SessionScope } from './scope';
import { type Operation, SessionRefusal } from './slot';
import { type Answer, answerTo, type NotNow, type SessionRequest } from '@shared/session-state/phases';
import type { EntryDraft } from '@shared/session/records/entry';
import type { QueueItem } from '@shared/types';

const STOPPED = 'You stopped before it was sent.';

/** What was shown and waits for the disk, with the write of it that is under way. */
interface Unsaved {
  drafts: EntryDraft[];
  writing: Promise<void> | null;
}

/** What `Runs` asks of the branches: to move HEAD to where a prepared branch begins (BR4). */
export interface BranchMover {
  /**
   * Never rejects. Whoever calls it holds the session.
   * @returns `kept`: why nothing has moved, in a sentence; `tellEnd` tells how the summary ended
   */
  begin(item: QueueItem, operation: Operation): Promise<{ kept: string | null; tellEnd: () => void }>;
}

/** The runs of one session: what begins them, how they end, and what a run could not store. */
export class Runs {
  private driver: RunDriver | null = null;
  private unsaved: Unsaved | null = null;
  /** How the last run ended. */
  private end: DriveEnd | null = null;
  /** The prompt whose entry is on its way to the file. */
  private accepting: { id: string; stored: () => void } | null = null;
  /** The message that the run under way begins with: it can't be taken back. */
  private firstId: string | null = null;
  /** A branch is begun in place of the end of this run: told if it does not come to a run. */
  private owed: DriveEnd['reason'] | null = null;

  constructor(
    private readonly scope: SessionScope,
    private readonly parts: RunParts & { mover: () => BranchMover },
  ) {}

  /** Something that was shown could not be stored yet. */
  get isUnsaved(): boolean {
    return this.unsaved !== null;
  }

  /** The message is on its way to the file, as the first one of a run. */
  isAccepting(itemId: string): boolean {
    return this.accepting?.id === itemId;
  }

  /** What the table says to a request now (JB2). @throws SessionRefusal where that is a refusal */
  ask(request: SessionRequest): Exclude<Answer, NotNow> {
    const { slot, shown } = this.scope;
    const isUnsaved = this.isUnsaved && !slot.isHeld;
    const answer = answerTo(request, { phase: slot.phase, job: shown.job, isUnsaved });
    if (typeof answer === 'object') throw new SessionRefusal(answer.text);
    return answer;
  }

  /** Starts with a message. Resolves when it is in the file. @throws whatever kept it from there */
  async startWith(item: QueueItem): Promise<void> {
    const stored = new Promise<void>((resolve) => (this.accepting = { id: item.id, stored: resolve }));
    const { events, queue } = this.scope;
    const { done } = this.begin(item);
    // Extensions may take their time before it is in the file: whoever dies meanwhile loses nothing.
    if (events.has('before_agent_start')) await queue.add(item).catch(() => undefined);
    await Promise.race([stored, done]);
    if (this.isAccepting(item.id)) this.accepting = null;
    if (this.scope.log.tree.has(item.id)) return;
    await queue.remove(item.id).catch(() => false);
    const { end } = this;
    throw (end?.reason === 'failed' && end.unsaved?.error) || new SessionRefusal('The message could not be sent.');
  }

  /**
   * Begins a prepared branch at once that is in the queue (BR4). Resolves when its message is in the file.
   * @throws SessionRefusal if it was cancelled or failed: it is in the queue still, as unsent
   */
  async startBranch(item: QueueItem): Promise<void> {
    const stored = new Promise<void>((resolve) => (this.accepting = { id: item.id, stored: resolve }));
    const { done } = this.beginBranch(item);
    await Promise.race([stored, done]);
    if (this.isAccepting(item.id)) this.accepting = null;
    const { log, queue } = this.scope;
    if (log.tree.has(item.id)) return;
    const left = queue.list().find(({ id }) => id === item.id);
    throw new SessionRefusal(left?.problem ?? 'The message could not be sent.');
  }

  /**
   * Goes on with the turn that ended open; beyond the window once, if the person has read that it is too long.
   * @param continues it was stopped for a compaction (TG19)
   */
  goOn(continues = false): void {
    const { end } = this;
    if (end?.reason === 'failed' && end.oversize && end.failure === this.scope.shown.failure)
      this.parts.gate.allowOversizeOnce();
    this.begin(null, continues);
  }

  /** Starts on what may be sent now, if the session is free. True if a run is under way. */
  pump(): boolean {
    const { scope } = this;
    const { slot, queue } = scope;
    if (slot.phase !== 'idle') return this.driver !== null;
    const next = queue.next();
    const branch = queue.nextBranch();
    if (next) this.begin(next);
    else if (branch) this.beginBranch(branch);
    else if (scope.outbox.length > 0) this.sayLeft().catch((error: unknown) => scope.ports.onStorage(error));
    return next !== undefined || branch !== undefined;
  }

  /** A run is under way: what extensions say goes into it. */
  get isDriving(): boolean {
    return this.driver !== null;
  }

  /**
   * What an extension says: into the run under way, behind what else holds the session, or into the file at once.
   * @throws StorageError
   */
  async say(said: Outgoing): Promise<void> {
    const { scope } = this;
    scope.outbox.push(said);
    if (scope.slot.phase === 'idle') await this.sayLeft();
  }

  /** What no run took: stored as it is, and answered if one of them asks for that. */
  private async sayLeft(): Promise<void> {
    const { scope } = this;
    const left = scope.outbox.splice(0);
    if (left.length === 0) return;
    await scope.settleCalls();
    await scope.log.append(left.map(({ draft }) => draft));
    const trigger = left.filter(({ triggers }) => triggers).at(-1);
    if (!trigger || scope.slot.phase !== 'idle') return;
    scope.startedBy = trigger.draft;
    this.begin(null);
  }

  /** Stores what waits for the disk, once, however many ask for it meanwhile. */
  async save(): Promise<void> {
    const { unsaved } = this;
    if (!unsaved) return;
    unsaved.writing ??= this.write(unsaved).finally(() => (unsaved.writing = null));
    await unsaved.writing;
  }

  skipRetryWait(): void {
    this.driver?.skipWait();
  }

  /** Too late to take the message back. */
  isDelivering(itemId: string): boolean {
    return this.firstId === itemId || (this.driver?.isDelivering(itemId) ?? false);
  }

  onAppended(records: readonly AppendedRecord[]): void {
    if (records.some(({ entry }) => this.isAccepting(entry.id))) this.accepting?.stored();
  }

  settle(reason: DriveEnd['reason']): void {
    const { scope } = this;
    this.owed = null;
    scope.events.tell('agent_settled', () => ({ aborted: reason === 'stopped' }));
    scope.tell({ type: 'settled', leafId: scope.log.tree.leafId, reason });
    scope.tellUsage();
    scope.slot.refresh();
    scope.onActivity({ kind: 'settled', reason });
  }

  private begin(first: QueueItem | null, continues = false): Operation {
    this.scope.setFailure(null);
    const driver = new RunDriver(this.scope, this.parts);
    this.driver = driver;
    this.firstId = first?.id ?? null;
    return this.scope.slot.hold('running', (operation) => this.carryOut(driver, first, operation, continues)).operation;
  }

  /** Moves HEAD, then says the message: one operation, so that nothing comes in between (BR4). */
  private beginBranch(item: QueueItem): Operation {
    this.firstId = item.id;
    return this.scope.slot.hold('rewriting', (operation) => this.carryOutBranch(item, operation)).operation;
  }

  private async carryOutBranch(item: QueueItem, operation: Operation): Promise<void> {
    const { scope } = this;
    await Promise.resolve();
    const { kept, tellEnd } = await this.parts.mover().begin(item, operation);
    // Stopped after the move was written: the message waits where HEAD is now.
    if (kept !== null || operation.signal.aborted) {
      this.firstId = null;
      operation.leave(() => scope.queue.keepBack(item.id, kept ?? STOPPED));
      tellEnd();
      if (!this.pump() && this.owed) this.settle(this.owed);
      return;
    }
    tellEnd();
    scope.setFailure(null);
    const driver = new RunDriver(scope, this.parts);
    this.driver = driver;
    scope.slot.become('running');
    await this.carryOut(driver, item, operation);
  }

  private async carryOut(
    driver: RunDriver,
    first: QueueItem | null,
    operation: Operation,
    continues = false,
  ): Promise<void> {
    const { scope } = this;
    // The caller's step ends before anything happens, so that no event comes from inside its call.
    await Promise.resolve();
    scope.renewPrompt();
    const end = await driver.drive(first, operation.signal, continues);
    this.firstId = null;
    const isNextWaiting = scope.queue.next() !== undefined || scope.queue.nextBranch() !== undefined;
    // What is said next need not wait for it then (TG4).
    if (end.reason === 'done' && !isNextWaiting) {
      await this.parts.auto.makeRoom(scope.model, undefined, operation.signal);
    }
    this.end = end;
    const unsaved = end.reason === 'failed' ? end.unsaved : undefined;
    const drafts = unsaved?.drafts ?? [];
    if (drafts.length > 0) this.unsaved = { drafts, writing: null };
    // A reply that could not be saved stays on screen.
    else scope.live.endReply(null);
    scope.live.endAllTools();
    if (unsaved) scope.ports.onStorage(unsaved.error);
    operation.leave(() => {
      this.driver = null;
      if (end.reason === 'failed') scope.queue.setHeld(true);
      if (end.reason !== 'done' && !this.isNeverSaid(first, end)) scope.setFailure(end.failure);
      this.owed = end.reason;
      if (end.reason === 'failed' || !this.pump()) this.settle(end.reason);
    });
  }

  /** A first message that was never stored goes back to the composer; there is no failed turn to show. */
  private isNeverSaid(first: QueueItem | null, end: DriveEnd): boolean {
    const { log, queue } = this.scope;
    if (end.reason !== 'failed' || !end.unsaved?.error || !first) return false;
    return !log.tree.has(first.id) && !queue.has(first.id);
  }

  private async write(unsaved: Unsaved): Promise<void> {
    const { log, live, ports } = this.scope;
    try {
      const records = await log.append(unsaved.drafts);
      this.unsaved = null;
      live.endReply(records.find(({ entry }) => entry.type === 'message')?.entry.id ?? null);
    } catch (error) {
      ports.onStorage(error);
      throw error;
    }
  }
}
