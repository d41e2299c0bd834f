/** Where a card stands that is about a cell: beside it and never on it, nor on what else is shown (GR9). */
import type { CSSProperties } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphViewport } from '../../state/graph-memory';
import type { GraphScope } from './context';
import { type Box, boxToPane, type Picture, shownIn, type Size } from './picture';

/** Pixels from the edge of the pane, from the cell beside it, and from the one above or below. */
const EDGE = 8;
const BESIDE = 18;
const UNDER = 6;
/** Less than this shows nothing of a card. */
const LEAST: Size = { width: 180, height: 96 };
/** What stands at the lower right of the canvas. */
const MINIMAP: Size = { width: 106, height: 130 };

/** What a card keeps clear of: of the first always, if any place does; of the others as far as it can. */
export interface Taken {
  never: readonly Box[];
  rather: readonly Box[];
}

interface Place {
  box: Box;
  /** The side that stays where it is while the card grows. */
  from: 'top' | 'bottom';
}

/** The places beside a cell, the ones that are tried first before the others. `x`: where a card above or below begins. */
function placesBeside(cell: Box, x: number, card: Size, pane: Size): Place[] {
  const [right, bottom] = [cell.x + cell.width, cell.y + cell.height];
  const width = Math.min(card.width, pane.width - 2 * EDGE);
  const left = Math.max(EDGE, Math.min(x, pane.width - width - EDGE));
  const height = Math.min(card.height, pane.height - 2 * EDGE);
  const top = Math.max(EDGE, Math.min(cell.y - UNDER, pane.height - height - EDGE));
  const beside = (from: number, to: number, isRight: boolean): Place => {
    const fits = Math.min(card.width, to - from);
    return { box: { x: isRight ? from : to - fits, y: top, width: fits, height }, from: 'top' };
  };
  const below = Math.min(card.height, pane.height - EDGE - bottom - UNDER);
  const above = Math.min(card.height, cell.y - UNDER - EDGE);
  return [
    beside(right + BESIDE, pane.width - EDGE, true),
    { box: { x: left, y: bottom + UNDER, width, height: below }, from: 'top' },
    { box: { x: left, y: cell.y - UNDER - above, width, height: above }, from: 'bottom' },
    beside(EDGE, cell.x - BESIDE, false),
  ];
}

/** The best place for a card of at most so many pixels. `least`: so many are worth more than that what is shown stays clear. */
export function placeCard(
  cell: Box,
  x: number,
  card: Size,
  pane: Size,
  { never, rather }: Taken,
  least: Size = LEAST,
): Place {
  const places = placesBeside(cell, x, card, pane);
  const covers = ({ box }: Place, boxes: readonly Box[]): number =>
    boxes.reduce((sum, other) => sum + sharedArea(box, other), 0);
  const lost = ({ box }: Place): number => card.width * card.height - box.width * box.height;
  const usableFrom = ({ width, height }: Size): Place[] =>
    places.filter(({ box }) => box.width >= width && box.height >= height);
  const large = usableFrom(least);
  const usable = large.length > 0 ? large : usableFrom(LEAST);
  // Where there is no room for one, the largest.
  const [first = places[0] as Place, ...others] = usable.length > 0 ? usable : places.sort((a, b) => lost(a) - lost(b));
  if (usable.length === 0) return first;
  const cost = (place: Place): number => covers(place, never) * 1000 + covers(place, rather) + lost(place) / 4;
  return others.reduce((best, place) => (cost(place) < cost(best) ? place : best), first);
}

function sharedArea(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/** What is shown in the pane: what the keys are at, the hit, what is read; besides them the other hits, HEAD and the minimap. */
function takenIn({ store }: GraphScope, picture: Picture, view: GraphViewport, size: Size): Taken {
  const { cursor, search, readingEntry } = store.state.getState();
  const { head, turns } = store.graph;
  const boxOf = (node: TurnNode | null | undefined): Box[] => {
    const cell = node && picture.cellOf(node);
    return cell ? [boxToPane(picture.boxOf(cell), view)] : [];
  };
  const read = readingEntry === null ? null : turns.place(readingEntry)?.node;
  const { nodes } = search;
  const otherHits = nodes.size === 0 ? [] : picture.within(shownIn(view, size)).filter((cell) => nodes.has(cell));
  const minimap = { x: size.width - MINIMAP.width, y: size.height - MINIMAP.height, ...MINIMAP };
  return {
    never: [cursor, search.hits[search.at], read].flatMap(boxOf),
    rather: [...[head, ...otherHits].flatMap(boxOf), ...(picture.kind === 'canvas' ? [minimap] : [])],
  };
}

interface CardAt {
  x: (cell: Box) => number;
  card: Size;
  least?: Size;
  view: GraphViewport;
  size: Size;
}

/** The place as a style. Cards end above the controls of the canvas. */
export function cardStyle(
  scope: GraphScope,
  picture: Picture,
  node: TurnNode,
  { x, card, least, view, size }: CardAt,
): CSSProperties {
  // A hit may be within a fold or a chapter.
  const cell = boxToPane(picture.boxOf(picture.cellOf(node) ?? node), view);
  const pane = { width: size.width, height: size.height - Math.max(0, picture.room.bottom - UNDER - EDGE) };
  const { box, from } = placeCard(cell, x(cell), card, pane, takenIn(scope, picture, view, size), least);
  const style = { left: box.x, width: box.width, maxHeight: box.height };
  return from === 'top' ? { ...style, top: box.y } : { ...style, bottom: size.height - box.y - box.height };
}
