import {
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useStore } from 'zustand';
import { act } from '../actions/menus';
import { resizeGraph } from '../actions/sessions';
import { PaneBoundary } from '../features/faults/pane-boundary';
import { useApp, useLive, useSession, useUi } from '../state/hooks';
import {
  doesGraphFloat,
  GRAPH_PANE,
  isGraphShown,
  isSidebarOpen,
  searchWidth,
  splitBounds,
  splitWidth,
} from '../state/ui-store';
import { cx, PaneBar, Spinner, SplitPane } from '../ui';
import styles from './app.module.css';

function subscribe(onChange: () => void): () => void {
  window.addEventListener('resize', onChange);
  return () => window.removeEventListener('resize', onChange);
}

/** Whether the graph is shown: as the person said, else where the window has room; not where the search needs that. */
export function useGraphOpen(): boolean {
  const layout = useUi((ui) => ui.layout);
  const sidebarInNarrow = useUi((ui) => ui.sidebarInNarrow);
  const searchOpen = useUi((ui) => ui.searchOpen);
  return useSyncExternalStore(subscribe, () =>
    isGraphShown({ layout, sidebarInNarrow, searchOpen }, window.innerWidth),
  );
}

/** Whether it lies over the transcript (WN22). */
function useGraphFloats(): boolean {
  const layout = useUi((ui) => ui.layout);
  const sidebarInNarrow = useUi((ui) => ui.sidebarInNarrow);
  const searchOpen = useUi((ui) => ui.searchOpen);
  return useSyncExternalStore(subscribe, () =>
    doesGraphFloat({ layout, sidebarInNarrow, searchOpen }, window.innerWidth),
  );
}

/** Pixels of the search of all sessions. */
export function useSearchWidth(): number {
  return useSyncExternalStore(subscribe, () => searchWidth(window.innerWidth));
}

/** Pixels of the transcript beside the canvas. */
function useSplitWidth(): number {
  const layout = useUi((ui) => ui.layout);
  return useSyncExternalStore(subscribe, () => splitWidth(layout, window.innerWidth));
}

/** Whether the list of sessions is shown. */
export function useSidebarOpen(): boolean {
  const layout = useUi((ui) => ui.layout);
  const sidebarInNarrow = useUi((ui) => ui.sidebarInNarrow);
  return useSyncExternalStore(subscribe, () => isSidebarOpen({ layout, sidebarInNarrow }, window.innerWidth));
}

/** Not part of the first screen's code (QP16): React Flow alone would be a sixth of it. */
const GraphPane = lazy(async () => ({ default: (await import('../features/graph/graph-pane')).GraphPane }));

/** What is said in a session, and beside it the branches of which it is one; the graph can also take the whole window. */
export function BesideGraph({ children }: { children: ReactNode }) {
  const app = useApp();
  const session = useSession();
  const layout = useUi((ui) => ui.layout);
  const isOpen = useGraphOpen();
  const floats = useGraphFloats();
  const isFull = isOpen && layout.graphFull;
  const isSplit = isFull && layout.graphSplit;
  const isComparing = useUi((ui) => ui.compared !== null);
  const beside = useSplitWidth();
  const column = useRef<HTMLDivElement>(null);
  const floatsIn = useTranscriptPlace(column, isOpen && floats && !isFull);
  const toggle = (): void => act(app, 'view.graph', session);
  useGivesWay(isOpen && !isFull, floats, toggle);
  const pane = isOpen && (
    <Suspense fallback={<Opening />}>
      <GraphBoundary>
        <GraphPane session={session} onClose={isFull || floats ? toggle : null} />
      </GraphBoundary>
    </Suspense>
  );
  return (
    <SplitPane
      fixedSide="end"
      size={layout.graphWidth}
      min={GRAPH_PANE.min}
      max={GRAPH_PANE.max}
      collapsed={!isOpen}
      floats={floats}
      floatsIn={floatsIn}
      onSizeChange={(graphWidth) => resizeGraph(app, graphWidth)}
      onCollapsedChange={toggle}
      label="Resize branches"
      fixed={
        <div className={cx(styles.graph, isFull && styles.graphFull)} style={isSplit ? { right: beside } : undefined}>
          {pane}
        </div>
      }
    >
      <div
        ref={column}
        className={cx(styles.column, isSplit && styles.columnBeside)}
        style={isSplit ? { width: beside } : undefined}
        inert={(isFull && !isSplit) || isComparing}
      >
        {isSplit && (
          <div className={styles.splitBar}>
            <PaneBar
              fixedSide="end"
              size={beside}
              {...splitBounds(window.innerWidth)}
              collapsed={false}
              onSizeChange={(splitWidth) => app.setLayout({ splitWidth })}
              onCollapsedChange={() => app.setLayout({ graphSplit: false })}
              label="Resize the transcript"
              pane={column}
            />
          </div>
        )}
        {children}
      </div>
    </SplitPane>
  );
}

/**
 * Pixels above and below the transcript in its column: a graph over it ends there, so that the bars above and the composer below are whole
 * (WN22).
 */
function useTranscriptPlace(column: RefObject<HTMLElement | null>, isWanted: boolean): Place | undefined {
  const [place, setPlace] = useState<Place>();
  useLayoutEffect(() => {
    const whole = column.current;
    if (!isWanted || !whole) return;
    let watched: HTMLElement | null = null;
    const look = (): void => {
      // Each session has a pane of its own: the one that is gone is heard of, as it has no size any more.
      const upper = whole.querySelector<HTMLElement>('[data-upper]');
      if (upper && upper !== watched) {
        if (watched) observer.unobserve(watched);
        watched = upper;
        observer.observe(upper);
      }
      if (!upper) return;
      const [all, { top, bottom }] = [whole.getBoundingClientRect(), upper.getBoundingClientRect()];
      const next = { top: Math.round(top - all.top), bottom: Math.round(all.bottom - bottom) };
      setPlace((now) => (now?.top === next.top && now.bottom === next.bottom ? now : next));
    };
    // What comes above or below it, and grows there, takes its room from it.
    const observer = new ResizeObserver(look);
    observer.observe(whole);
    look();
    return () => observer.disconnect();
  }, [column, isWanted]);
  return isWanted ? place : undefined;
}

interface Place {
  top: number;
  bottom: number;
}

/** A question is not covered by what the person did not open over it: the pane closes when one comes, or comes to lie below it (C2). */
function useGivesWay(isShown: boolean, floats: boolean, close: () => void): void {
  const session = useSession();
  const question = useLive(session, (live) => live.approvals[0]?.id);
  const latest = useRef({ isShown, close });
  useLayoutEffect(() => {
    latest.current = { isShown, close };
  });
  useEffect(() => {
    if (question !== undefined && floats && latest.current.isShown) latest.current.close();
  }, [question, floats]);
}

function GraphBoundary({ children }: { children: ReactNode }) {
  const session = useSession();
  const version = useStore(session.graph.state, (state) => state.version);
  return (
    <PaneBoundary name="The graph of branches" inputs={[version]}>
      {children}
    </PaneBoundary>
  );
}

function Opening() {
  return (
    <div className={styles.waiting}>
      <Spinner label="Opening branches" size={18} />
    </div>
  );
}
