import { useEffect, useLayoutEffect, useRef } from 'react';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';
import { useFlowView, useGraph, useGraphState, usePicture } from './context';
import { LANE, NODE, ROW } from './canvas';
import { readPalette, type Palette } from './paint';
import { type Point, toPane } from './picture';
import styles from './graph.module.css';

const SIZE = { width: 92, height: 116 };
const PAD = 6;
/** Milliseconds: the picture of the whole is drawn anew at most this often. */
const REDRAW_MS = 120;
/** A cell is never drawn larger than in a small graph. */
const MAX_SCALE = 0.14;

interface Scale {
  x: number;
  y: number;
}

/** The whole graph, small; a click or a drag on it moves the view. Not there while the pane shows all of it anyway. */
export function Minimap({ isDark }: { isDark: boolean }) {
  const { store, camera } = useGraph();
  const { view, size } = useFlowView();
  const version = useGraphState((state) => state.version);
  const drawing = useRef<HTMLCanvasElement>(null);
  const window_ = useRef<HTMLDivElement>(null);
  const { layout } = store.graph;
  const scale = scaleOf(layout.lanes.length, layout.rows);
  const picture = usePicture();
  const end = toPane({ x: picture.size.width, y: picture.size.height }, view);
  const isAllSeen = size.width === 0 || (view.x >= 0 && view.y >= 0 && end.x <= size.width && end.y <= size.height);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (drawing.current) draw(drawing.current, store.graph, readPalette(drawing.current));
    }, REDRAW_MS);
    return () => clearTimeout(timer);
  }, [store, version, isDark]);
  useLayoutEffect(() => {
    const style = window_.current?.style;
    if (!style) return;
    const left = clamp(PAD + (-view.x / view.zoom) * scale.x, SIZE.width);
    const top = clamp(PAD + (-view.y / view.zoom) * scale.y, SIZE.height);
    const right = clamp(PAD + ((size.width - view.x) / view.zoom) * scale.x, SIZE.width);
    const bottom = clamp(PAD + ((size.height - view.y) / view.zoom) * scale.y, SIZE.height);
    style.transform = `translate(${left}px, ${top}px)`;
    style.width = `${Math.max(4, right - left)}px`;
    style.height = `${Math.max(4, bottom - top)}px`;
  });
  const goTo = (at: Point): void => {
    const eye = camera.current;
    if (!eye) return;
    const { zoom } = eye.view();
    const { width, height } = eye.size();
    eye.move({ x: width / 2 - ((at.x - PAD) / scale.x) * zoom, y: height / 2 - ((at.y - PAD) / scale.y) * zoom, zoom });
  };
  const onPointer = (event: React.PointerEvent<HTMLDivElement>): void => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    else if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.getBoundingClientRect();
    goTo({ x: event.clientX - box.left, y: event.clientY - box.top });
  };
  return (
    <div
      className={styles.minimap}
      aria-hidden
      hidden={isAllSeen}
      data-minimap
      data-floats
      onPointerDown={onPointer}
      onPointerMove={onPointer}
    >
      <canvas ref={drawing} width={SIZE.width * 2} height={SIZE.height * 2} />
      <div ref={window_} className={styles.minimapWindow} />
    </div>
  );
}

const clamp = (value: number, end: number): number => Math.min(end - 2, Math.max(0, value));

function scaleOf(lanes: number, rows: number): Scale {
  const x = Math.min(MAX_SCALE, (SIZE.width - 2 * PAD) / (Math.max(1, lanes) * LANE));
  const y = Math.min(MAX_SCALE, (SIZE.height - 2 * PAD) / (Math.max(1, rows) * ROW));
  return { x, y };
}

/**
 * Every cell, the active path above the others. Drawn only when the graph has changed; of cells that come to stand at one point one is
 * painted, so that a picture costs no more than it has points, and O(cells) to look at them.
 */
function draw(canvas: HTMLCanvasElement, graph: BranchGraph, palette: Palette): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { layout } = graph;
  const scale = scaleOf(layout.lanes.length, layout.rows);
  context.setTransform(2, 0, 0, 2, 0, 0);
  context.clearRect(0, 0, SIZE.width, SIZE.height);
  const width = Math.max(1.5, NODE.width * scale.x);
  const height = Math.max(0.6, NODE.height * scale.y);
  const columns = SIZE.width * 2;
  /** By point: 1 painted, 2 with a compaction. */
  const painted = new Uint8Array(columns * SIZE.height * 2);
  const put = (cell: TurnNode, color: string): void => {
    const isCompaction = cell.kind === 'compaction';
    const x = PAD + layout.laneOf(cell) * LANE * scale.x;
    const y = PAD + layout.rowOf(cell) * ROW * scale.y;
    const point = Math.floor(y * 2) * columns + Math.floor(x * 2);
    const rank = isCompaction ? 2 : 1;
    if ((painted[point] ?? 0) >= rank) return;
    painted[point] = rank;
    context.fillStyle = isCompaction ? palette.amber : color;
    context.fillRect(x, y, width, isCompaction ? Math.max(height, 1.5) : height);
  };
  for (const cells of layout.lanes) for (const cell of cells) if (!graph.isActive(cell)) put(cell, palette.strong);
  painted.fill(0);
  for (let node = graph.head; node; node = node.parent) if (layout.isCell(node)) put(node, palette.leaf);
}
