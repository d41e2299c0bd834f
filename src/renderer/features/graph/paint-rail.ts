/** Lines, dots and the gutter of the rail, painted over its rows as far as they are seen (GR7, GR30). */
import type { RailRow } from '@shared/graph/rail-rows';
import type { ContextRegion, RailBend, RailSegment } from '@shared/graph/rail-lines';
import { isMark } from '@shared/graph/turns';
import { gutterOf, hatch, paintDiamond, type Palette, type Scene } from './paint';
import { type Point, toPlane } from './picture';
import { laneX, RAIL, rowsBetween, type RailPicture } from './rail';
import { isHeadShown } from './words';

const MIDDLE = RAIL.row / 2;
/** How far above a row its line leaves the lane that it comes from. */
const LEAVES = 4;
const ASIDE = 1.6;
const TRUNK = 2.2;

export interface RailScene extends Scene {
  picture: RailPicture;
}

export function paintRail(context: CanvasRenderingContext2D, scene: RailScene): void {
  const { picture, view, size } = scene;
  const { y } = toPlane({ x: 0, y: 0 }, view);
  const [from, to] = rowsBetween(picture.layout, y, size.height, picture.gap);
  if (to < from) return;
  const { graph } = scene;
  const { segments, bends } = graph.railLines(from, to);
  paintGutter(context, scene, segments, [from, to]);
  // The trunk lies over what leaves it.
  for (const bend of bends) paintBend(context, scene, bend);
  for (const segment of segments) if (segment.lane !== 0) paintSegment(context, scene, segment);
  for (const segment of segments) if (segment.lane === 0) paintSegment(context, scene, segment);
  context.setLineDash([]);
  for (let row = from; row <= to; row++) {
    const at = picture.layout.rowAt(row);
    if (at) paintDot(context, scene, at, picture.yOf(row) + MIDDLE);
  }
}

/** The middle of a row, or of what is half a row below it. */
function middleOf({ yOf }: RailPicture, row: number): number {
  const whole = Math.floor(row);
  return yOf(whole) + (row - whole) * RAIL.row + MIDDLE;
}

function setLine(context: CanvasRenderingContext2D, region: RailSegment['region'], palette: Palette): void {
  context.setLineDash(region === 'source' ? [3.5, 3] : []);
  context.lineWidth = region === 'seen' ? TRUNK : ASIDE;
  context.strokeStyle = { seen: palette.leaf, summarised: palette.ink3, aside: palette.strong, source: palette.violet }[region]; // prettier-ignore
}

function paintSegment(
  context: CanvasRenderingContext2D,
  { picture, palette }: RailScene,
  { lane, from, to, region }: RailSegment,
): void {
  setLine(context, region, palette);
  context.beginPath();
  context.moveTo(laneX(lane), middleOf(picture, from));
  context.lineTo(laneX(lane), middleOf(picture, to));
  context.stroke();
}

/** From one lane into another, at the middle of a row. */
function paintBend(context: CanvasRenderingContext2D, { picture, palette }: RailScene, bend: RailBend): void {
  const { kind, region, row } = bend;
  const x = laneX(bend.from);
  const to = laneX(bend.to);
  const y = picture.yOf(row);
  const middle = y + MIDDLE;
  setLine(context, region, palette);
  context.beginPath();
  if (kind === 'leave') {
    context.moveTo(x, y - LEAVES);
    context.bezierCurveTo(x, y + 10, x + 4, middle, to, middle);
  } else if (kind === 'join') {
    context.moveTo(x, y - MIDDLE);
    context.lineTo(x, y);
    context.bezierCurveTo(x, y + 10, x - 4, middle, to + 6, middle);
  } else {
    context.moveTo(x + 6, middle);
    context.bezierCurveTo(to - 4, middle, to, middle + 4, to, middle + MIDDLE);
  }
  context.stroke();
}

