import path from 'node:path';
import { PlaceTakenError } from '../../journal/file/session-error';
import type { SessionStartReason } from '../../extensions/events';
import { type ExtensionHost, NO_EXTENSIONS } from '../../extensions/session-door';
import type { ListedSession, MadeFrom, SessionLog, SessionStore } from '../../ports';
import { forkSession } from '../branches/forks';
import { contextChunks } from '../context-view';
import { doorHost, FORK_PREVENTED } from '../extensions/door-host';
import type { DoorHost } from '../extensions/live-door';
import { SessionLives } from '../extensions/session-life';
import { describeEntry, previewOf, titleFromWords, wordsOfMessage } from '../machine/entry-words';
import type { SessionPorts } from '../machine/scope';
import { reading, SessionRefusal } from '../machine/slot';
import { searchEntries } from '../search-entries';
import { AgentSession, type SessionActivity } from './agent-session';
import { Titles } from './auto-title';
import { LiveSessions } from './live-sessions';
import { forkedFrom, isTitle, madeOf } from './made-session';
import { promptPlace } from './prompt-place';
import { SummaryBook } from './summary-book';
import type { FoundEntry, MadeSession } from '@shared/ipc/tree-types';
import type { ApprovalChange, ExtensionChange } from '@shared/session-state/events';
import { costDraft, isBlankName, nameDraft, referenceDraft } from '@shared/session/tree/drafts';
import { turnEnd } from '@shared/session/tree/turn-end';
import type { ModelRef, SessionSummary } from '@shared/types';

const BLANK_TITLE =
  'A title needs at least one visible character. Type one and try again; the title was left as it is.';

interface HostPorts extends Omit<SessionPorts, 'workspaceOf' | 'promptPlace' | 'queueFile' | 'onStorage'> {
  store: SessionStore;
  /** Folder of the journals; the queue's sidecars stand beside them. */
  sessionsDir: string;
  /** A session whose file was replaced under it is closed: its own lines, beside that file, may become a session. */
  onApart?: (sessionId: string) => Promise<unknown>;
  /** A session is let go of: nothing is asked or shown in it any more. */
  onClose?: (sessionId: string) => void;
  /** What a session has that no file keeps, so that it is not let go of while the app runs. */
  isNeeded?: (sessionId: string) => boolean;
  /** Who runs extensions; absent: nobody. */
  extensionHost?: ExtensionHost;
  /** Workspace of sessions that have none. */
  scratchDir: string;
  /** Where a folder is now, if it was in a scratch workspace that was moved (SY13). Absent: where it was. */
  sinceMoved?: (folder: string) => string;
}

/**
 * All sessions (AG1): opens them when asked, runs several at once, keeps the list. A session is loaded while it runs
 * or was used lately; every method takes an id and loads it if need be.
 */
export class SessionHost {
  private broughtNamed: Promise<void> | null = null;
  private readonly live: LiveSessions;
  private readonly book: SummaryBook;
  private readonly sessionPorts: SessionPorts;
  private readonly titles: Titles;
  private readonly lives: SessionLives;
  private readonly doors: DoorHost;
  /** Why sessions that are being made are live next. */
  private readonly reasons = new Map<string, { reason: SessionStartReason; previous?: string }>();
  /** Sessions that go on beside a file that took the place of theirs, until nothing is under way in them. */
  private readonly apart = new Set<string>();
  private isStorageFull = false;
  private isClosing = false;

  constructor(private readonly ports: HostPorts) {
    this.book = new SummaryBook(ports.store, ports.emit, ports.scratchDir, ports.now, ports.sinceMoved);
    this.titles = new Titles(this.book, ports);
    this.lives = new SessionLives(ports.extensions, ports.extensionHost ?? NO_EXTENSIONS, ports.resources);
    this.doors = doorHost(this, this.book, this.lives, ports);
    this.live = new LiveSessions({
      open: async (id) => this.load(await ports.store.open(id)),
      // What is being named is still needed.
      mayRest: (session) =>
        session.canRest && !this.titles.isNaming(session.sessionId) && ports.isNeeded?.(session.sessionId) !== true,
      onClose: async (id) => {
        this.titles.cancel(id);
        await this.lives.end(id);
        ports.onClose?.(id);
      },
      onClosed: (id) => this.book.save(id),
    });
    this.sessionPorts = {
      ...ports,
      workspaceOf: (id) => this.workspaceOf(id),
      promptPlace,
      queueFile: (id) => path.join(ports.sessionsDir, `${id}.queue.json`),
      onStorage: (error) => this.onStorage(error),
    };
  }

  /** All sessions, newest first, with those that were named and have no file. Reads only sidecars and indexes. */
  async list(): Promise<SessionSummary[]> {
    await (this.broughtNamed ??= this.bringNamed());
    return this.book.list();
  }

