/** One open session in the window: its stores, its bodies, and what a person can do with it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SessionEntry } from '@shared/session/entry';
import type { AppEvent } from '@shared/ipc/contract';
import type { Attachment, PathRow, SessionSnapshot, StoredLine } from '@shared/ipc/types';
import { toAppError, type BulkHandle, type Client } from '../bridge';
import { EntryCache } from './entry-cache';
import { createEventOrder } from './event-order';
import { createDraftStore, type DraftStore } from './draft-store';
import { createGraphStore, type GraphStore } from './graph-store';
import type { Draft, LocalStore, WantedEntry } from './local-store';
import { applyToLive, applyToView, emptyView, viewFromSnapshot, type LiveView, type SessionView } from './session-view';

/** Bodies asked for in one request: the contract's bound. */
const MAX_IDS = 500;

/** Characters of bodies that are parsed in one task. */
const CHARS_A_TASK = 300_000;

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

export interface OpenSession {
  readonly id: string;
  readonly view: StoreApi<SessionView>;
  readonly live: StoreApi<LiveView>;
  readonly draft: DraftStore;
  readonly graph: GraphStore;
  /** Reads main's snapshot anew. Failures end up in the view, never thrown. */
  refresh(): Promise<void>;
  /** Applies an event of the batch with this number, unless the snapshot holds what it says. */
  apply(event: AppEvent, batch: number): void;
  /** A body if it is in memory; ask for it with `loadEntries`. */
  entry(id: string): SessionEntry | undefined;
  /** Brings bodies into memory: the window's database first, then main. */
  loadEntries(ids: readonly string[]): Promise<void>;
  /** Streams in every older row of the path, newest chunk first. */
  loadOlder(): Promise<void>;
  /**
   * Hands the draft to main. The composer is free at once; until main has the message it is in `view.pending`, and if
   * main refuses it, it returns to the draft with the reason. Resolves with whether it was accepted.
   */
  submit(mode: 'steer' | 'followUp'): Promise<boolean>;
  /** The same for a text that never was a draft, such as a suggested prompt. */
  send(text: string, attachments: Attachment[], mode: 'steer' | 'followUp'): Promise<boolean>;
  /** Writes at once what is remembered of it and not written yet. */
  flush(): void;
  close(): void;
}

interface Deps {
  client: Client;
  local: LocalStore;
  now: () => number;
  newId: () => string;
}

