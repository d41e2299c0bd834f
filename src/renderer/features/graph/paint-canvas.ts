/** What is painted behind the cells of the canvas: regions, lines, and where there are too many cells for elements, the cells (GR8, GR30). */
import type { ContextRegion } from '@shared/graph/rail-lines';
import { isNoTurn, type TurnNode } from '@shared/graph/turns';
import type { CanvasPicture, Window } from './canvas';
import { gutterOf, hatch, onPlane, paintDiamond, type Palette, type Scene, withAlpha } from './paint';
import { shownIn } from './picture';

export interface CanvasScene extends Scene {
  picture: CanvasPicture;
  /** Cells are drawn here and not in the DOM. */
  isFar: boolean;
  hits: ReadonlySet<TurnNode>;
  titleOf: (cell: TurnNode) => string;
  /** The cell from whose branch a summary was brought over, if it is shown (GR4). */
  sourceOf: (node: TurnNode) => TurnNode | null;
}

const PAD = 12;
const DOTS = 20;
const RADIUS = 10;
/** Pixels on screen of words that are painted, at least (GR8). */
const SMALLEST_WORDS = 11.5;

/** Pixels of the plane that the words of a card have where they are small (`--title`). */
const titleSize = (zoom: number): number => Math.max(13, SMALLEST_WORDS / zoom);

export function paintCanvas(context: CanvasRenderingContext2D, scene: CanvasScene, ratio: number): void {
  onPlane(context, scene, ratio, () => paintDots(context, scene));
  const window = scene.picture.windowOf(shownIn(scene.view, scene.size));
  const { layout } = scene.picture;
  const cells = layout.within(window.fromLane, window.toLane, window.fromRow, window.toRow);
  paintRegions(context, scene, window);
  paintGutter(context, scene, window);
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

/** The grounds behind HEAD's path, which is lane 0: tinted where the model sees it, hatched where a summary stands for it. */
function paintRegions(
  context: CanvasRenderingContext2D,
  { graph, palette, picture }: CanvasScene,
  window: Window,
): void {
  if (window.fromLane > 0) return;
  const { layout, cell, xOf, yOf } = picture;
  let from: TurnNode | null = null;
  let last: TurnNode | null = null;
  const end = (): void => {
    if (!from || !last) return;
    const top = yOf(layout.rowOf(from)) - PAD;
    const bottom = yOf(layout.rowOf(last)) + cell.height + PAD;
    context.beginPath();
    context.roundRect(xOf(0) - PAD, top, cell.width + 2 * PAD, bottom - top, 14);
    context.fillStyle =
      graph.regionOf(from) === 'seen' ? withAlpha(palette.leafSoft, 0.7) : hatch(context, palette.line);
    context.fill();
    from = last = null;
  };
  for (const node of layout.within(0, 0, window.fromRow - 1, window.toRow + 1)) {
    const region = graph.regionOf(node);
    if (last && graph.regionOf(last) !== region) end();
    if (region === 'aside') continue;
    from ??= node;
    last = node;
  }
  end();
}

/** Pixels of the plane: a bar, and the ground beside it. */
const GUTTER = { width: 4, away: 4 } as const;

/** One bar beside the grounds, in the meter's colours as at the rail's edge: beside each cell what of HEAD's context it is (TS8). */
function paintGutter(
  context: CanvasRenderingContext2D,
  { graph, palette, picture }: CanvasScene,
  window: Window,
): void {
  if (window.fromLane > 0) return;
  const { layout, cell, xOf, yOf } = picture;
  const fills = {
    summary: palette.segSummary,
    branch: palette.segPins,
    seen: palette.segMessages,
    summarised: hatch(context, palette.ink3, 4),
  };
  const between = (cell.row - cell.height) / 2;
  for (const node of layout.within(0, 0, window.fromRow - 1, window.toRow + 1)) {
    const what = gutterOf(graph, node);
    if (what === 'aside') continue;
    context.fillStyle = fills[what];
    context.fillRect(
      xOf(0) - PAD - GUTTER.away - GUTTER.width,
      yOf(layout.rowOf(node)) - between,
      GUTTER.width,
      cell.row,
    );
  }
}

/** A line down to a cell, from the cell that it hangs at. */
interface Line {
  fromLane: number;
  fromRow: number;
  lane: number;
  row: number;
}

function paintLines(
  context: CanvasRenderingContext2D,
  scene: CanvasScene,
  cells: readonly TurnNode[],
  window: Window,
): void {
  const { graph, picture, palette } = scene;
  const { layout } = picture;
  const lines: Record<ContextRegion, Line[]> = { aside: [], summarised: [], seen: [] };
  const add = (cell: TurnNode, above: TurnNode): void => {
    const region = graph.isActive(above) ? graph.regionOf(cell) : 'aside';
    // Where it goes on out of sight is not drawn.
    const inSight = (lane: number): number => Math.min(lane, window.toLane + 2);
    const [fromLane, lane] = [inSight(layout.laneOf(above)), inSight(layout.laneOf(cell))];
    lines[region].push({ fromLane, lane, fromRow: layout.rowOf(above), row: layout.rowOf(cell) });
  };
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
      if (above) add(cell, above);
    }
  }
  stroke(context, picture, lines.aside, palette.strong, 1.7);
  stroke(context, picture, lines.summarised, palette.ink3, 2);
  stroke(context, picture, lines.seen, palette.leaf, 2.4);
}