  /** What the person named or pinned is there at the next start, whatever was said in it (JN49). */
  private async bringNamed(): Promise<void> {
    const made = this.ports.store.named().map((id) => this.create({ id }));
    // One that can't be made again now, or was made for its draft, stays noted.
    await Promise.allSettled(made);
  }

  /** `id`: see `SessionStore.create`. */
  async create(options: { workspace?: string; id?: string; parentSession?: string }): Promise<SessionSummary> {
    const { models, store, scratchDir } = this.ports;
    const { provider } = models.initialModel();
    const demo = models.providers().some(({ id, kind }) => id === provider && kind === 'demo');
    const { id, workspace, parentSession } = options;
    const log = await store.create({ workspace: workspace || scratchDir, demo, id, parentSession });
    this.reasons.set(log.sessionId, { reason: 'new' });
    return this.adopt(log);
  }

  /** A session from lines that ship with the app (WN18), in the list at once. */
  async makeFrom(options: MadeFrom, lines: () => AsyncIterable<string[]>): Promise<SessionSummary> {
    return this.adopt(await this.ports.store.createFrom(options, lines));
  }

  async importFile(file: string): Promise<SessionSummary> {
    return this.adopt(await this.ports.store.importFile(file));
  }

  /** A session came into the store without being opened, or has more than it had: the list tells it, and what shows it reads it anew. */
  took({ sessionId, entryCount, compactions, damage, turn }: ListedSession, isGrown: boolean): void {
    this.book.setFigures(sessionId, { entryCount, compactions, damage, turn });
    this.book.tell(sessionId);
    if (isGrown) this.ports.emit({ type: 'session_reloaded', sessionId });
  }

  /** Whether nothing is under way in a session that letting go of it would end. */
  async mayLetGo(sessionId: string): Promise<boolean> {
    return (await this.live.loaded(sessionId))?.isQuiet ?? true;
  }

  /** The live session; it is loaded if need be. */
  session(sessionId: string): Promise<AgentSession> {
    return this.live.get(sessionId);
  }

  /** Entries of any branch whose text holds the words, newest first. */
  async search(sessionId: string, query: string): Promise<{ entryIds: string[]; isPartial: boolean }> {
    const { log } = await this.session(sessionId);
    return reading(log, () => searchEntries(log, query, this.ports.now));
  }

  /** A new session of the path to an entry (HF3), in the list at once. Never blocked by what runs. */
  async fork(sessionId: string, entryId?: string, position: 'before' | 'at' = 'at'): Promise<MadeSession> {
    const { log } = await this.session(sessionId);
    const { demo } = this.book.summary(sessionId);
    const { extensions, store } = this.ports;
    const asked = { entryId: entryId ?? log.tree.leafId, position };
    const answer = await extensions.ask('session_before_fork', asked, { sessionId });
    if (answer?.cancels) throw new SessionRefusal(FORK_PREVENTED);
    const options = { workspace: this.workspaceOf(sessionId), title: await this.titles.of(sessionId), demo };
    const { log: made, editor } = await reading(log, () => forkSession(store, log, entryId, options));
    this.reasons.set(made.sessionId, { reason: 'fork', previous: this.fileOf(sessionId) });
    const summary = await this.adopt(made);
    return madeOf(summary, editor);
  }

  /** A new session whose first message is drafted from this one (HF1); null if it was cancelled. The source stays as it is. */
  async handoff(sessionId: string, goal: string, model?: ModelRef): Promise<MadeSession | null> {
    const session = await this.session(sessionId);
    const draft = await session.branches.draftHandoff(goal, model);
    if (draft === null) return null;
    const { text, paid } = draft;
    const title = await this.titles.of(sessionId);
    const { demo } = this.book.summary(sessionId);
    const options = { workspace: this.workspaceOf(sessionId), parentSession: sessionId, demo };
    const log = await this.ports.store.create(options);
    // What was paid was paid for the new session; the source has nothing of it.
    await log.append([...session.choiceDrafts(), referenceDraft(sessionId, title), ...paid.map(costDraft)]);
    return madeOf(await this.adopt(log), { text, attachments: [] });
  }

  /** Where an entry is that a reference names: in this session, else in another; null if nowhere. */
  async findEntry(sessionId: string, entryId: string): Promise<FoundEntry | null> {
    const { log } = await this.session(sessionId);
    const here = await describeEntry(log, entryId, this.book.summary(sessionId).title);
    if (here) return here;
    const other = await this.ports.store.findEntry(entryId, [sessionId]);
    if (other === null) return null;
    const { log: found } = await this.session(other);
    return reading(found, () => describeEntry(found, entryId, this.book.summary(other).title));
  }

