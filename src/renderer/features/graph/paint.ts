/**
 * The layer behind the nodes: regions, lines, and from far away the nodes themselves. Drawn on one canvas, because a line
 * in the DOM for each of 10,000 turns would be the graph's whole cost.
 */
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { ContextRegion } from '@shared/graph/rail-lines';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphViewport } from '../../state/graph-memory';
import { type CanvasPicture, isMark, NODE, ROW, type Window, windowOf, xOf, yOf } from './canvas';
import { type Point, shownIn, type Size } from './picture';

/** Colours of the theme, read from the tokens. */
export type Palette = Record<
  | 'paper'
  | 'sheet'
  | 'line'
  | 'strong'
  | 'leaf'
  | 'leafSoft'
  | 'amber'
  | 'violet'
  | 'red'
  | 'ink2'
  | 'ink3'
  | 'blue'
  | 'hit'
  | 'segSummary'
  | 'segPins'
  | 'segMessages',
  string
>;

const TOKENS: Record<keyof Palette, string> = {
  paper: '--paper',
  sheet: '--sheet',
  line: '--line',
  strong: '--line-strong',
  leaf: '--leaf',
  leafSoft: '--leaf-soft',
  amber: '--amber',
  violet: '--violet',
  red: '--red',
  ink2: '--ink-2',
  ink3: '--ink-3',
  blue: '--blue',
  hit: '--hit-now',
  segSummary: '--seg-summary',
  segPins: '--seg-pins',
  segMessages: '--seg-messages',
};

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  return Object.fromEntries(
    Object.entries(TOKENS).map(([name, token]) => [name, style.getPropertyValue(token).trim() || 'gray']),
  ) as Palette;
}

export interface Scene {
  graph: BranchGraph;
  view: GraphViewport;
  size: Size;
  palette: Palette;
}

export interface CanvasScene extends Scene {
  picture: CanvasPicture;
  /** Nodes are drawn here and not in the DOM. */
  isFar: boolean;
  hits: ReadonlySet<TurnNode>;
  /** The cell from whose branch a summary came, if it is known. */
  sourceOf: (node: TurnNode) => TurnNode | null;
}

const PAD = 17;
const DOTS = 20;

/** Clears the canvas and lets everything that is painted next stand on the plane. `below` comes before, in the pane. */
export function onPlane(
  context: CanvasRenderingContext2D,
  { view, size }: Scene,
  ratio: number,
  below?: () => void,
): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  below?.();
  context.setTransform(ratio * view.zoom, 0, 0, ratio * view.zoom, ratio * view.x, ratio * view.y);
}

export function paintCanvas(context: CanvasRenderingContext2D, scene: CanvasScene, ratio: number): void {
  onPlane(context, scene, ratio, () => paintDots(context, scene));
  const window = windowOf(shownIn(scene.view, scene.size));
  const { layout } = scene.picture;
  const cells = layout.within(window.fromLane, window.toLane, window.fromRow, window.toRow);
  paintRegions(context, scene, cells);
  paintLines(context, scene, cells, window);
  paintSources(context, scene, cells);
  if (scene.isFar) for (const cell of cells) paintFarCell(context, scene, cell);
}

function paintDots(context: CanvasRenderingContext2D, { view, size, palette }: Scene): void {
  let step = DOTS * view.zoom;
  while (step < 14) step *= 2;
  context.fillStyle = palette.line;
  const radius = 0.9;
  context.beginPath();
  for (let x = ((view.x % step) + step) % step; x < size.width; x += step) {
    for (let y = ((view.y % step) + step) % step; y < size.height; y += step) {
      context.rect(x - radius, y - radius, radius * 2, radius * 2);
    }
  }
  context.fill();
}