/** All lines of one color in one stroke: straight down, or at right angles through the gap above the row. */
function stroke(
  context: CanvasRenderingContext2D,
  { cell, xOf, yOf }: CanvasPicture,
  lines: readonly Line[],
  color: string,
  width: number,
): void {
  if (lines.length === 0) return;
  const middle = (lane: number): number => xOf(lane) + cell.width / 2;
  context.beginPath();
  for (const { fromLane, fromRow, lane, row } of lines) {
    const x = middle(fromLane);
    const to = middle(lane);
    const bottom = yOf(row) + cell.height / 2;
    context.moveTo(x, yOf(fromRow) + cell.height / 2);
    if (fromLane !== lane) {
      const bend = yOf(row) - (cell.row - cell.height) / 2;
      context.arcTo(x, bend, to, bend, RADIUS);
      context.arcTo(to, bend, to, bottom, RADIUS);
    }
    context.lineTo(to, bottom);
  }
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

/** How far above the middle of a mark a line passes clear of its two lines of words. */
const overWords = (zoom: number): number => 5 + 1.25 * titleSize(zoom);

/** From the end of a branch through the gap beside the lane of the place where its summary stands, and to it below its own row (GR8). */
function paintSources(
  context: CanvasRenderingContext2D,
  { palette, picture, sourceOf, view }: CanvasScene,
  cells: readonly TurnNode[],
): void {
  const { layout, cell, xOf, yOf } = picture;
  context.setLineDash([4, 4]);
  context.strokeStyle = palette.violet;
  context.lineWidth = 1.6;
  for (const node of cells) {
    const source = node.kind === 'summary' ? sourceOf(node) : null;
    if (!source || source === node) continue;
    const isRight = layout.laneOf(source) > layout.laneOf(node);
    const x = xOf(layout.laneOf(source)) + (isRight ? 0 : cell.width);
    const y = yOf(layout.rowOf(source)) + cell.height / 2;
    const gap = xOf(layout.laneOf(node)) + (isRight ? cell.width + PAD + 2 : -PAD - 2);
    const middle = xOf(layout.laneOf(node)) + cell.width / 2;
    const end = yOf(layout.rowOf(node)) + cell.height / 2;
    // At the right of the diamond are its words: the line comes over them and down to it.
    const toX = isRight ? middle + 5 : middle - 10;
    const toY = isRight ? end - overWords(view.zoom) : end;
    context.beginPath();
    context.moveTo(x, y);
    if (Math.abs(layout.laneOf(source) - layout.laneOf(node)) < 2) context.arcTo(gap, y, gap, toY, RADIUS);
    else {
      // Cards stand in the lanes between.
      const beside = x + (isRight ? -PAD - 2 : PAD + 2);
      const half = cell.row / 2;
      const between = toY < y ? y - half : y + half;
      context.arcTo(beside, y, beside, between, RADIUS);
      context.arcTo(beside, between, gap, between, RADIUS);
      context.arcTo(gap, between, gap, toY, RADIUS);
    }
    context.arcTo(gap, toY, toX, toY, RADIUS);
    if (isRight) context.arcTo(toX, toY, toX, end, RADIUS / 2);
    context.lineTo(toX, isRight ? end - 4 : toY);
    context.stroke();
  }
  context.setLineDash([]);
}

/** A cell with its words, where more are on screen than can be elements. */
function paintFarCell(context: CanvasRenderingContext2D, scene: CanvasScene, node: TurnNode): void {
  const { graph, palette, view, hits, picture, titleOf } = scene;
  const { layout, cell, xOf, yOf } = picture;
  const x = xOf(layout.laneOf(node));
  const y = yOf(layout.rowOf(node));
  const region = graph.regionOf(layout.turnsIn(node) > 1 ? node : graph.shownOn(node));
  const size = titleSize(view.zoom);
  const begin = isNoTurn(node)
    ? paintMark(context, node, { x, y, width: cell.width, height: cell.height }, palette)
    : x + 10;
  if (!isNoTurn(node)) {
    context.beginPath();
    context.roundRect(x, y, cell.width, cell.height, 8);
    context.fillStyle = palette.sheet;
    context.fill();
    context.strokeStyle = hits.has(node) ? palette.hit : region === 'seen' ? palette.leaf : palette.strong;
    context.lineWidth = Math.max(1, 1 / view.zoom);
    context.stroke();
  }
  context.font = `540 ${size}px ${palette.font}`;
  context.textBaseline = 'middle';
  context.fillStyle = wordsColor(node, region, palette);
  // Letters that surely fit: nothing is measured, for there are many.
  const room = Math.floor((x + cell.width - begin - 8) / (size * 0.56));
  const title = titleOf(node);
  context.fillText(
    title.length > room ? `${title.slice(0, Math.max(1, room - 1))}…` : title,
    begin,
    y + cell.height / 2,
  );
}

function paintMark(
  context: CanvasRenderingContext2D,
  node: TurnNode,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  palette: Palette,
): number {
  paintDiamond(context, { x: x + width / 2, y: y + height / 2 }, 9, node.kind, palette);
  return x + width / 2 + 18;
}

function wordsColor({ kind }: TurnNode, region: ContextRegion, palette: Palette): string {
  if (kind === 'compaction') return palette.amber;
  if (kind === 'summary') return palette.violet;
  return { seen: palette.ink, summarised: palette.ink3, aside: palette.ink2 }[region];
}