  /** What the model saw at an entry, or sees now (contract `session.context`). */
  async *context(sessionId: string, entryId: string | null): ReturnType<typeof contextChunks> {
    const { log, model } = await this.session(sessionId);
    // Read as fast as the window takes it: the session may be let go of long before the end.
    const giveBack = log.lease();
    try {
      yield* contextChunks(log, entryId, model, this.ports.models.effectiveWindow(model));
    } finally {
      await giveBack();
    }
  }

  /** A title given by the person. A blank one is refused before anything is written (JN50). */
  async rename(sessionId: string, title: string): Promise<void> {
    if (isBlankName(title)) throw new SessionRefusal(BLANK_TITLE);
    const { log } = await this.session(sessionId);
    const name = title.replace(/\s+/g, ' ').trim();
    if (log.tree.leafId !== null) await log.append([nameDraft(name)]);
    await this.book.set(sessionId, { title: name, titleSource: 'person' });
    await this.ports.extensions.tell('session_info_changed', { name }, { sessionId });
  }

  fileOf(sessionId: string): string {
    return path.join(this.ports.sessionsDir, `${sessionId}.jsonl`);
  }

  async setPinned(sessionId: string, pinned: boolean): Promise<void> {
    await this.book.set(sessionId, { pinned });
  }

  async setArchived(sessionId: string, archived: boolean): Promise<void> {
    await this.book.set(sessionId, { archived });
  }

  async setWorkspace(sessionId: string, workspace: string): Promise<void> {
    await this.book.set(sessionId, { workspace, suggestion: undefined });
    this.lives.moved(sessionId);
  }

  /** Stops the session and moves its files to the trash (30 days). */
  async remove(sessionId: string): Promise<void> {
    // Who asks for it meanwhile waits, and finds it gone.
    const mark = await this.live.whileAway(sessionId, () => this.ports.store.trash(sessionId));
    this.book.forget(sessionId);
    this.ports.emit({ type: 'session_removed', sessionId, mark });
  }

  async restore(sessionId: string): Promise<SessionSummary> {
    const { store, emit } = this.ports;
    const log = await store.restore(sessionId).catch(async (error: unknown) => {
      // Back, and as damaged as it was: what lies beside it may be the session.
      if (error instanceof PlaceTakenError || !(await this.list()).some(({ id }) => id === sessionId)) throw error;
      emit({ type: 'copies_differ', sessionId });
      return null;
    });
    return log ? this.adopt(log) : this.book.summary(sessionId);
  }