/** One rounded ground behind each unbroken stretch of the active path in a lane: tinted where the model sees it, else hatched. */
function paintRegions(context: CanvasRenderingContext2D, scene: CanvasScene, cells: readonly TurnNode[]): void {
  const { graph, palette } = scene;
  const { layout } = graph;
  let from: TurnNode | null = null;
  let last: TurnNode | null = null;
  const end = (): void => {
    if (!from || !last) return;
    const region = graph.regionOf(from);
    const x = xOf(layout.laneOf(from)) - PAD;
    const top = yOf(layout.rowOf(from)) - 12;
    const bottom = yOf(layout.rowOf(last)) + NODE.height + 12;
    context.beginPath();
    context.roundRect(x, top, NODE.width + 2 * PAD, bottom - top, 10);
    context.fillStyle = region === 'seen' ? withAlpha(palette.leafSoft, 0.72) : hatch(context, palette.line);
    context.fill();
  };
  for (const cell of cells) {
    const region = graph.regionOf(cell);
    const goesOn =
      last !== null &&
      layout.laneOf(last) === layout.laneOf(cell) &&
      layout.rowOf(cell) === layout.rowOf(last) + 1 &&
      graph.regionOf(last) === region;
    if (!goesOn) {
      end();
      from = null;
    }
    if (region === 'aside') {
      from = last = null;
      continue;
    }
    from ??= cell;
    last = cell;
  }
  end();
}

const hatches = new Map<string, CanvasPattern | null>();

/** Slanted hairlines `step` pixels apart. */
export function hatch(context: CanvasRenderingContext2D, color: string, step = 8): CanvasPattern | string {
  const key = `${color} ${step}`;
  // Two themes and two steps: it never grows.
  if (!hatches.has(key)) hatches.set(key, makeHatch(context, color, step));
  return hatches.get(key) ?? color;
}

function makeHatch(context: CanvasRenderingContext2D, color: string, step: number): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = tile.height = step;
  const pen = tile.getContext('2d');
  if (!pen) return null;
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const shift of [-step, 0, step]) {
    pen.moveTo(shift, step);
    pen.lineTo(shift + step, 0);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}

function withAlpha(color: string, alpha: number): string {
  return /^#[0-9a-f]{6}$/i.test(color) ? `${color}${Math.round(alpha * 255).toString(16)}` : color;
}

const middle = (lane: number): number => xOf(lane) + NODE.width / 2;

function paintLines(
  context: CanvasRenderingContext2D,
  scene: CanvasScene,
  cells: readonly TurnNode[],
  window: Window,
): void {
  const { graph } = scene;
  const { layout } = graph;
  const asides: [number, number, number][] = [];
  const active: [number, number, number][] = [];
  const add = (cell: TurnNode, above: TurnNode): void => {
    const isActive = graph.isActive(cell) && graph.isActive(above);
    // Where it goes on out of sight is not drawn.
    const lane = Math.min(layout.laneOf(cell), window.toLane + 2);
    (isActive ? active : asides).push([Math.min(layout.laneOf(above), window.toLane + 2), lane, layout.rowOf(cell)]);
  };
  let pathNow: Map<number, TurnNode> | null = null;
  const path = (): Map<number, TurnNode> => (pathNow ??= cellsOfPath(graph));
  for (const cell of cells) {
    const above = layout.above(cell);
    if (above && layout.laneOf(above) === layout.laneOf(cell)) add(cell, above);
    // The line below the last visible row.
    for (const child of layout.rowOf(cell) >= window.toRow ? layout.below(cell) : []) {
      if (layout.laneOf(child) === layout.laneOf(cell)) add(child, cell);
    }
  }
  for (let row = Math.max(1, window.fromRow); row <= window.toRow + 1; row++) {
    for (const cell of layout.bendsAcross(row, window.fromLane, window.toLane)) {
      const above = layout.above(cell);
      if (!above) continue;
      add(cell, above);
      // It may stand for the one that goes on the active path.
      const own = graph.isActive(above) && !graph.isActive(cell) ? path().get(row) : undefined;
      if (own && layout.laneOf(own) > window.toLane) add(own, above);
    }
  }
  stroke(context, asides, scene.palette.strong, 1.6);
  stroke(context, active, scene.palette.leaf, 2.2);
}

/** The cells of the active path by their row. O(path). */
function cellsOfPath({ head, layout }: BranchGraph): Map<number, TurnNode> {
  const cells = new Map<number, TurnNode>();
  for (let node = head; node; node = node.parent) if (layout.isCell(node)) cells.set(layout.rowOf(node), node);
  return cells;
}

