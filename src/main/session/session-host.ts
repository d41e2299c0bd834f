import os from 'node:os';
import path from 'node:path';
import type { CompactPreview } from '@shared/compaction/preview';
import type { ModelRef, SessionSummary, StoredLine, UndoPreview } from '@shared/ipc/types';
import type { FoundEntry, MadeSession } from '@shared/ipc/tree-types';
import { nameDraft, referenceDraft } from '@shared/session/drafts';
import type { PromptPlace } from '../agent/system-prompt';
import type { SessionLog, SessionStore } from '../ports';
import { AgentSession, type CompactParams, type PromptParams, type SessionActivity } from './agent-session';
import type { Branches } from './branches';
import { firstExchange, makeTitle } from './auto-title';
import { contextChunks } from './context-view';
import { describeEntry } from './find-entry';
import { forkSession, type Forked } from './fork-session';
import { searchEntries } from './search-entries';
import { previewOf, titleFromWords } from './preview';
import { graphRows } from './rows';
import { firstOfThem } from './session-keeper';
import type { SessionPorts } from './session-ports';
import { SessionRefusal } from './session-refusal';
import { SummaryBook } from './summary-book';
import type { ApprovalChange } from '@shared/session-state/events';
import type { Row, SessionSnapshot } from '@shared/session-state/state';

/** Open sessions that rest are let go of beyond this number: their trees are the memory of the app. */
const MAX_RESTING = 8;
/** How long a fork or a handoff waits for a title that is being written. */
const TITLE_WAIT_MS = 1500;
/** Entries that are read before it is looked at how long they are. */
const READ_TOGETHER = 16;

export interface HostPorts extends Omit<SessionPorts, 'workspaceOf' | 'promptPlace' | 'queueFile' | 'onStorage'> {
  store: SessionStore;
  /** Folder of the journals; the queue's sidecars stand beside them. */
  sessionsDir: string;
  /** A session whose file was replaced under it is closed: its own lines, beside that file, may become a session. */
  onApart?: (sessionId: string) => Promise<unknown>;
  /** Workspace of sessions that have none. */
  scratchDir: string;
}

/** A session that nobody may open. */
interface Away {
  /** It is stopped and its file is closed. */
  closed: Promise<void>;
  /** How many are at work on its files. */
  works: number;
  over: Promise<void>;
  end: () => void;
}

/**
 * All sessions (AG1): opens them when asked, runs several at once, keeps the list. A session is loaded while it runs
 * or was used lately; every method takes an id and loads it if need be.
 */
export class SessionHost {
  private readonly live = new Map<string, Promise<AgentSession>>();
  private readonly book: SummaryBook;
  private readonly sessionPorts: SessionPorts;
  /** Sessions that are being let go of, or whose files are brought in order. */
  private readonly away = new Map<string, Away>();
  /** Titles that are being asked for. */
  private readonly naming = new Map<string, { controller: AbortController; done: Promise<void> }>();
  /** Sessions that go on beside a file that took the place of theirs, until nothing is under way in them. */
  private readonly apart = new Set<string>();
  private isStorageFull = false;
  private isClosing = false;

  constructor(private readonly ports: HostPorts) {
    this.book = new SummaryBook(ports.store, ports.emit);
    this.sessionPorts = {
      ...ports,
      workspaceOf: (id) => this.workspaceOf(id),
      promptPlace,
      queueFile: (id) => path.join(ports.sessionsDir, `${id}.queue.json`),
      onStorage: (error) => this.onStorage(error),
    };
  }

  /** All sessions, newest first. Reads only sidecars and indexes. */
  list(): Promise<SessionSummary[]> {
    return this.book.list();
  }

  async create(options: { workspace?: string }): Promise<SessionSummary> {
    const { models, store, scratchDir } = this.ports;
    const { provider } = models.initialModel();
    const demo = models.providers().some(({ id, kind }) => id === provider && kind === 'demo');
    const log = await store.create({ workspace: options.workspace || scratchDir, demo });
    return this.adopt(log);
  }

  async importFile(file: string): Promise<SessionSummary> {
    return this.adopt(await this.ports.store.importFile(file));
  }

  async open(sessionId: string): Promise<SessionSnapshot> {
    return (await this.get(sessionId)).snapshot();
  }

  async prompt(sessionId: string, params: PromptParams): Promise<{ queued: boolean; itemId: string }> {
    return (await this.get(sessionId)).prompt(params);
  }

  async stop(sessionId: string): Promise<void> {
    await (await this.get(sessionId)).stop();
  }

