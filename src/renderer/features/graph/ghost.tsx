import { useEffect } from 'react';
import { ViewportPortal } from '@xyflow/react';
import type { GraphViewport } from '../../state/graph-memory';
import { useUi } from '../../state/hooks';
import { useGraph, useGraphState } from './context';
import { LANE, NODE, placeIntoView, ROW, xOf, yOf } from './geometry';
import styles from './graph.module.css';

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
  const branching = useUi((ui) => ui.branching);
  useGraphState((state) => state.version);
  const { graph } = store;
  const isShown = branching?.sessionId === session.id || (graph.leafId === null && graph.layout.cells > 0);
  const above = graph.head ? graph.layout.nearest(graph.head) : null;
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
