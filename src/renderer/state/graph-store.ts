/** The branch graph of one open session: loaded once, then it follows the events (GR26). */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SessionEvent } from '@shared/session-state/events';
import { BranchGraph } from '@shared/graph/branch-graph';
import type { GraphFilter } from '@shared/graph/filters';
import type { LayoutKind } from '@shared/graph/layouts';
import type { Run } from '@shared/graph/order';
import type { TurnFacts } from '@shared/graph/query';
import type { TurnNode } from '@shared/graph/turns';
import { toAppError, type BulkHandle, type Client } from '../bridge';
import { keepGraphMemory, type GraphMemory } from './graph-memory';
import { Sought } from './graph-sought';
import { type GraphHit, GraphSearcher, NO_GRAPH_SEARCH } from './graph-search';
import { CLOSED_GRAPH, type GraphState, settled } from './graph-state';
import type { LocalStore } from './local-store';
import { inPieces } from './order';
import type { LiveSession, Row } from '@shared/session-state/state';

export interface GraphStore {
  readonly state: StoreApi<GraphState>;
  /** The graph of now; another object once it is loaded. */
  readonly graph: BranchGraph;
  readonly memory: { get(): GraphMemory; set(patch: Partial<GraphMemory>): void; flush(): void };
  /** Loads the graph if that has not happened, and resolves once it is there or has failed; with a place for each cell of what is about to be shown. Failures end up in the state. */
  open(shown?: LayoutKind): Promise<void>;
  /** Takes an event before the state does. */
  apply(event: SessionEvent): void;
  /** Asks main for what came after the newest row, where events were lost. */
  refresh(): Promise<void>;
  /** The session's file is another one: of what was loaded nothing holds. */
  reload(): Promise<void>;
  setCursor(node: TurnNode | null): void;
  /** The transcript shows another entry to its reader. */
  setReading(entryId: string | null): void;
  /** Has an entry's node brought into view, as soon as the graph is there. Resolves whether there is one. */
  want(entryId: string): Promise<boolean>;
  showList(shows: boolean): void;
  /** `file`: of turns that changed files those alone that changed this one, by the name that `TurnFacts` has for it. */
  setFilter(filter: GraphFilter, file?: string): void;
  showHidden(shows: boolean): void;
  toggleFold(node: TurnNode): boolean;
  /** Opens or closes a branch on the rail (GR7). */
  openRun(run: Run, isOpen: boolean): void;
  /** Fixes the order anew (GR2). */
  sort(): void;
  /** Shows a variant in place of the one that its stack shows (GR5). */
  bringToFront(node: TurnNode): void;
  /** Another entry's path is read (GR12), or HEAD's again: of stacks the variant on it is shown, else the front (GR5). */
  showRead(entryId: string | null): void;
  foldAll(folded: boolean): void;
  /** Makes a node visible that a fold, a closed branch, a stack, the filter or a hidden branch hides. */
  reveal(node: TurnNode): void;
  /** What filters and search ask of turns, from who knows the names; before `open`, which asks anew where it was open. */
  setFacts(facts: TurnFacts): void;
  readonly facts: TurnFacts;
  /** What is typed; it is answered once nobody types, or awaited. */
  search(query: string): void;
  searched(): Promise<void>;
  /** Goes to the next or the previous hit, or to one by its place, and returns it. */
  stepSearch(by: 1 | -1): GraphHit | null;
  goToHit(at: number): GraphHit | null;
  readonly excerpts: Pick<GraphSearcher, 'excerptOf' | 'read'>;
  close(): void;
}

/** Milliseconds after which the first picture is on screen. */
const QUIET_MS = 500;

interface Deps {
  id: string;
  client: Client;
  local: LocalStore;
  live: StoreApi<LiveSession>;
}

