import { useEffect, useLayoutEffect, useRef } from 'react';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';
import { useFlowView, useGraph, useGraphState, usePicture } from './context';
import { useLive } from '../../state/hooks';
import type { CanvasPicture } from './canvas';
import { readPalette } from './paint';
import { type Point, isWhole } from './picture';
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
  const { store, session, camera } = useGraph();
  const { view, size } = useFlowView();
  const version = useGraphState((state) => state.version);
  const drawing = useRef<HTMLCanvasElement>(null);
  const window_ = useRef<HTMLDivElement>(null);
  const hits = useGraphState((state) => state.search.hits);
  const labels = useLive(session, (live) => live.labels);
  const picture = usePicture() as CanvasPicture;
  const scale = scaleOf(picture);
  const isAllSeen = size.width === 0 || isWhole(picture, view, size);
  const drawnAt = useRef(-Infinity);
  useEffect(() => {
    const redraw = (): void => {
      drawnAt.current = performance.now();
      if (drawing.current) draw(drawing.current, store.graph, picture, hits, labelled(store.graph, labels));
    };
    // What changes without a rest is drawn all the same.
    const timer = setTimeout(redraw, Math.max(0, drawnAt.current + REDRAW_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [store, picture, hits, labels, version, isDark]);
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

function labelled(graph: BranchGraph, labels: Readonly<Record<string, string>>): TurnNode[] {
  return Object.keys(labels).flatMap((id) => graph.turns.place(id)?.node ?? []);
}

function scaleOf({ size }: CanvasPicture): Scale {
  const x = Math.min(MAX_SCALE, (SIZE.width - 2 * PAD) / Math.max(1, size.width));
  const y = Math.min(MAX_SCALE, (SIZE.height - 2 * PAD) / Math.max(1, size.height));
  return { x, y };
}

/**
 * Every cell, HEAD's path above the others, and above all what is looked for: HEAD, hits, labels (GR9). Drawn only when the graph has changed;
 * of cells that come to stand at one point one is painted, so that a picture costs no more than it has points, and O(cells) to look at them.
 */
function draw(
  canvas: HTMLCanvasElement,
  graph: BranchGraph,
  { layout, cell: size, ...picture }: CanvasPicture,
  hits: readonly TurnNode[],
  labelled: readonly TurnNode[],
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const palette = readPalette(canvas);
  const scale = scaleOf({ layout, cell: size, ...picture });
  context.setTransform(2, 0, 0, 2, 0, 0);
  context.clearRect(0, 0, SIZE.width, SIZE.height);
  const width = Math.max(1.5, size.width * scale.x);
  const height = Math.max(0.6, size.height * scale.y);
  const columns = SIZE.width * 2;
  /** By point: 1 painted, 2 with a compaction. */
  const painted = new Uint8Array(columns * SIZE.height * 2);
  const placeOf = (cell: TurnNode): Point => ({
    x: PAD + picture.xOf(layout.laneOf(cell)) * scale.x,
    y: PAD + picture.yOf(layout.rowOf(cell)) * scale.y,
  });
  const put = (cell: TurnNode, color: string): void => {
    const isCompaction = cell.kind === 'compaction';
    const { x, y } = placeOf(cell);
    const point = Math.floor(y * 2) * columns + Math.floor(x * 2);
    const rank = isCompaction ? 2 : 1;
    if ((painted[point] ?? 0) >= rank) return;
    painted[point] = rank;
    context.fillStyle = isCompaction ? palette.amber : color;
    context.fillRect(x, y, width, isCompaction ? Math.max(height, 1.5) : height);
  };
  for (const cells of layout.lanes) for (const cell of cells) if (!graph.isActive(cell)) put(cell, palette.strong);
  painted.fill(0);
  for (const cell of layout.lanes[0] ?? []) if (graph.isActive(cell)) put(cell, palette.leaf);
  const mark = (node: TurnNode | null, color: string): void => {
    const cell = node && layout.cellOf(node);
    if (!cell) return;
    const { x, y } = placeOf(cell);
    context.fillStyle = color;
    context.fillRect(x - 1, y - 1, width + 2, Math.max(3, height));
  };
  for (const node of labelled) mark(node, palette.blue);
  for (const node of hits) mark(node, palette.hit);
  mark(graph.head, palette.leaf);
}
