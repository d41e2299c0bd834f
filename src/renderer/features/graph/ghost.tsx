import { useEffect } from 'react';
import { ViewportPortal } from '@xyflow/react';
import { useUi } from '../../state/hooks';
import { useGraph, useGraphState } from './context';
import { placeIntoView, xOf, yOf } from './geometry';
import styles from './graph.module.css';

/** Where the next message will stand while a branch is begun; brought into view when it begins. */
export function Ghost() {
  const { store, session, camera } = useGraph();
  const branching = useUi((ui) => ui.branching);
  useGraphState((state) => state.version);
  const { graph } = store;
  const isShown = branching?.sessionId === session.id || (graph.leafId === null && graph.layout.cells > 0);
  const above = graph.head ? graph.layout.nearest(graph.head) : null;
  const { lane, row } = graph.layout.nextPlace(above);
  useEffect(() => {
    const eye = camera.current;
    if (!isShown || !eye || eye.size().width === 0) return;
    const view = eye.view();
    const next = placeIntoView({ lane, row }, view, eye.size());
    if (next !== view) eye.move(next, true);
  }, [isShown, lane, row, camera]);
  if (!isShown) return null;
  return (
    <ViewportPortal>
      <div className={styles.ghost} style={{ transform: `translate(${xOf(lane)}px, ${yOf(row)}px)` }} data-ghost>
        <b>New branch here</b>
        <small>{above ? 'your next message' : 'from the very start'}</small>
      </div>
    </ViewportPortal>
  );
}
