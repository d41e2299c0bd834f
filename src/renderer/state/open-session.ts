/** One open session in the window: its stores, its bodies, and what a person can do with it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SessionEntry } from '@shared/session/records/entry';
import type { SessionEvent } from '@shared/session-state/events';
import { reduce } from '@shared/session-state/reduce';
import type { Attachment, StoredLine } from '@shared/types';
import { toAppError, type BulkHandle, type Client } from '../bridge';
import { EntryCache } from './entry-cache';
import { placeOf } from './draft-field';
import type { DraftStore, Message } from './draft-store';
import { createForkLinks, type ForkLinks } from './forks';
import { createGraphStore, type GraphStore } from './graph-store';
import type { LocalStore, WantedEntry } from './local-store';
import { nextTask } from './order';
import { createReadingStore, type ReadingStore } from './reading-path';
import { emptyView, follow, keepsOlder, viewFromSnapshot, type SessionView } from './session-view';
import { NO_SESSION, type LiveSession, type Row, type SessionSnapshot } from '@shared/session-state/state';

/** Bodies asked for in one request: the contract's bound. */
const MAX_IDS = 500;

/** Characters of bodies that are parsed in one task. */
const CHARS_A_TASK = 300_000;
/**
 * Milliseconds that a message waits for its draft to say that it is on its way: main's answer may come from a process that dies, and a
 * draft that says nothing would be offered again beside the message.
 */
const STORED_MS = 500;

/** Older rows wait until they are this part of those that are there. */
const OLDER_SHARE = 8;

export interface OpenSession {
  readonly id: string;
  /** What main shows of the session; `reduce` alone changes it. */
  readonly live: StoreApi<LiveSession>;
  /** What only the window knows of it. */
  readonly view: StoreApi<SessionView>;
  readonly draft: DraftStore;
  readonly graph: GraphStore;
  readonly forks: ForkLinks;
  /** The path that is read beside HEAD's, if one is. */
  readonly reading: ReadingStore;
  /** Reads main's state. Failures end up in the view, never thrown. */
  refresh(): Promise<void>;
  /** The same after the session's file was replaced: what was known of it holds no more. */
  reload(): Promise<void>;
  /** Applies an event, unless the state holds what it says. After a gap the state is read again. */
  apply(event: SessionEvent): void;
  /** A body if it is in memory; ask for it with `loadEntries`. */
  entry(id: string): SessionEntry | undefined;
  /** Brings bodies into memory: the window's database first, then main. Resolves once they have come, for whomever they were asked for. */
  loadEntries(ids: readonly string[]): Promise<void>;
  /** Streams in every older row of the path, newest chunk first. */
  loadOlder(): Promise<void>;
  /**
   * Hands the draft to main. The composer is free at once; until main has the message it is in `view.pending`, and if
   * main refuses it, it returns to the draft with the reason. Resolves with whether it was accepted. A command (`isCommand`) is not shown
   * meanwhile: what it makes of the text may be another one, or nothing.
   */
  submit(mode: 'steer' | 'followUp', isCommand?: boolean): Promise<boolean>;
  /** The same for a text that never was a draft, such as a suggested prompt. */
  send(text: string, attachments: Attachment[], mode: 'steer' | 'followUp'): Promise<boolean>;
  /** Writes at once what is remembered of it and not written yet. */
  flush(): void;
  close(): void;
}

interface Deps {
  client: Client;
  local: LocalStore;
  newId: () => string;
  draft: DraftStore;
  /** Keeps back what else is asked about the session until that is over; resolves when it is its turn (`order.ts`). */
  hold?: (until: Promise<unknown>) => Promise<unknown>;
}