  /**
   * Does something to the file of a session while nobody works in it: what runs is stopped and recorded before, and who asks for the
   * session meanwhile gets what is there afterwards. Rejects, and nothing is done, if something can't be recorded.
   */
  async whileLetGo<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    // One that is let go of already is asked for by those who wait for that.
    const session = await this.live.loaded(sessionId);
    await session?.comeToRest();
    return this.live.whileAway(sessionId, work);
  }

  /** After the journal of a session was rewritten from the database. `from`: the session that it was set apart from. */
  async reload(log: SessionLog, from?: string): Promise<SessionSummary> {
    const { sessionId } = log;
    // Let go of, it is opened on the new file by who asks for it next.
    if (!this.live.isAway(sessionId)) await this.live.takeAnew(log.sessionId, () => this.load(log), log);
    this.book.tell(sessionId);
    // What was said last in that one may be in this one now; else the window may still show what was there.
    if (from !== undefined) this.book.tell(from);
    else this.ports.emit({ type: 'session_reloaded', sessionId });
    return this.book.summary(sessionId);
  }

  /** The file of a session was replaced under it (docs/specs/safety.md, E2). What runs goes on; then both are brought in order. */
  wentApart(sessionId: string): void {
    this.apart.add(sessionId);
    this.settleApart(sessionId).catch(() => undefined);
  }

  private async settleApart(sessionId: string): Promise<void> {
    // Not from inside the append that found it.
    await new Promise((resolve) => setImmediate(resolve));
    const session = await this.live.loaded(sessionId);
    // Asked again when it comes to rest; at the next start at the latest.
    if (!this.apart.has(sessionId) || this.isClosing || (session && !session.isQuiet)) return;
    this.apart.delete(sessionId);
    // Who asks for it meanwhile waits until it is settled: a log that is opened in between would be closed under its session.
    await this.live.whileAway(sessionId, async () => this.ports.onApart?.(sessionId));
    // The list tells of what is in the file now.
    await this.session(sessionId);
    this.book.tell(sessionId);
  }

  summary(sessionId: string): SessionSummary {
    return this.book.summary(sessionId);
  }

  workspaceOf(sessionId: string): string {
    return this.book.workspaceOf(sessionId);
  }

  /** Where an imported session says that it was made, until the person has chosen a folder for it. */
  suggestedWorkspace(sessionId: string): string | null {
    return this.book.meta(sessionId)?.suggestion ?? null;
  }

  /** An approval of this session was asked or answered. */
  tellApproval(sessionId: string, change: ApprovalChange): void {
    void this.live.loaded(sessionId).then((session) => session?.tellApproval(change));
  }

  /** An extension asks or shows something in this session, or does so no longer. */
  tellExtension(sessionId: string, change: ExtensionChange): void {
    void this.live.loaded(sessionId).then((session) => session?.tellExtension(change));
  }

  /** The person trusts other folders now: extensions see it at once. */
  trustChanged(): void {
    void this.live.all().then((sessions) => sessions.forEach(({ door }) => void door?.lookAtTrust()));
  }

  /** The meters of the loaded sessions follow the settings, and what is known of their models, at once. */
  limitsChanged(): void {
    void this.live.all().then((sessions) => sessions.forEach((session) => session.limitsChanged()));
  }

  /** Ids of the sessions that run now. */
  async running(): Promise<string[]> {
    return (await this.live.all()).flatMap(({ isRunning, sessionId }) => (isRunning ? [sessionId] : []));
  }

  /** Stops all runs, records what they have (at most 2 s), writes what is due and closes the files. */
  async dispose(): Promise<void> {
    this.isClosing = true;
    this.titles.close();
    await this.live.close();
    await this.book.flush();
  }

  private async adopt(log: SessionLog): Promise<SessionSummary> {
    const { sessionId } = log;
    await this.live.adopt(sessionId, () => this.load(log));
    this.book.tell(sessionId);
    return this.book.summary(sessionId);
  }

  private async load(log: SessionLog): Promise<AgentSession> {
    const session = await AgentSession.open(log, this.sessionPorts, (it, activity) => this.onActivity(it, activity));
    const { tree, damage } = log;
    const { size, compactions } = tree;
    // What waits for a file is told once it has one.
    const entryCount = log.mark().seq < 0 ? 0 : size;
    const figures = { entryCount, compactions, damage: [...damage], turn: turnEnd(tree) };
    this.book.setFigures(log.sessionId, { ...figures, parentSession: forkedFrom(log) });
    this.book.setDoing(log.sessionId, session.state, session.question);
    const { sessionId } = log;
    const why = this.reasons.get(sessionId);
    this.reasons.delete(sessionId);
    session.waitForExtensions = () => this.lives.waitFor(sessionId);
    this.lives.begin(session.openDoor(this.doors), why?.reason, why?.previous);
    return session;
  }

  private onActivity(session: AgentSession, activity: SessionActivity): void {
    const { sessionId, log } = session;
    if (this.apart.has(sessionId)) this.settleApart(sessionId).catch(() => undefined);
    // What a run says meanwhile is not how its turn ends.
    if (!session.isInTurn)
      this.book.setFigures(sessionId, { ...this.book.figuresOf(sessionId), turn: turnEnd(log.tree) });
    if (activity.kind === 'state') return this.book.setDoing(sessionId, session.state, session.question);
    if (activity.kind === 'settled') {
      if (activity.reason === 'done') this.titles.nameSoon(session);
      return;
    }
    const { size: entryCount, compactions } = log.tree;
    this.book.setFigures(sessionId, { ...this.book.figuresOf(sessionId), entryCount, compactions });
    const preview = activity.records.reduce<string | null>((last, { entry }) => previewOf(entry) ?? last, null);
    const said = activity.records.find(({ entry }) => previewOf(entry) !== null);
    const isUnnamed = this.book.meta(sessionId)?.title === '' && said !== undefined;
    // A name is no activity: who tidies up old sessions finds them where they were (WN10).
    const isAct = activity.records.some(({ entry }) => entry.type !== 'session_info' && !isTitle(entry));
    this.book.note(sessionId, {
      ...(isAct ? { updatedAt: this.ports.now() } : {}),
      ...(preview === null ? {} : { preview }),
      ...(isUnnamed ? { title: titleFromWords(wordsOfMessage(said.entry, ['user', 'assistant'])) } : {}),
    });
  }

  private onStorage(error: unknown): void {
    const isFull = (error as { problem?: unknown } | null)?.problem === 'full';
    if (error !== null && !isFull) return;
    if (isFull === this.isStorageFull) return;
    this.isStorageFull = isFull;
    const detail = error instanceof Error ? error.message : '';
    this.ports.emit({ type: 'storage_state', state: isFull ? 'full' : 'ok', detail });
  }
}