  async retry(sessionId: string): Promise<void> {
    await (await this.get(sessionId)).retry();
  }

  async skipRetryWait(sessionId: string): Promise<void> {
    (await this.get(sessionId)).skipRetryWait();
  }

  async compact(sessionId: string, how: CompactParams): Promise<void> {
    await (await this.get(sessionId)).compact(how);
  }

  async compactPreview(sessionId: string): Promise<CompactPreview> {
    const session = await this.get(sessionId);
    return reading(session.log, () => session.compactPreview());
  }

  async answerReview(sessionId: string, text: string | null): Promise<void> {
    (await this.get(sessionId)).answerReview(text);
  }

  async cancelCompaction(sessionId: string): Promise<void> {
    (await this.get(sessionId)).cancelCompaction();
  }

  async undoPreview(sessionId: string, entryId: string): Promise<UndoPreview> {
    return (await this.get(sessionId)).undoPreview(entryId);
  }

  async undoCompaction(sessionId: string, entryId: string): Promise<void> {
    await (await this.get(sessionId)).rewriter.undo(entryId);
  }

  async redoCompaction(sessionId: string, entryId: string): Promise<void> {
    await (await this.get(sessionId)).rewriter.redo(entryId);
  }

  async compactAgain(sessionId: string, entryId: string, instructions?: string, model?: ModelRef): Promise<void> {
    await (await this.get(sessionId)).compactAgain(entryId, instructions, model);
  }

  async editSummary(sessionId: string, entryId: string, summary: string): Promise<void> {
    await (await this.get(sessionId)).rewriter.editSummary(entryId, summary);
  }

  async restorePruned(sessionId: string, entryId: string): Promise<void> {
    await (await this.get(sessionId)).rewriter.restorePruned(entryId);
  }

  /** What a person does with a session's branches. */
  async branches(sessionId: string): Promise<Branches> {
    return (await this.get(sessionId)).branches;
  }

  async dismissFailure(sessionId: string, of?: 'run' | 'summary'): Promise<void> {
    (await this.get(sessionId)).dismissFailure(of);
  }

  async sendQueued(sessionId: string): Promise<void> {
    await (await this.get(sessionId)).sendQueued();
  }

  async removeQueued(sessionId: string, itemId: string): Promise<void> {
    await (await this.get(sessionId)).removeQueued(itemId);
  }

  async setModel(sessionId: string, ref: ModelRef): Promise<void> {
    await (await this.get(sessionId)).setModel(ref);
  }

  async setThinking(sessionId: string, level: string): Promise<void> {
    await (await this.get(sessionId)).setThinking(level);
  }

  /** Exact lines of the given entries, as many of the first ones as one answer holds; unknown ids are left out. */
  async entries(sessionId: string, ids: readonly string[]): Promise<StoredLine[]> {
    const { log } = await this.get(sessionId);
    const lines: StoredLine[] = [];
    for (let at = 0; at < ids.length; at += READ_TOGETHER) {
      lines.push(...(await log.linesOf(ids.slice(at, at + READ_TOGETHER))));
      const answer = firstOfThem(lines);
      if (answer.length < lines.length) return answer;
    }
    return lines;
  }

  /** Rows of the path before index `before`, newest chunk first. */
  async rows(sessionId: string, before: number): Promise<Iterable<Row[]>> {
    return (await this.get(sessionId)).rows(before);
  }

  /** Rows of all branches from a line of the file on, for the branch graph. */
  async graph(sessionId: string, fromSeq: number): Promise<Iterable<Row[]>> {
    return graphRows((await this.get(sessionId)).log.tree, fromSeq);
  }

  /** Entries of any branch whose text holds the words, newest first. */
  async search(sessionId: string, query: string): Promise<{ entryIds: string[]; isPartial: boolean }> {
    const { log } = await this.get(sessionId);
    return reading(log, () => searchEntries(log, query, this.ports.now));
  }

  /** A new session of the path to an entry (HF3), in the list at once. Never blocked by what runs. */
  async fork(sessionId: string, entryId?: string): Promise<MadeSession> {
    const { log } = await this.get(sessionId);
    const { demo } = this.book.summary(sessionId);
    const { extensions, store } = this.ports;
    const { signal } = new AbortController();
    const answer = await extensions.ask('session_before_fork', { entryId: entryId ?? log.tree.leafId }, signal);
    if (answer?.cancels)
      throw new SessionRefusal('An extension does not want this session forked. Nothing was changed.');
    const options = { workspace: this.workspaceOf(sessionId), title: await this.titleOf(sessionId), demo };
    const { log: made, editor } = await reading(log, () => forkSession(store, log, entryId, options));
    const summary = await this.adopt(made);
    await extensions.tell('session_fork', { previousSessionFile: sessionId }, signal);
    return madeOf(summary, editor);
  }