/** One bar at the left edge: beside each row what the trunk is there. */
function paintGutter(
  context: CanvasRenderingContext2D,
  { graph, palette, picture }: RailScene,
  segments: readonly RailSegment[],
  [from, to]: readonly [number, number],
): void {
  const bar = (y: number, height: number, fill: string | CanvasPattern): void => {
    context.fillStyle = fill;
    context.fillRect(0, y, RAIL.gutter, height);
  };
  for (const { lane, from: first, to: last, region } of segments) {
    if (lane !== 0 || region === 'aside' || region === 'source') continue;
    // A line goes from middle to middle; what it is of are whole rows.
    const top = middleOf(picture, first) + (first <= 0 ? -MIDDLE : MIDDLE);
    const bottom = middleOf(picture, last) + MIDDLE;
    if (region === 'seen') bar(top, bottom - top, palette.segMessages);
    else {
      bar(top, bottom - top, hatch(context, palette.ink3, 4));
      context.fillStyle = palette.strong;
      context.fillRect(RAIL.gutter - 1, top, 1, bottom - top);
    }
  }
  for (let row = from; row <= to; row++) {
    const at = picture.layout.rowAt(row);
    if (!at || at.lane !== 0 || at.kind !== 'turn') continue;
    const kind = gutterOf(graph, at.node);
    if (kind === 'summary') bar(picture.yOf(row), RAIL.row, palette.segSummary);
    if (kind === 'branch') bar(picture.yOf(row), RAIL.row, palette.segPins);
  }
}

function paintDot(context: CanvasRenderingContext2D, scene: RailScene, row: RailRow, y: number): void {
  const { graph, palette, picture } = scene;
  const { node } = row;
  const x = laneX(row.lane);
  const region = graph.regionOf(row.kind === 'turn' || row.kind === 'branch' ? graph.shownOn(node) : node);
  const hasHead =
    graph.head !== null && picture.cellOf(graph.head) === node && (node !== graph.head || isHeadShown(graph));
  if (row.kind === 'fold' || row.kind === 'many') return paintBox(context, { x, y }, palette, region);
  if (row.kind === 'turn' && isMark(node)) {
    return paintDiamond(context, { x, y }, node.kind === 'summary' ? 5.5 : 6, node.kind, palette);
  }
  const color = region === 'seen' ? palette.leaf : palette.ink3;
  context.beginPath();
  if (hasHead) {
    context.arc(x, y, 8, 0, 7);
    context.fillStyle = palette.leafSoft;
    context.fill();
    context.globalAlpha = 0.4;
    context.lineWidth = 2;
    context.strokeStyle = palette.leaf;
    context.stroke();
    context.globalAlpha = 1;
    context.beginPath();
  }
  if (picture.canToggle(row)) paintChevron(context, { x: x + 10, y }, palette.ink3, row.kind === 'turn');
  context.beginPath();
  context.arc(x, y, hasHead ? 4.5 : 4, 0, 7);
  context.fillStyle = region === 'aside' ? palette.paper : color;
  context.fill();
  if (region !== 'aside') return;
  context.strokeStyle = palette.ink3;
  context.lineWidth = 1.5;
  context.stroke();
}

/** What can be opened: a box with a plus. */
function paintBox(context: CanvasRenderingContext2D, { x, y }: Point, palette: Palette, region: ContextRegion): void {
  context.beginPath();
  context.roundRect(x - 5, y - 5, 10, 10, 2.5);
  context.fillStyle = palette.paper;
  context.fill();
  context.strokeStyle = region === 'seen' ? palette.leaf : palette.ink3;
  context.lineWidth = 1.4;
  context.stroke();
  context.beginPath();
  context.moveTo(x - 2, y);
  context.lineTo(x + 2, y);
  context.moveTo(x, y - 2);
  context.lineTo(x, y + 2);
  context.stroke();
}

/** Beside the first row of a branch: it is closed, or open. */
function paintChevron(context: CanvasRenderingContext2D, { x, y }: Point, color: string, isOpen: boolean): void {
  context.beginPath();
  if (isOpen) {
    context.moveTo(x - 1, y - 1.5);
    context.lineTo(x + 2, y + 1.5);
    context.lineTo(x + 5, y - 1.5);
  } else {
    context.moveTo(x, y - 3);
    context.lineTo(x + 3, y);
    context.lineTo(x, y + 3);
  }
  context.strokeStyle = color;
  context.lineWidth = 1.3;
  context.stroke();
}
