import { useStore } from 'zustand';
import { useEffect } from 'react';
import { ViewportPortal } from '@xyflow/react';
import { beginningOf } from '@shared/cut-text';
import type { TurnNode } from '@shared/graph/turns';
import { headWaits } from '../../actions/action';
import type { GraphViewport } from '../../state/graph-memory';
import { useSituation } from '../../state/hooks';
import { useFlowView, useGraph, useGraphState } from './context';
import { HEAD_PILL, LANE, NODE, placeIntoView, plusAt, type Point, ROW, toPane, xOf, yOf } from './geometry';
import styles from './graph.module.css';
import { titleOfNode } from './words';

/** What follows the pointer: the ghost of what dropping here would make, and a line to where it comes from. */
export function DragLayer() {
  const { app, session, drag, store, texts } = useGraph();
  const { view, size } = useFlowView();
  useSituation(session.id);
  const waits = headWaits(app, session.id);
  const cursor = useGraphState((state) => state.cursor);
  const { kind, source, at, target, isRefused, isCarried } = useStore(drag);
  if (kind === null || !source) return <HeadFlag />;
  const place = (node: TurnNode, x: number, y: number): Point => {
    const { layout } = store.graph;
    return toPane({ x: xOf(layout.laneOf(node)) + x, y: yOf(layout.rowOf(node)) + y }, view);
  };
  const from =
    kind === 'head' ? place(source, HEAD_PILL.left + 24, -11) : place(source, plusAt(source).x, plusAt(source).y);
  const to = isCarried && cursor ? place(cursor, NODE.width / 2, NODE.height / 2) : at;
  const words = ghostWords(kind, target ? titleOfNode(target, texts(target)) : null, { isRefused, isCarried, waits });
  const tone = target
    ? kind === 'head'
      ? styles.toLeaf
      : styles.toViolet
    : isRefused
      ? styles.toNothing
      : styles.toLeaf;
  return (
    <div className={styles.layer} data-drag-ghost={target ? 'target' : isRefused ? 'refused' : 'empty'}>
      <svg className={tone} aria-hidden>
        <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      </svg>
      <div className={`${styles.dragGhost} ${tone}`} style={{ transform: ghostPlace(to, size.width) }}>
        {kind === 'head' && <span className={styles.headMark}>HEAD</span>}
        {words}
      </div>
    </div>
  );
}

/** Behind the pointer, or before it where the pane ends. */
function ghostPlace({ x, y }: Point, width: number): string {
  return x > width / 2 ? `translate(calc(${x - 10}px - 100%), ${y + 10}px)` : `translate(${x + 10}px, ${y + 10}px)`;
}

interface GhostState {
  isRefused: boolean;
  isCarried: boolean;
  /** Why HEAD can't be moved now. */
  waits: string | null;
}

function ghostWords(kind: 'node' | 'head', target: string | null, { isRefused, isCarried, waits }: GhostState): string {
  if (waits && (kind === 'head' || target)) return waits;
  if (kind === 'head') return target ? `Go to “${clip(target)}”` : 'Drop it on a turn to go there';
  if (target) return `Bring its summary to “${clip(target)}”`;
  if (isRefused) return 'Already on this branch';
  if (isCarried) return 'Choose a turn of another branch';
  return waits ? 'New branch here, sent when the agent rests' : 'New branch here';
}

const clip = (text: string): string => (text.length > 34 ? `${beginningOf(text, 33).trimEnd()}…` : text);

/** HEAD at a readable size where the nodes are only painted. */
function HeadFlag() {
  const { store } = useGraph();
  const { view, size } = useFlowView();
  useGraphState((state) => state.version);
  const { graph } = store;
  const cell = graph.head ? graph.layout.cellOf(graph.head) : null;
  if (!cell || view.zoom >= 0.36) return null;
  const { x, y } = toPane({ x: xOf(graph.layout.laneOf(cell)) + NODE.width, y: yOf(graph.layout.rowOf(cell)) }, view);
  if (x < 0 || y < 0 || x > size.width + 40 || y > size.height + 20) return null;
  return (
    <div className={styles.layer}>
      <span className={styles.farHead} style={{ transform: `translate(${x + 3}px, ${y - 14}px)` }}>
        HEAD
      </span>
    </div>
  );
}

/** Pixels of the pane beside both ends. */
const ROOM = 36;
/** Below this the words of the nodes can't be read. */
const SMALLEST = 0.45;
const GAP = (ROW - NODE.height) / 2;

const zoomed = (view: GraphViewport, zoom: number): GraphViewport => (zoom === view.zoom ? view : { ...view, zoom });

const isSame = (a: GraphViewport, b: GraphViewport): boolean =>
  Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.zoom - b.zoom) < 0.001;

/** Where the next message will stand while a branch is begun; brought into view when it begins. */
export function Ghost() {
  const { store, session, camera } = useGraph();
  const branch = useStore(session.draft.state, (draft) => draft.branch);
  useGraphState((state) => state.version);
  const { graph } = store;
  const isShown = branch !== null || (graph.leafId === null && graph.layout.cells > 0);
  // HEAD stays where it is until the message is sent (BR4).
  const parentId = branch ? branch.parentId : null;
  const parent = parentId === null ? null : (graph.turns.place(parentId)?.node ?? null);
  const begins = branch ? parent : graph.head;
  const above = begins ? graph.layout.nearest(begins) : null;
  const { lane, row } = graph.layout.nextPlace(above);
  const from = above ? graph.layout.laneOf(above) : lane;
  useEffect(() => {
    const eye = camera.current;
    if (!isShown || !eye || eye.size().width === 0) return;
    const view = eye.goal();
    const between = (lane - from) * LANE + NODE.width;
    // Both ends of the new branch are to be seen: it is what the person has just made.
    const zoom = Math.min(view.zoom, Math.max(SMALLEST, (eye.size().width - ROOM) / between));
    const next = placeIntoView(
      { lane, row },
      placeIntoView({ lane: from, row: row - 1 }, zoomed(view, zoom), eye.size()),
      eye.size(),
    );
    if (next === view) return;
    eye.move(next, true);
    return () => {
      // Begun and left again, the branch leaves no trace; unless the person has moved the view meanwhile.
      if (isSame(eye.goal(), next)) eye.move(view);
    };
  }, [isShown, lane, row, from, camera]);
  if (!isShown) return null;
  const line = { left: xOf(from) + NODE.width / 2, width: Math.max(0, xOf(lane) - xOf(from)), top: yOf(row) - GAP };
  return (
    <ViewportPortal>
      {above && (
        <div
          className={styles.ghostLine}
          style={{ transform: `translate(${line.left}px, ${line.top}px)`, width: line.width, height: GAP }}
        />
      )}
      <div className={styles.ghost} style={{ transform: `translate(${xOf(lane)}px, ${yOf(row)}px)` }} data-ghost>
        <b>New branch here</b>
        <small>{above ? 'your next message' : 'from the very start'}</small>
      </div>
    </ViewportPortal>
  );
}