  /** A new session whose first message is drafted from this one (HF1); null if it was cancelled. The source stays as it is. */
  async handoff(sessionId: string, goal: string, model?: ModelRef): Promise<MadeSession | null> {
    const session = await this.get(sessionId);
    const draft = await session.branches.draftHandoff(goal, model);
    if (draft === null) return null;
    const title = await this.titleOf(sessionId);
    const { demo } = this.book.summary(sessionId);
    const options = { workspace: this.workspaceOf(sessionId), parentSession: sessionId, demo };
    const log = await this.ports.store.create(options);
    await log.append([...session.choiceDrafts(), referenceDraft(sessionId, title)]);
    return madeOf(await this.adopt(log), { text: draft, attachments: [] });
  }

  /** Where an entry is that a reference names: in this session, else in another; null if nowhere. */
  async findEntry(sessionId: string, entryId: string): Promise<FoundEntry | null> {
    const { log } = await this.get(sessionId);
    const here = await describeEntry(log, entryId, this.book.summary(sessionId).title);
    if (here) return here;
    const other = await this.ports.store.findEntry(entryId, [sessionId]);
    if (other === null) return null;
    const { log: found } = await this.get(other);
    return reading(found, () => describeEntry(found, entryId, this.book.summary(other).title));
  }

  /** What the model saw at an entry, or sees now (contract `session.context`). */
  async *context(sessionId: string, entryId: string | null): ReturnType<typeof contextChunks> {
    const { log, model } = await this.get(sessionId);
    // Read as fast as the window takes it: the session may be let go of long before the end.
    const giveBack = log.lease();
    try {
      yield* contextChunks(log, entryId, model);
    } finally {
      await giveBack();
    }
  }

  /** A name given by the person; empty goes back to an automatic one. */
  async rename(sessionId: string, title: string): Promise<void> {
    const { log } = await this.get(sessionId);
    const name = title.replace(/\s+/g, ' ').trim();
    if (log.tree.leafId !== null) await log.append([nameDraft(name)]);
    if (name !== '') return this.book.set(sessionId, { title: name, titleSource: 'person' });
    const { question } = await firstExchange(log);
    await this.book.set(sessionId, { title: titleFromWords(question), titleSource: 'none' });
  }

  async setPinned(sessionId: string, pinned: boolean): Promise<void> {
    await this.book.set(sessionId, { pinned });
  }

  async setArchived(sessionId: string, archived: boolean): Promise<void> {
    await this.book.set(sessionId, { archived });
  }

  async setWorkspace(sessionId: string, workspace: string): Promise<void> {
    await this.book.set(sessionId, { workspace, suggestion: undefined });
  }

  /** Stops the session and moves its files to the trash (30 days). */
  async remove(sessionId: string): Promise<void> {
    // Who asks for it meanwhile waits, and finds it gone.
    const mark = await this.whileAway(sessionId, () => this.ports.store.trash(sessionId));
    this.book.forget(sessionId);
    this.ports.emit({ type: 'session_removed', sessionId, mark });
  }