/** Makes the stores of a session; nothing is loaded until `refresh`. */
export function createOpenSession(id: string, { client, local, now, newId }: Deps): OpenSession {
  const view = createStore<SessionView>(() => emptyView());
  const live = createStore<LiveView>(() => ({ reply: null, tools: [], summary: '', treeSummary: '' }));
  const draft = createDraftStore(id, local);
  const cache = new EntryCache();
  const asked = new Set<string>();
  let older: BulkHandle | null = null;
  let wantsOlder = false;
  const order = createEventOrder(applyInOrder);
  const entry = (entryId: string): SessionEntry | undefined => cache.get(entryId);
  const graph = createGraphStore({ id, client, local, view, entry, loadEntries });
  let closed = false;
  const places = createPlaces();

  const bodiesArrived = (): void => view.setState((state) => ({ entriesVersion: state.entriesVersion + 1 }));

  async function refresh(): Promise<void> {
    try {
      await order.read(() => client.request('session.open', { sessionId: id }), take);
    } catch (cause) {
      if (closed) return;
      view.setState((state) => ({
        status: state.rows.length ? state.status : 'failed',
        problem: toAppError(cause).message,
      }));
    }
  }

  function take(snapshot: SessionSnapshot): void {
    if (closed) return;
    older?.cancel();
    cache.put(snapshot.lines);
    const { live: reply, tools, compaction, treeSummary } = snapshot;
    live.setState({ reply, tools, summary: compaction?.text ?? '', treeSummary: treeSummary?.text ?? '' }, true);
    view.setState((state) => ({ ...viewFromSnapshot(state, snapshot), loadingOlder: false }), true);
    // Another branch brings rows of its own.
    if (wantsOlder) void loadOlder();
  }

  function applyInOrder(event: AppEvent): void {
    if (closed || (!('sessionId' in event) && event.type !== 'approval_requested')) return;
    if (event.type === 'entry_appended') cache.put([event.line]);
    graph.apply(event);
    // Also where the leaf is known already: a summary that was stored on another branch came as an entry before.
    if (event.type === 'leaf_changed') void refresh();
    // What the model no longer sees is marked on every row before it.
    if (event.type === 'compaction_end' && event.entryId !== undefined) void refresh();
    if (event.type === 'pruned') void refresh();
    const scoped = event as Parameters<typeof applyToView>[1];
    live.setState((state) => applyToLive(state, scoped), true);
    view.setState((state) => applyToView(state, scoped, now()), true);
  }

  async function loadEntries(ids: readonly string[]): Promise<void> {
    const wanted = ids.filter((entryId) => !cache.has(entryId) && !asked.has(entryId)).slice(0, MAX_IDS);
    if (wanted.length === 0) return;
    for (const entryId of wanted) asked.add(entryId);
    try {
      const known = places(view.getState().rows, wanted);
      await put(await local.loadEntries(id, known).catch(() => []));
      let missing = wanted.filter((entryId) => !cache.has(entryId));
      while (missing.length > 0 && !closed) {
        const { lines } = await client.request('session.entries', { sessionId: id, ids: missing });
        await put(lines);
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
    } finally {
      for (const entryId of wanted) asked.delete(entryId);
    }
  }

  /** Parses in several tasks what one could not within a frame. */
  async function put(lines: readonly StoredLine[]): Promise<void> {
    let parsed = 0;
    for (const line of lines) {
      if (parsed > CHARS_A_TASK) {
        bodiesArrived();
        await nextTask();
        parsed = 0;
      }
      if (closed) return;
      cache.put([line]);
      parsed += line.line.length;
    }
  }

  async function loadOlder(): Promise<void> {
    wantsOlder = true;
    const { rowsBefore, loadingOlder, status } = view.getState();
    if (status !== 'ready' || loadingOlder || rowsBefore === 0) return;
    view.setState({ loadingOlder: true });
    const handle = client.bulk('session.rows', { sessionId: id, before: rowsBefore }, ({ rows }) => prepend(rows));
    older = handle;
    try {
      await handle.done;
    } catch (cause) {
      if (older === handle && !closed) view.setState({ problem: toAppError(cause).message });
    } finally {
      if (older === handle) {
        older = null;
        view.setState({ loadingOlder: false });
      }
    }
  }

  function prepend(rows: PathRow[]): void {
    if (closed || rows.length === 0) return;
    view.setState((state) => ({
      rows: [...rows, ...state.rows],
      rowsBefore: Math.max(0, state.rowsBefore - rows.length),
    }));
  }

  async function send(text: string, attachments: Attachment[], mode: 'steer' | 'followUp'): Promise<boolean> {
    return hand({ text, attachments: attachments.map((item) => ({ ...item, id: newId() })) }, mode);
  }

  async function hand(message: Draft, mode: 'steer' | 'followUp'): Promise<boolean> {
    const itemId = newId();
    const { text } = message;
    const attachments = message.attachments.map(({ kind, name, mimeType, data }) => ({ kind, name, mimeType, data }));
    const arrived = (): void =>
      view.setState((state) => ({ pending: state.pending.filter((prompt) => prompt.itemId !== itemId) }));
    view.setState((state) => ({ pending: [...state.pending, { itemId, text, attachments }] }));
    try {
      const { queued } = await client.request('session.prompt', { sessionId: id, itemId, text, attachments, mode });
      // A queued message is in the queue's list from now on; one that starts a run stays until its entry arrives.
      if (queued) arrived();
      return true;
    } catch (cause) {
      arrived();
      draft.giveBack(message, toAppError(cause).message);
      return false;
    }
  }

  return {
    id,
    view,
    live,
    refresh,
    entry,
    loadEntries,
    loadOlder,
    draft,
    graph,
    submit: (mode) => hand(draft.take(), mode),
    send,
    apply: (event, batch) => order.accept(event, batch),
    flush() {
      draft.flush();
      graph.memory.flush();
    },
    close() {
      closed = true;
      draft.flush();
      graph.close();
      older?.cancel();
      cache.clear();
    },
  };
}

/** The places of rows in the session file. One pass over the path for each state of it, however often it is asked. */
function createPlaces(): (rows: readonly PathRow[], ids: readonly string[]) => WantedEntry[] {
  let known: { rows: readonly PathRow[]; seqs: Map<string, number> } | null = null;
  return (rows, ids) => {
    if (known?.rows !== rows) known = { rows, seqs: new Map(rows.map(({ id, seq }) => [id, seq])) };
    const { seqs } = known;
    return ids.flatMap((id) => {
      const seq = seqs.get(id);
      return seq === undefined ? [] : [{ id, seq }];
    });
  };
}
