/**
 * What rail and canvas have in common of what is painted and is no element: a line in the DOM for each of 10,000 turns would be the
 * graph's whole cost.
 */
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { ContextRegion } from '@shared/graph/rail-lines';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphViewport } from '../../state/graph-memory';
import type { Point, Size } from './picture';

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
  | 'ink'
  | 'ink2'
  | 'ink3'
  | 'blue'
  | 'hit'
  | 'segSummary'
  | 'segPins'
  | 'segMessages'
  | 'font',
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
  ink: '--ink',
  ink2: '--ink-2',
  ink3: '--ink-3',
  blue: '--blue',
  hit: '--hit-now',
  segSummary: '--seg-summary',
  segPins: '--seg-pins',
  segMessages: '--seg-messages',
  font: '--font-ui',
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

export function withAlpha(color: string, alpha: number): string {
  return /^#[0-9a-f]{6}$/i.test(color) ? `${color}${Math.round(alpha * 255).toString(16)}` : color;
}

/** What of the model's context a turn of HEAD's path is (TS8). */
export function gutterOf(graph: BranchGraph, node: TurnNode): 'summary' | 'branch' | ContextRegion {
  const region = graph.regionOf(node);
  if (region !== 'seen') return region;
  if (node === graph.compaction) return 'summary';
  return node.kind === 'summary' ? 'branch' : region;
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