  async restore(sessionId: string): Promise<SessionSummary> {
    const { store, emit } = this.ports;
    const log = await store.restore(sessionId).catch(async (error: unknown) => {
      // Back, and as damaged as it was: what lies beside it may be the session.
      if (!(await this.list()).some(({ id }) => id === sessionId)) throw error;
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
    const session = this.away.has(sessionId) ? null : await this.live.get(sessionId)?.catch(() => null);
    await session?.comeToRest();
    return this.whileAway(sessionId, work);
  }

  /** After the journal of a session was written anew from the database. `from`: the session that it was set apart from. */
  async reload(log: SessionLog, from?: string): Promise<SessionSummary> {
    const { sessionId } = log;
    // Let go of, it is opened on the new file by who asks for it next.
    if (!this.away.has(sessionId)) await this.takeAnew(log);
    this.book.tell(sessionId);
    // What was said last in that one may be in this one now; else the window may still show what was there.
    if (from !== undefined) this.book.tell(from);
    else this.ports.emit({ type: 'session_reloaded', sessionId });
    return this.book.summary(sessionId);
  }

  private async takeAnew(log: SessionLog): Promise<void> {
    const { sessionId } = log;
    const loading = this.live.get(sessionId);
    const known = loading ? await loading.catch(() => null) : null;
    // Asked for meanwhile, it was opened on the new file already, and may be in use.
    if (known?.log === log) return;
    if (this.live.get(sessionId) !== loading) await this.get(sessionId);
    else
      await this.adopt(
        log,
        known?.dispose().catch(() => undefined),
      );
  }

  /** The file of a session was replaced under it (docs/specs/safety.md, E2). What runs goes on; then both are brought in order. */
  wentApart(sessionId: string): void {
    this.apart.add(sessionId);
    this.settleApart(sessionId).catch(() => undefined);
  }

  private async settleApart(sessionId: string): Promise<void> {
    // Not from inside the append that found it.
    await new Promise((resolve) => setImmediate(resolve));
    const session = await this.live.get(sessionId)?.catch(() => null);
    // Asked again when it comes to rest; at the next start at the latest.
    if (!this.apart.has(sessionId) || this.isClosing || (session && !session.isQuiet)) return;
    this.apart.delete(sessionId);
    // Who asks for it meanwhile waits until it is settled: a log that is opened in between would be closed under its session.
    await this.whileAway(sessionId, async () => this.ports.onApart?.(sessionId));
    // The list tells of what is in the file now.
    await this.get(sessionId);
    this.book.tell(sessionId);
  }

  summary(sessionId: string): SessionSummary {
    return this.book.summary(sessionId);
  }

  workspaceOf(sessionId: string): string {
    return this.book.meta(sessionId)?.workspace || this.ports.scratchDir;
  }

  /** Where an imported session says that it was made, until the person has chosen a folder for it. */
  suggestedWorkspace(sessionId: string): string | null {
    return this.book.meta(sessionId)?.suggestion ?? null;
  }

  /** An approval of this session was asked or answered. */
  tellApproval(sessionId: string, change: ApprovalChange): void {
    void this.live
      .get(sessionId)
      ?.then((session) => session.tellApproval(change))
      .catch(() => undefined);
  }

  /** The meters of the loaded sessions follow the settings, and what is known of their models, at once. */
  limitsChanged(): void {
    for (const loading of this.live.values()) {
      void loading.then((session) => session.limitsChanged()).catch(() => undefined);
    }
  }

  /** Ids of the sessions that run now. */
  async running(): Promise<string[]> {
    const sessions = await Promise.all([...this.live.values()].map((session) => session.catch(() => null)));
    return sessions.flatMap((session) => (session?.isRunning ? [session.sessionId] : []));
  }

  /** Stops all runs, records what they have (at most 2 s), writes what is due and closes the files. */
  async dispose(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.live.keys()].map((id) => this.unload(id)));
    await this.book.flush();
  }

  /** @param before what it waits for; who asks for the session meanwhile waits with it, instead of opening another */
  private async adopt(log: SessionLog, before = Promise.resolve()): Promise<SessionSummary> {
    const { sessionId } = log;
    this.live.set(
      sessionId,
      before.then(() => this.load(log)),
    );
    await this.get(sessionId);
    this.book.tell(sessionId);
    return this.book.summary(sessionId);
  }

  private get(sessionId: string): Promise<AgentSession> {
    const known = this.live.get(sessionId) ?? this.openAgain(sessionId);
    // Moved to the end: the first in the map are those used longest ago.
    this.live.delete(sessionId);
    this.live.set(sessionId, known);
    known.catch(() => {
      if (this.live.get(sessionId) === known) this.live.delete(sessionId);
    });
    void this.unloadResting();
    return known;
  }

  private async openAgain(sessionId: string): Promise<AgentSession> {
    // Once: who lets go of it next waits for this session, to close it.
    await this.away.get(sessionId)?.over;
    return this.load(await this.ports.store.open(sessionId));
  }

  private async load(log: SessionLog): Promise<AgentSession> {
    const session = await AgentSession.open(log, this.sessionPorts, (it, activity) => this.onActivity(it, activity));
    const { tree, damage } = log;
    const { size: entryCount, compactions } = tree;
    this.book.setFigures(log.sessionId, { entryCount, compactions, damage: [...damage] });
    this.book.setState(log.sessionId, session.state);
    return session;
  }

  /** Resolves when the session is stopped and its file closed; who asks for it meanwhile gets a fresh one afterwards. */
  private async unload(sessionId: string): Promise<void> {
    if (this.live.has(sessionId) || this.away.has(sessionId)) await this.whileAway(sessionId, () => Promise.resolve());
  }

