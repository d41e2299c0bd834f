import { useStore } from 'zustand';
import type { TurnNode } from '@shared/graph/turns';
import { useGraph, useGraphState } from './context';
import { useFlowView } from './flow-view';
import { HEAD_PILL, NODE, plusAt, toPane, xOf, yOf, type Point } from './geometry';
import { titleOfNode } from './words';
import { beginningOf } from '@shared/cut-text';
import styles from './graph.module.css';

/** What follows the pointer: the ghost of what dropping here would make, and a line to where it comes from. */
export function DragLayer() {
  const { drag, store, texts } = useGraph();
  const { view, size } = useFlowView();
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
  const words = ghostWords(kind, target ? titleOfNode(target, texts(target)) : null, isRefused, isCarried);
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

function ghostWords(kind: 'node' | 'head', target: string | null, isRefused: boolean, isCarried: boolean): string {
  if (kind === 'head') return target ? `Go to “${clip(target)}”` : 'Drop it on a turn to go there';
  if (target) return `Bring its summary to “${clip(target)}”`;
  if (isRefused) return 'Already on this branch';
  return isCarried ? 'Choose a turn of another branch' : 'New branch here';
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