/** Makes the store; nothing is loaded until `open`. */
export function createGraphStore({ id, client, local, live }: Deps): GraphStore {
  const state = createStore<GraphState>(() => CLOSED_GRAPH);
  const memory = keepGraphMemory(local, id);
  let graph = new BranchGraph();
  let facts: TurnFacts = {
    fileName: (raw) => raw,
    label: (node) => graph.labelOf(node),
    ...{ branchName: () => '', startOf: () => '', isOnPath: (node) => graph.isActive(node) },
  };
  /** Whose names the filter for a file was laid out by. */
  let namedBy = facts;
  const searcher = new GraphSearcher({
    ...{ sessionId: id, client, graph: () => graph, facts: () => facts },
    get: () => state.getState().search,
    set(search) {
      if (closed) return;
      state.setState({ search });
      if (sought.spare()) changed(true);
    },
  });
  let bulk: BulkHandle | null = null;
  /** Rows that came while others were on their way. */
  let early: Row[] | null = null;
  /** Events were lost while rows were on their way. */
  let isBehind = false;
  let closed = false;
  /** Counts the loads from the start: what came for an earlier one is of another file. */
  let loads = 0;
  let shown: LayoutKind | null = null;
  const sought = new Sought({
    graph: () => graph,
    hit() {
      const { hits, at } = state.getState().search;
      return hits[at];
    },
  });

  function changed(moved = false): void {
    sought.raise();
    state.setState(({ version, layoutVersion }) => ({
      version: version + 1,
      layoutVersion: layoutVersion + (moved ? 1 : 0),
    }));
  }

  const isReady = (): boolean => state.getState().status === 'ready';

  /** Rows from a line of the file on. Where events are lost meanwhile, what they told of is asked for as well. */
  async function fetch(fromSeq: number): Promise<Row[]> {
    const rows: Row[] = [];
    early ??= [];
    do {
      isBehind = false;
      const from = Math.max(fromSeq, (rows.at(-1)?.seq ?? -1) + 1);
      bulk = client.bulk('session.graph', { sessionId: id, fromSeq: from }, (chunk) => void rows.push(...chunk.rows));
      await bulk.done;
    } while (isBehind && !closed);
    return rows;
  }

  async function open(kind?: LayoutKind): Promise<void> {
    shown = kind ?? shown;
    const { status } = state.getState();
    if (status === 'ready') nameFile();
    if (closed || status === 'ready') return;
    if (status !== 'loading') await load();
    // Another file may be on its way by now.
    return settled(state);
  }

  async function load(): Promise<void> {
    state.setState({ status: 'loading', problem: null });
    namedBy = facts;
    const mine = ++loads;
    const isOver = (): boolean => closed || mine !== loads;
    try {
      const [rows] = await Promise.all([fetch(0), memory.read()]);
      if (isOver()) return;
      const remembered = memory.get();
      const opened = new BranchGraph();
      const then = live.getState();
      const { showsHidden, filter, file, folds = null, openRuns } = remembered;
      const opening = {
        ...{ leafId: then.leafId, keptFrom: then.seenFrom, archived: new Set(then.archived) },
        ...{ labels: new Map(Object.entries(then.labels)), pins: then.pins, showsHidden, filter, folds },
        ...{ openRuns, isOfFile: ofFile(file) },
      };
      if (!(await inPieces(opened.open(rows, opening), isOver))) return;
      if (shown && !(await inPieces(opened.layouts.making(shown), isOver))) return;
      const lost = isBehind ? await fetch(opened.turns.lastSeq + 1) : [];
      if (isOver()) return;
      opened.fill([...lost, ...takeEarly()]);
      graph = opened;
      sought.leadTo(null);
      state.setState({ status: 'ready', cursor: null, showsList: memory.get().showsList });
      takeChosen(remembered);
      // What came while it was loaded and laid out: the leaf of `then` may be among it.
      follow(live.getState(), then);
      nameFile();
      sought.spare();
      changed(true);
      setTimeout(() => void layOutRest(opened), QUIET_MS);
    } catch (cause) {
      if (!isOver()) fail(cause);
    }
  }

  /** What was chosen while it was laid out by what was remembered. */
  function takeChosen(before: GraphMemory): void {
    const { filter, file, showsHidden } = memory.get();
    if (showsHidden !== before.showsHidden) graph.showHidden(showsHidden);
    if (filter !== before.filter || file !== before.file) graph.setFilter(filter, ofFile(file));
  }

  /** The picture that is not shown is there before somebody asks for it. */
  async function layOutRest(opened: BranchGraph): Promise<void> {
    const isOver = (): boolean => closed || graph !== opened;
    for (const kind of ['rail', 'canvas'] as const) {
      if (isOver() || !(await inPieces(opened.layouts.making(kind), isOver))) return;
    }
  }

  async function reload(): Promise<void> {
    if (closed || state.getState().status === 'closed') return;
    bulk?.cancel();
    early = null;
    isBehind = false;
    state.setState({ cursor: null, wanted: null, search: NO_GRAPH_SEARCH });
    searcher.stop();
    await load();
    return settled(state);
  }

  function fail(cause: unknown): void {
    early = null;
    if (!closed) state.setState({ status: 'failed', problem: toAppError(cause).message });
  }

  function takeEarly(): Row[] {
    const rows = early ?? [];
    early = null;
    return rows;
  }

  async function refresh(): Promise<void> {
    if (early) isBehind = true;
    if (early || !isReady()) return;
    const before = loads;
    const isOver = (): boolean => closed || before !== loads;
    try {
      const rows = await fetch(graph.turns.lastSeq + 1);
      if (isOver()) return;
      graph.fill([...rows, ...takeEarly()]);
      follow(live.getState());
      sought.spare();
      changed(true);
    } catch (cause) {
      if (!isOver()) fail(cause);
    }
  }

  function apply(event: SessionEvent): void {
    if (closed || event.type !== 'entry_appended' || !event.row) return;
    if (early) return void early.push(event.row);
    if (!isReady()) return;
    const { moves } = graph;
    graph.append(event.row);
    searcher.again();
    changed(graph.moves !== moves);
  }

  /** Leaf, labels, pins and hidden branches are those of the state, which takes them from the same events. */
  function follow({ leafId, labels, pins, archived, seenFrom }: LiveSession, before?: LiveSession): void {
    if (closed || !isReady()) return;
    const { moves } = graph;
    graph.setLeaf(leafId);
    graph.setKept(seenFrom);
    if (labels !== before?.labels) {
      graph.setLabels(new Map(Object.entries(labels)));
      // A branch with a label stands for itself, and the filter looks at labels.
      graph.rebuild();
    }
    if (pins !== before?.pins) graph.setPins(pins);
    if (before && archived !== before.archived) {
      graph.setArchived(new Set(archived));
      sought.spare();
    }
    changed(graph.moves !== moves);
  }

  const endLive = live.subscribe((now, before) => {
    const says = (live: LiveSession): unknown[] => [live.leafId, live.seenFrom, live.labels, live.pins, live.archived];
    const was = says(before);
    if (says(now).some((value, at) => value !== was[at])) follow(now, before);
  });

  function keepFolds(): void {
    memory.set({ folds: graph.keptFolds(), openRuns: graph.keptRuns() });
    changed(true);
  }

  /** A file is asked for by its name: anew where somebody else knows the names by now. */
  function nameFile(): void {
    if (namedBy === facts) return;
    namedBy = facts;
    const { file } = memory.get();
    if (graph.filter !== 'files' || file === null) return;
    graph.setFilter('files', ofFile(file));
    changed(true);
  }

  /** Whether a turn changed a file; null: any will do. */
  function ofFile(file: string | null): ((node: TurnNode) => boolean) | null {
    if (file === null) return null;
    return (node) => [...node.files].some((raw) => facts.fileName(raw) === file);
  }

  return {
    state,
    get graph() {
      return graph;
    },
    memory,
    open,
    apply,
    refresh,
    reload,
    setCursor: (cursor) => state.setState({ cursor }),
    setReading(readingEntry) {
      if (state.getState().readingEntry !== readingEntry) state.setState({ readingEntry });
    },
    async want(entryId) {
      await open();
      const node = graph.turns.place(entryId)?.node;
      if (!node) return false;
      state.setState({ cursor: node, wanted: node });
      return true;
    },
    showList(showsList) {
      state.setState({ showsList });
      memory.set({ showsList });
    },
    setFilter(filter, file) {
      graph.setFilter(filter, ofFile(file ?? null));
      memory.set({ filter, file: file ?? null });
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
    openRun(run, isOpen) {
      if (graph.openRun(run, isOpen)) keepFolds();
    },
    sort() {
      graph.sort();
      changed(true);
    },
    bringToFront(node) {
      if (graph.bringToFront(node)) changed();
    },
    showRead(entryId) {
      const isRaised = sought.setRead(entryId);
      const hasMoved = sought.spare();
      if (isRaised || hasMoved) changed(hasMoved);
    },
    foldAll(folded) {
      graph.foldAll(folded);
      keepFolds();
    },
    reveal(node) {
      const { moves } = graph;
      graph.reveal(node);
      // That branch alone: the others stay hidden.
      if (!graph.isShown(node) && !graph.hasHiddenShown) {
        sought.leadTo(node);
        graph.spare(node);
      }
      if (!graph.isShown(node)) {
        graph.setFilter('all');
        memory.set({ filter: 'all', file: null });
      }
      if (graph.moves === moves) changed();
      else keepFolds();
    },
    setFacts(known) {
      facts = known;
    },
    get facts() {
      return facts;
    },
    search(query) {
      if (query === '') sought.leadTo(null);
      searcher.ask(query);
      if (sought.spare()) changed(true);
    },
    searched: () => searcher.answered(),
    stepSearch: (by) => searcher.step(by),
    goToHit: (at) => searcher.go(at),
    excerpts: searcher,
    close() {
      closed = true;
      searcher.stop();
      endLive();
      bulk?.cancel();
      memory.flush();
      // Whoever waits for it hears that nothing comes.
      state.setState({ status: 'closed' });
    },
  };
}