  /** Unloads a session and does `work`; who asks for it waits until all such work is done. Such work may do more of it. */
  private async whileAway<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const away = this.away.get(sessionId) ?? this.beginAway(sessionId);
    away.works += 1;
    try {
      await away.closed;
      return await work();
    } finally {
      away.works -= 1;
      if (away.works === 0) {
        this.away.delete(sessionId);
        away.end();
      }
    }
  }

  private beginAway(sessionId: string): Away {
    const loading = this.live.get(sessionId);
    this.live.delete(sessionId);
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const away = { closed: loading ? this.close(sessionId, loading) : Promise.resolve(), works: 0, over, end };
    this.away.set(sessionId, away);
    return away;
  }

  private async close(sessionId: string, loading: Promise<AgentSession>): Promise<void> {
    const session = await loading.catch(() => null);
    this.naming.get(sessionId)?.controller.abort();
    await session?.dispose();
    await this.book.save(sessionId).catch(() => undefined);
    await session?.log.close();
  }

  private async unloadResting(): Promise<void> {
    const oldest = [...this.live].slice(0, Math.max(0, this.live.size - MAX_RESTING));
    for (const [sessionId, loading] of oldest) {
      const session = await loading.catch(() => null);
      if (!session?.canRest || this.naming.has(sessionId) || this.live.get(sessionId) !== loading) continue;
      await this.unload(sessionId).catch(() => undefined);
    }
  }

  private onActivity(session: AgentSession, activity: SessionActivity): void {
    const { sessionId, log } = session;
    if (this.apart.has(sessionId)) this.settleApart(sessionId).catch(() => undefined);
    if (activity.kind === 'state') return this.book.setState(sessionId, session.state);
    if (activity.kind === 'settled') {
      if (activity.reason === 'done') this.nameSoon(session);
      return;
    }
    const { size: entryCount, compactions } = log.tree;
    this.book.setFigures(sessionId, { ...this.book.figuresOf(sessionId), entryCount, compactions });
    const preview = activity.records.reduce<string | null>((last, { entry }) => previewOf(entry) ?? last, null);
    const words = activity.records.map(({ entry }) => previewOf(entry)).find((text) => text !== null);
    const isUnnamed = this.book.meta(sessionId)?.title === '' && words !== undefined && words !== null;
    this.book.note(sessionId, {
      updatedAt: this.ports.now(),
      ...(preview === null ? {} : { preview }),
      ...(isUnnamed ? { title: titleFromWords(words) } : {}),
    });
  }

  /** An automatic title after the first exchange (SF25); a person's name is never overwritten. */
  private nameSoon(session: AgentSession): void {
    const { sessionId } = session;
    const { models, transport } = this.ports;
    if (this.isClosing || this.naming.has(sessionId) || this.book.meta(sessionId)?.titleSource !== 'none') return;
    const controller = new AbortController();
    const done = makeTitle(session.log, session.model, { models, transport, signal: controller.signal })
      .then(async (title) => {
        if (title === null || controller.signal.aborted || this.book.meta(sessionId)?.titleSource !== 'none') return;
        await this.book.set(sessionId, { title, titleSource: 'auto' });
      })
      // A title is no reason to bother anybody: the provisional one stays (SF25).
      .catch(() => undefined)
      .finally(() => this.naming.delete(sessionId));
    this.naming.set(sessionId, { controller, done });
  }

  /** The title that another session is to carry on: one that is just being written is waited for, though not for long. */
  private async titleOf(sessionId: string): Promise<string> {
    const { done } = this.naming.get(sessionId) ?? {};
    if (done) await Promise.race([done, new Promise((resolve) => setTimeout(resolve, TITLE_WAIT_MS).unref())]);
    return this.book.summary(sessionId).title;
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

/** Work that reads a log in several steps: the session may be let go of between two of them. */
async function reading<T>(log: SessionLog, work: () => Promise<T>): Promise<T> {
  const giveBack = log.lease();
  try {
    return await work();
  } finally {
    await giveBack();
  }
}

function madeOf(summary: SessionSummary, { text, attachments }: Forked['editor']): MadeSession {
  return { summary, editorText: text, ...(attachments.length > 0 ? { editorAttachments: attachments } : {}) };
}

/** Where a run takes place, for the system prompt. The date is the local one. */
function promptPlace(workspaceDir: string): PromptPlace {
  const now = new Date();
  const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  return { workspaceDir, platform: `${os.type()} ${os.release()} (${os.arch()})`, shell: 'bash', date };
}