/** Lines from [lane above, lane, row]; all of one colour in one stroke. */
function stroke(
  context: CanvasRenderingContext2D,
  lines: readonly [number, number, number][],
  color: string,
  width: number,
) {
  if (lines.length === 0) return;
  context.beginPath();
  for (const [fromLane, lane, row] of lines) {
    const top = yOf(row - 1) + NODE.height / 2;
    const bottom = yOf(row) + NODE.height / 2;
    const x = middle(fromLane);
    if (fromLane === lane) {
      context.moveTo(x, top);
      context.lineTo(x, bottom);
      continue;
    }
    const bend = yOf(row) - (ROW - NODE.height) / 2;
    const to = middle(lane);
    const radius = 9 * Math.sign(to - x);
    context.moveTo(x, top);
    context.lineTo(x, bend - 9);
    context.quadraticCurveTo(x, bend, x + radius, bend);
    context.lineTo(to - radius, bend);
    context.quadraticCurveTo(to, bend, to, bend + 9);
    context.lineTo(to, bottom);
  }
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

/** From the end of a branch to the place where its summary stands. */
function paintSources(
  context: CanvasRenderingContext2D,
  { graph, palette, sourceOf }: CanvasScene,
  cells: readonly TurnNode[],
): void {
  const { layout } = graph;
  context.setLineDash([4, 4]);
  context.strokeStyle = palette.violet;
  context.lineWidth = 1.6;
  for (const cell of cells) {
    const source = cell.kind === 'summary' ? sourceOf(cell) : null;
    if (!source) continue;
    const x = middle(layout.laneOf(source));
    const y = yOf(layout.rowOf(source)) + NODE.height;
    const toX = middle(layout.laneOf(cell)) + (x < middle(layout.laneOf(cell)) ? -9 : 9);
    const toY = yOf(layout.rowOf(cell)) + NODE.height / 2;
    context.beginPath();
    context.moveTo(x, y);
    context.bezierCurveTo(x, y + 40, toX + (x - toX) * 0.5, toY - 4, toX, toY);
    context.stroke();
  }
  context.setLineDash([]);
}

/** A block with its state; marks keep their shape, so that compactions are found at any distance. */
function paintFarCell(
  context: CanvasRenderingContext2D,
  { graph, palette, view, hits }: CanvasScene,
  cell: TurnNode,
): void {
  const { layout } = graph;
  const x = xOf(layout.laneOf(cell));
  const y = yOf(layout.rowOf(cell));
  if (isMark(cell)) {
    const size = Math.max(9, 4.5 / view.zoom);
    paintDiamond(context, { x: x + NODE.width / 2, y: y + NODE.height / 2 }, size, cell.kind, palette);
  } else {
    context.beginPath();
    context.roundRect(x, y, NODE.width, NODE.height, 10);
    context.fillStyle = farColor(graph.regionOf(cell), palette);
    if (graph.folds.of(cell)) {
      context.strokeStyle = context.fillStyle;
      context.lineWidth = Math.max(2, 1.5 / view.zoom);
      context.setLineDash([10, 8]);
      context.stroke();
      context.setLineDash([]);
    } else context.fill();
    if (cell.failed) {
      context.fillStyle = palette.red;
      context.fillRect(x, y, NODE.width / 6, NODE.height);
    }
  }
  const ring = hits.has(cell) ? palette.amber : graph.labelOf(cell) ? palette.blue : null;
  if (!ring) return;
  context.strokeStyle = ring;
  context.lineWidth = 2 / view.zoom;
  context.strokeRect(x - 4 / view.zoom, y - 4 / view.zoom, NODE.width + 8 / view.zoom, NODE.height + 8 / view.zoom);
}

/** What a summary covers is there, but fainter than what the model sees. */
function farColor(region: ContextRegion, palette: Palette): string {
  if (region === 'aside') return palette.strong;
  return region === 'seen' ? palette.leaf : withAlpha(palette.leaf, 0.5);
}

export function paintDiamond(
  context: CanvasRenderingContext2D,
  { x, y }: Point,
  size: number,
  kind: TurnNode['kind'],
  palette: Palette,
): void {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
  if (kind === 'summary') {
    context.fillStyle = palette.paper;
    context.fill();
    context.strokeStyle = palette.violet;
    context.lineWidth = size / 4;
    context.stroke();
    return;
  }
  context.fillStyle = kind === 'compaction' ? palette.amber : palette.ink3;
  context.fill();
}
