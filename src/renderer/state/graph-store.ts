/** The branch graph of one open session: loaded once, then it follows the events (GR26). */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AppEvent } from '@shared/ipc/contract';
import type { GraphEntry } from '@shared/ipc/tree-types';
import type { SessionEntry } from '@shared/session/entry';
import { BranchGraph, type GraphFilter } from '@shared/graph/branch-graph';
import { isFileChange, type TurnNode } from '@shared/graph/turns';
import { isSideRecord } from '@shared/session/facts';
import { toAppError, type BulkHandle, type Client } from '../bridge';
import { keepGraphMemory, type GraphMemory } from './graph-memory';
import type { LocalStore } from './local-store';
import type { SessionView } from './session-view';

export interface GraphSearch {
  query: string;
  /** Newest first. */
  hits: readonly TurnNode[];
  /** Place among the hits; -1: none. */
  at: number;
  isPartial: boolean;
  isBusy: boolean;
}

export interface GraphState {
  status: 'closed' | 'loading' | 'ready' | 'failed';
  problem: string | null;
  /** Counts up whenever the graph has changed: it is one object that grows. */
  version: number;
  /** Counts up when cells may have moved. */
  layoutVersion: number;
  /** The node that keyboard and search are at. */
  cursor: TurnNode | null;
  search: GraphSearch;
}

export interface GraphStore {
  readonly state: StoreApi<GraphState>;
  /** The graph of now; another object after a gap. */
  readonly graph: BranchGraph;
  readonly memory: { get(): GraphMemory; set(patch: Partial<GraphMemory>): void; flush(): void };
  /** Loads the graph if that has not happened. Failures end up in the state. */
  open(): Promise<void>;
  /** Takes an event before the view does. */
  apply(event: AppEvent): void;
  setCursor(node: TurnNode | null): void;
  setFilter(filter: GraphFilter): void;
  showHidden(shows: boolean): void;
  toggleFold(node: TurnNode): boolean;
  foldAll(folded: boolean): void;
  /** Makes a node visible that a fold hides. */
  reveal(node: TurnNode): void;
  search(query: string): Promise<void>;
  /** Goes to the next or the previous hit and returns it. */
  stepSearch(by: 1 | -1): TurnNode | null;
  close(): void;
}

interface Deps {
  id: string;
  client: Client;
  local: LocalStore;
  view: StoreApi<SessionView>;
  entry: (id: string) => SessionEntry | undefined;
  loadEntries: (ids: readonly string[]) => Promise<void>;
}

export const NO_SEARCH: GraphSearch = { query: '', hits: [], at: -1, isPartial: false, isBusy: false };