/** Makes the stores of a session; nothing is loaded until `refresh`. */
export function createOpenSession(
  id: string,
  { client, local, newId, draft, hold = (until) => until }: Deps,
): OpenSession {
  const view = createStore<SessionView>(() => emptyView());
  const live = createStore<LiveSession>(() => NO_SESSION);
  const cache = new EntryCache();
  /** Bodies that are on their way, and with what. */
  const asked = new Map<string, Promise<void>>();
  let older: BulkHandle | null = null;
  let wantsOlder = false;
  /** Number of the last event that the state holds; null: there is no state. */
  let n: number | null = null;
  let reads = 0;
  /** The state that is read next is of another file. */
  let isOtherFile = false;
  /** How many files it has had: a body that was asked for of an earlier one is none of this one's. */
  let files = 0;
  /** What came while the state was on its way: main's answers and its events take different ways. */
  let early: SessionEvent[] | null = null;
  const entry = (entryId: string): SessionEntry | undefined => cache.get(entryId);
  const graph = createGraphStore({ id, client, local, live });
  const forks = createForkLinks(id, graph);
  const reading = createReadingStore({
    ...{ sessionId: id, client },
    take: (lines) => (cache.put(lines), bodiesArrived()),
    onProblem: (problem) => view.setState({ problem }),
  });
  reading.state.subscribe(({ path, opening }, before) => {
    if (opening !== null || (before.opening === null && path?.entryId === before.path?.entryId)) return;
    graph.showRead(path?.entryId ?? null);
  });
  let closed = false;
  const places = createPlaces();

  const bodiesArrived = (): void => view.setState((state) => ({ entriesVersion: state.entriesVersion + 1 }));

  function reload(): Promise<void> {
    cache.clear();
    asked.clear();
    reading.leave();
    files += 1;
    isOtherFile = true;
    return refresh();
  }

  async function refresh(): Promise<void> {
    const mine = ++reads;
    early = [];
    try {
      const snapshot = await client.request('session.open', { sessionId: id });
      if (closed || mine !== reads) return;
      take(snapshot);
      const waiting = early;
      early = null;
      waiting.forEach(accept);
      // Not before: what waits in the queue may have come meanwhile.
      void draft.settle(findSaved);
    } catch (cause) {
      if (closed || mine !== reads) return;
      early = null;
      view.setState((state) => ({
        status: state.rows.length ? state.status : 'failed',
        problem: toAppError(cause).message,
      }));
    }
  }

  function take({ lines, n: last, ...state }: SessionSnapshot): void {
    const isFirst = n === null;
    n = last;
    cache.put(lines);
    live.setState(state, true);
    if (!isFirst) reading.moved(state.leafId);
    dropOlder();
    view.setState((before) => viewFromSnapshot(before, state), true);
    if (wantsOlder) void loadOlder();
    if (isOtherFile) void graph.reload();
    else if (!isFirst) void graph.refresh();
    isOtherFile = false;
  }

  /** Those that wait in the queue or are entries, also of another branch. */
  async function findSaved(itemIds: readonly string[]): Promise<Set<string>> {
    const saved = new Set(live.getState().queue.map((item) => item.id));
    for (const itemId of itemIds) {
      const { lines } = await client.request('session.entries', { sessionId: id, ids: [itemId] });
      // A damaged one comes without its id.
      if (lines.length > 0) saved.add(itemId);
    }
    return saved;
  }

  function accept(event: SessionEvent): void {
    if (closed) return;
    early?.push(event);
    if (n === null || (Number.isSafeInteger(event.n) && event.n <= n)) return;
    if (!Number.isSafeInteger(event.n) || event.n - (event.over ?? 1) !== n) {
      // Some were lost, or main keeps the session anew, or it can't be told.
      if (!early) void refresh();
      return;
    }
    n = event.n;
    if (event.type === 'entry_appended') cache.put([event.line]);
    graph.apply(event);
    live.setState((state) => reduce(state, event), true);
    const isOther = 'path' in event && event.path && !keepsOlder(view.getState(), event.path);
    view.setState((state) => follow(state, event), true);
    if ('path' in event && event.path) reading.moved(event.path.leafId);
    else if (event.type === 'job_end' && event.compaction?.path) reading.moved(event.compaction.path.leafId);
    // Another branch has older rows of its own.
    if (!isOther) return;
    dropOlder();
    if (wantsOlder) void loadOlder();
  }

  function dropOlder(): void {
    older?.cancel();
    older = null;
    view.setState({ loadingOlder: false });
  }

  async function loadEntries(ids: readonly string[]): Promise<void> {
    const missing = ids.filter((entryId) => !cache.has(entryId));
    const wanted = missing.filter((entryId) => !asked.has(entryId)).slice(0, MAX_IDS);
    if (wanted.length > 0) {
      const load = bring(wanted).finally(() => {
        for (const entryId of wanted) if (asked.get(entryId) === load) asked.delete(entryId);
      });
      for (const entryId of wanted) asked.set(entryId, load);
    }
    // Who asks for what is on its way for another has it too once this resolves.
    await Promise.all(missing.flatMap((entryId) => asked.get(entryId) ?? []));
  }

  async function bring(wanted: readonly string[]): Promise<void> {
    const isOver = inThisFile();
    try {
      const known = places(view.getState().rows, wanted, reading.state.getState().path?.rows);
      await put(await local.loadEntries(id, known).catch(() => []), isOver);
      let missing = wanted.filter((entryId) => !cache.has(entryId));
      while (missing.length > 0 && !isOver()) {
        const { lines } = await client.request('session.entries', { sessionId: id, ids: missing });
        // What came was read in this task already, and one body can be megabytes.
        await nextTask();
        await put(lines, isOver);
        // An answer holds some of them; a damaged one comes without its id.
        const came = new Set(lines.map(({ seq }) => seq));
        const seqs = new Map(known.map((place) => [place.id, place.seq]));
        const left = missing.filter((entryId) => !cache.has(entryId) && !came.has(seqs.get(entryId) ?? -1));
        if (lines.length === 0 || left.length === missing.length) break;
        missing = left;
      }
      if (!closed) bodiesArrived();
    } catch (cause) {
      view.setState({ problem: toAppError(cause).message });
    }
  }

  /** Whether what is under way was begun for a window or a file that is gone. */
  function inThisFile(): () => boolean {
    const mine = files;
    return () => closed || mine !== files;
  }

  /** Parses in several tasks what one could not within a frame. */
  async function put(lines: readonly StoredLine[], isOver: () => boolean): Promise<void> {
    let parsed = 0;
    for (const line of lines) {
      if (parsed > CHARS_A_TASK) {
        bodiesArrived();
        await nextTask();
        parsed = 0;
      }
      if (isOver()) return;
      cache.put([line]);
      parsed += line.line.length;
    }
  }

  async function loadOlder(): Promise<void> {
    wantsOlder = true;
    const { rowsBefore, loadingOlder, status } = view.getState();
    if (status !== 'ready' || loadingOlder || rowsBefore === 0) return;
    view.setState({ loadingOlder: true });
    let came: Row[][] = [];
    let waiting = 0;
    const add = (): void => {
      prepend(came.reverse().flat());
      came = [];
      waiting = 0;
    };
    const handle = client.bulk('session.rows', { sessionId: id, before: rowsBefore }, ({ rows }) => {
      if (older !== handle) return;
      came.push(rows);
      waiting += rows.length;
      // All rows are gone through each time that some come: a share of them at once, or that would be quadratic.
      if (waiting >= view.getState().rows.length / OLDER_SHARE) add();
    });
    older = handle;
    try {
      await handle.done;
    } catch (cause) {
      if (older === handle && !closed) view.setState({ problem: toAppError(cause).message });
    } finally {
      if (older === handle) {
        add();
        older = null;
        view.setState({ loadingOlder: false });
      }
    }
  }

  function prepend(rows: Row[]): void {
    if (closed || rows.length === 0) return;
    view.setState((state) => ({
      rows: [...rows, ...state.rows],
      rowsBefore: Math.max(0, state.rowsBefore - rows.length),
    }));
  }

  async function send(text: string, attachments: Attachment[], mode: 'steer' | 'followUp'): Promise<boolean> {
    const message = { itemId: newId(), text, attachments: attachments.map((item) => ({ ...item, id: newId() })) };
    showPending(message);
    return hand(message, mode);
  }

  function showPending({ itemId, text, attachments }: Message): void {
    view.setState((state) => ({ pending: [...state.pending, { itemId, text, attachments: attachments.map(bare) }] }));
  }

  async function hand(message: Message, mode: 'steer' | 'followUp', isCommand = false): Promise<boolean> {
    const { itemId, text, branch } = message;
    const attachments = message.attachments.map(bare);
    const place = branch ? placeOf(branch) : {};
    const arrived = (): void =>
      view.setState((state) => ({ pending: state.pending.filter((prompt) => prompt.itemId !== itemId) }));
    try {
      const command = isCommand ? { command: true as const } : {};
      const params = { sessionId: id, itemId, text, attachments, mode, ...command, ...place };
      const { queued } = await client.request('session.prompt', params);
      // A queued message is in the queue's list from now on; one that starts a run stays until its entry arrives.
      if (queued) arrived();
      draft.arrived(message);
      return true;
    } catch (cause) {
      arrived();
      draft.giveBack(message, toAppError(cause).message);
      if (branch) void takeBack(itemId);
      return false;
    }
  }

  /** A branch that could not be begun waits in main's queue until the draft that has its text is on the disk (BR4). */
  async function takeBack(itemId: string): Promise<void> {
    await draft.flush();
    await client.request('queue.remove', { sessionId: id, itemId }).catch(() => undefined);
  }

  return {
    id,
    view,
    live,
    refresh,
    reload,
    entry,
    loadEntries,
    loadOlder,
    draft,
    graph,
    forks,
    reading,
    submit: async (mode, isCommand) => {
      const message = draft.take(newId());
      if (!isCommand) showPending(message);
      await hold(Promise.race([draft.flush(), delay(STORED_MS)]));
      return hand(message, mode, isCommand);
    },
    send,
    apply: accept,
    flush: () => graph.memory.flush(),
    close() {
      closed = true;
      graph.close();
      reading.close();
      older?.cancel();
      cache.clear();
    },
  };
}

function bare({ kind, name, mimeType, data }: Attachment): Attachment {
  return { kind, name, mimeType, data };
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The places of rows in the session file. One pass over a path for each state of it, however often it is asked. */
function createPlaces(): (rows: readonly Row[], ids: readonly string[], read?: readonly Row[]) => WantedEntry[] {
  const seqsOf = (rows: readonly Row[]) => new Map(rows.map(({ id, seq }) => [id, seq]));
  let known: { rows: readonly Row[]; seqs: Map<string, number> }[] = [];
  return (rows, ids, read) => {
    const wanted = read ? [rows, read] : [rows];
    known = wanted.map((path) => known.find((one) => one.rows === path) ?? { rows: path, seqs: seqsOf(path) });
    return ids.flatMap((id) => {
      const seq = known.find(({ seqs }) => seqs.has(id))?.seqs.get(id);
      return seq === undefined ? [] : [{ id, seq }];
    });
  };
}