/** Makes the store; nothing is loaded until `open`. */
export function createGraphStore({ id, client, local, view, entry, loadEntries }: Deps): GraphStore {
  const state = createStore<GraphState>(() => ({
    status: 'closed',
    problem: null,
    version: 0,
    layoutVersion: 0,
    cursor: null,
    search: NO_SEARCH,
  }));
  const memory = keepGraphMemory(local, id);
  let graph = new BranchGraph();
  let bulk: BulkHandle | null = null;
  /** Line of the file that the next event must tell of; an event further on means that some were lost. */
  let nextSeq = 0;
  /** From here on main is asked again. */
  let missingFrom: number | null = null;
  let keptFor: TurnNode | null = null;
  let closed = false;

  const changed = (moved = false): void =>
    state.setState(({ version, layoutVersion }) => ({
      version: version + 1,
      layoutVersion: layoutVersion + (moved ? 1 : 0),
    }));
  const isReady = (): boolean => state.getState().status === 'ready';

  async function fetch(fromSeq: number): Promise<GraphEntry[]> {
    const entries: GraphEntry[] = [];
    bulk = client.bulk('session.graph', { sessionId: id, fromSeq }, (chunk) => void entries.push(...chunk.entries));
    await bulk.done;
    return entries;
  }

  async function open(): Promise<void> {
    const { status } = state.getState();
    if (closed || status === 'loading' || status === 'ready') return;
    state.setState({ status: 'loading', problem: null });
    try {
      const [entries, remembered] = await Promise.all([fetch(0), memory.read()]);
      if (closed) return;
      graph = new BranchGraph();
      graph.load(entries);
      nextSeq = graph.turns.lastSeq + 1;
      const { leafId, labels, archived } = view.getState();
      graph.setLabels(new Map(Object.entries(labels)));
      graph.setLeaf(leafId);
      graph.setArchived(new Set(archived));
      if (remembered.showsHidden) graph.showHidden(true);
      if (remembered.folds) graph.restoreFolds(remembered.folds);
      else graph.foldAll(true);
      if (remembered.filter !== 'all') graph.setFilter(remembered.filter);
      state.setState({ status: 'ready', cursor: null });
      changed(true);
      void findKept();
      await fill();
    } catch (cause) {
      if (!closed) state.setState({ status: 'failed', problem: toAppError(cause).message });
    }
  }

  /** Where the model's view begins is in the body of the latest compaction. */
  async function findKept(): Promise<void> {
    const { compaction } = graph;
    if (compaction === keptFor) return;
    keptFor = compaction;
    if (!compaction) return changed();
    if (!entry(compaction.contentId)) await loadEntries([compaction.contentId]);
    const body = entry(compaction.contentId) as { firstKeptEntryId?: unknown } | undefined;
    if (closed || graph.compaction !== compaction) return;
    graph.setKept(typeof body?.firstKeptEntryId === 'string' ? body.firstKeptEntryId : null);
    changed();
  }

  /** Asks main for entries whose events never came, or told too little. */
  async function fill(): Promise<void> {
    if (missingFrom === null || !isReady()) return;
    const from = missingFrom;
    missingFrom = null;
    try {
      const entries = await fetch(from);
      if (closed) return;
      graph.fill(entries);
      follow(view.getState());
    } catch (cause) {
      missingFrom = from;
      state.setState({ status: 'failed', problem: toAppError(cause).message });
    }
  }

  function apply(event: AppEvent): void {
    if (closed || event.type !== 'entry_appended') return;
    const { line, row } = event;
    const { status } = state.getState();
    if (status === 'closed' || status === 'failed') return;
    if (status === 'loading') return miss(line.seq);
    if (line.seq > nextSeq && missingFrom === null && !graph.turns.place(line.id)) miss(nextSeq);
    nextSeq = Math.max(nextSeq, line.seq + 1);
    const body = entry(line.id);
    if (!body) return;
    // Copies of a rebase come without a row: what they are is asked when all are there.
    if (!row) return isSideRecord(body) ? undefined : miss(line.seq);
    const parentId = typeof body.parentId === 'string' ? body.parentId : null;
    const time = Date.parse(typeof body.timestamp === 'string' ? body.timestamp : '');
    graph.append({
      id: row.id,
      parentId,
      seq: row.seq,
      kind: row.kind,
      tokens: row.tokens,
      time: Number.isNaN(time) ? 0 : time,
      ...(isFailed(body) ? { failed: true } : {}),
      ...(hasChangedFile(body) ? { changed: row.callId } : {}),
    });
    if (missingFrom !== null) void fill();
    changed();
  }

  function miss(seq: number): void {
    missingFrom = Math.min(seq, missingFrom ?? seq);
  }

  /** Leaf, labels and hidden branches are the view's; it has taken them from the same events. */
  function follow({ leafId, labels, archived }: SessionView, before?: SessionView): void {
    if (closed || !isReady()) return;
    const { layout } = graph;
    if (leafId !== null && !graph.turns.place(leafId)) {
      miss(nextSeq);
      void fill();
      return;
    }
    graph.setLeaf(leafId);
    if (labels !== before?.labels) {
      graph.setLabels(new Map(Object.entries(labels)));
      if (graph.filter === 'labelled') graph.rebuild();
    }
    if (before && archived !== before.archived) graph.setArchived(new Set(archived));
    changed(graph.layout !== layout);
    void findKept();
    if (missingFrom !== null) void fill();
  }

  const endView = view.subscribe((now, before) => {
    if (now.leafId !== before.leafId || now.labels !== before.labels || now.archived !== before.archived) {
      follow(now, before);
    } else if (missingFrom !== null && now.rows !== before.rows) void fill();
  });

  function keepFolds(): void {
    memory.set({ folds: graph.keptFolds() });
    changed(true);
  }

  async function search(query: string): Promise<void> {
    const words = query.trim();
    if (words === '') return state.setState({ search: NO_SEARCH });
    state.setState(({ search: before }) => ({ search: { ...before, query, isBusy: true } }));
    try {
      const { entryIds, isPartial } = await client.request('session.search', { sessionId: id, query: words });
      if (closed || state.getState().search.query !== query) return;
      const hits = hitsOf(graph, entryIds, words, view.getState().labels);
      state.setState({ search: { query, hits, at: -1, isPartial, isBusy: false } });
    } catch (cause) {
      state.setState({ search: NO_SEARCH, problem: toAppError(cause).message });
    }
  }

  return {
    state,
    get graph() {
      return graph;
    },
    memory,
    open,
    apply,
    setCursor: (cursor) => state.setState({ cursor }),
    setFilter(filter) {
      graph.setFilter(filter);
      memory.set({ filter });
      changed(true);
    },
    showHidden(shows) {
      graph.showHidden(shows);
      memory.set({ showsHidden: shows });
      changed(true);
    },
    toggleFold(node) {
      const done = graph.toggleFold(node);
      if (done) keepFolds();
      return done;
    },
    foldAll(folded) {
      graph.foldAll(folded);
      keepFolds();
    },
    reveal(node) {
      if (graph.layout.isCell(node) && !graph.folds.of(node)) return;
      graph.reveal(node);
      if (!graph.layout.isCell(node)) {
        graph.showHidden(graph.hasHiddenShown || graph.isHidden(node));
        graph.setFilter('all');
        memory.set({ filter: 'all', showsHidden: graph.hasHiddenShown });
      }
      keepFolds();
    },
    search,
    stepSearch(by) {
      const { search: now } = state.getState();
      if (now.hits.length === 0) return null;
      const at = now.at < 0 ? (by === 1 ? 0 : now.hits.length - 1) : (now.at + by + now.hits.length) % now.hits.length;
      const node = now.hits[at] ?? null;
      state.setState({ search: { ...now, at }, cursor: node });
      return node;
    },
    close() {
      closed = true;
      endView();
      bulk?.cancel();
      memory.flush();
    },
  };
}

/** Turns of the entries that were found, and those whose label holds the words. */
function hitsOf(graph: BranchGraph, entryIds: readonly string[], words: string, labels: SessionView['labels']) {
  const wanted = words.toLowerCase();
  const labelled = Object.keys(labels).filter((entryId) => labels[entryId]?.toLowerCase().includes(wanted));
  const hits = new Set<TurnNode>();
  for (const entryId of [...labelled, ...entryIds]) {
    const node = graph.turns.place(entryId)?.node;
    if (node) hits.add(node);
  }
  return [...hits].sort((a, b) => b.index - a.index);
}

function hasChangedFile(body: SessionEntry): boolean {
  const { message } = body as { message?: { role?: unknown; toolName?: unknown; isError?: unknown } };
  return message?.role === 'toolResult' && isFileChange(message.toolName, message.isError);
}

function isFailed(entry: SessionEntry): boolean {
  const { stopReason } = ((entry as { message?: unknown }).message ?? {}) as { stopReason?: unknown };
  return stopReason === 'error' || stopReason === 'aborted';
}
