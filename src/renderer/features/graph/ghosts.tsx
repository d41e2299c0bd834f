import { useStore } from 'zustand';
import { type CSSProperties, useEffect } from 'react';
import { ViewportPortal } from '@xyflow/react';
import { beginningOf } from '@shared/cut-text';
import { firstLineOf } from '@shared/excerpt';
import type { TurnNode } from '@shared/graph/turns';
import { visibleString } from '@shared/policy/visible-text';
import type { QueueItem } from '@shared/types';
import { headWaits } from '../../actions/action';
import type { GraphViewport } from '../../state/graph-memory';
import { useSituation } from '../../state/hooks';
import { type Begun, useBegun, useFlowView, useGraph, useGraphState, usePicture } from './context';
import styles from './graph.module.css';
import { type Box, boxesIntoView, type Picture, type Point, keptClear, type Size, toPane, toPlane } from './picture';
import { rowOf } from './view';
import { shownLabel, titleOfNode } from './words';

/** What follows the pointer: the ghost of what dropping here would make, and a line to where it comes from. */
export function DragLayer() {
  const scope = useGraph();
  const { app, session, drag, texts, store } = scope;
  const picture = usePicture();
  const { view, size } = useFlowView();
  useSituation(session.id);
  const waits = headWaits(app, session.id);
  const cursor = useGraphState((state) => state.cursor);
  const { kind, source, at, target, isRefused, isOff, isCarried } = useStore(drag);
  if (kind === null || !source) return <HeadFlag />;
  const from = toPane(kind === 'head' ? middleOf(picture.boxOf(source)) : picture.plusOf(source), view);
  const to = isCarried && cursor && picture.isCell(cursor) ? toPane(middleOf(picture.boxOf(cursor)), view) : at;
  const title = target ? titleOfNode(target, texts(target)) : null;
  // Behind the end of a branch nothing begins (GR21); at HEAD its last prompt is put in another way.
  const row = rowOf(scope, source);
  const end = row?.kind === 'branch' ? row.run.tip : source;
  const goesOn = end.children.length === 0 && end !== store.graph.head;
  const over = isRefused ? (isCarried ? cursor : picture.at(toPlane(at, view))) : null;
  const isMany = over !== null && picture.manyIn(over) > 0;
  const words = isOff ? 'Let go to cancel' : ghostWords(kind, title, { isRefused, isMany, isCarried, goesOn, waits });
  const tone = target
    ? kind === 'head'
      ? styles.toLeaf
      : styles.toViolet
    : isRefused || isOff
      ? styles.toNothing
      : styles.toLeaf;
  return (
    <div className={styles.layer} data-drag-ghost={target ? 'target' : isOff ? 'off' : isRefused ? 'refused' : 'empty'}>
      <svg className={tone} aria-hidden>
        <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      </svg>
      <div className={`${styles.dragGhost} ${tone}`} style={ghostPlace(to, size)}>
        {kind === 'head' && <span className={styles.headMark}>HEAD</span>}
        {words}
      </div>
    </div>
  );
}

const middleOf = ({ x, y, width, height }: Box): Point => ({ x: x + Math.min(width / 2, 130), y: y + height / 2 });

/** Behind the pointer, or before it where the pane ends; never outside it: words that have no room beside it go on below. */
function ghostPlace({ x, y }: Point, { width, height }: Size): CSSProperties {
  const inX = Math.min(width - 4, Math.max(4, x));
  const top = Math.min(height - 64, Math.max(0, y)) + 10;
  return inX > width / 2
    ? { top, right: width - inX + 10, maxWidth: inX - 14 }
    : { top, left: inX + 10, maxWidth: width - inX - 14 };
}

interface GhostState {
  isRefused: boolean;
  /** It is over "N branches". */
  isMany: boolean;
  isCarried: boolean;
  /** The message would follow the last one of a branch. */
  goesOn: boolean;
  /** Why HEAD can't be moved now. */
  waits: string | null;
}

function ghostWords(
  kind: 'node' | 'plus' | 'head',
  target: string | null,
  { isRefused, isMany, isCarried, goesOn, waits }: GhostState,
): string {
  if (waits && (kind === 'head' || target)) return waits;
  if (isMany) return 'No turn to drop it on: a click lists them';
  if (kind === 'head') return target ? `Go to “${clip(target)}”` : 'Drop it on a turn to go there';
  if (target) return `Bring its summary to “${clip(target)}”`;
  if (isRefused) return 'Already on this branch';
  if (isCarried) return 'Choose a turn of another branch';
  const words = goesOn ? 'Goes on from here' : 'New branch here';
  return waits ? `${words}, sent when the agent rests` : words;
}

const clip = (text: string): string => (text.length > 34 ? `${beginningOf(text, 33).trimEnd()}…` : text);

/** HEAD at a readable size where the nodes are only painted. */
function HeadFlag() {
  const { head } = useGraph().store.graph;
  const picture = usePicture();
  const { view, size } = useFlowView();
  useGraphState((state) => state.version);
  const cell = head ? picture.cellOf(head) : null;
  if (!cell || picture.kind === 'rail' || view.zoom >= 0.36) return null;
  const box = picture.boxOf(cell);
  const { x, y } = toPane({ x: box.x + box.width, y: box.y }, view);
  if (x < 0 || y < 0 || x > size.width + 40 || y > size.height + 20) return null;
  return (
    <div className={styles.layer}>
      <span className={styles.farHead} style={{ transform: `translate(${x + 3}px, ${y - 14}px)` }}>
        HEAD
      </span>
    </div>
  );
}

const firstWords = ({ text }: QueueItem): string =>
  clip(visibleString(firstLineOf(text.slice(0, 400)))) || 'New branch';

/** What a prepared branch waits for. */
function stateOf({ held, problem }: QueueItem): string {
  if (problem !== undefined) return 'could not be begun';
  return held ? 'prepared, not sent' : 'sent when the agent rests';
}

/** What the message becomes, in the words of the composer's chip (GR21). */
function titleOfBegun({ goesOn, versionOf, item }: Begun, nameOf: (node: TurnNode) => string): string {
  if (item) return firstWords(item);
  if (versionOf === undefined) return goesOn ? 'Goes on here' : 'New branch here';
  return `New version of ${versionOf ? `‹${nameOf(versionOf)}›` : 'an earlier message'}`;
}

/** Under it: what it waits for, or from where it leaves, if that is not what it stands under. */
function noteOfBegun({ at, versionOf, item }: Begun, nameOf: (node: TurnNode) => string, isUnderIt: boolean): string {
  if (item) return stateOf(item);
  if (at && !isUnderIt && versionOf === undefined) return `from ‹${nameOf(at)}›`;
  return at || versionOf !== undefined ? 'your next message' : 'from the very start';
}

/** The cell of the nearest turn that is shown: its own, else that of what is above it; null: there is none. O(depth) where it is left out. */
function nearestCell(picture: Picture, node: TurnNode | null): TurnNode | null {
  for (let at = node; at; at = at.parent) {
    const cell = picture.cellOf(at);
    if (cell) return cell;
  }
  return null;
}

/** Pixels of the pane beside both ends. */
const ROOM = 36;
/** Below this the words of the nodes can't be read. */
const SMALLEST = 0.45;
const zoomed = (view: GraphViewport, zoom: number): GraphViewport => (zoom === view.zoom ? view : { ...view, zoom });

const isSame = (a: GraphViewport, b: GraphViewport): boolean =>
  Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.zoom - b.zoom) < 0.001;

/** Where the next message will stand while a branch is begun; brought into view when it begins, with HEAD if there is room (GR10). */
export function Ghost() {
  const { camera, store, texts } = useGraph();
  const picture = usePicture();
  const begun = useBegun();
  const isShown = begun !== null;
  const above = nearestCell(picture, begun?.at ?? null);
  const { box, from } = picture.nextPlace(above);
  // What it leaves stands in the row above it, which on the canvas is higher than a card.
  const { x: fromX, y: fromY } = above ? picture.boxOf(above) : box;
  const { kind } = picture;
  useEffect(() => {
    const eye = camera.current;
    if (!isShown || !eye || eye.size().width === 0) return;
    const view = eye.goal();
    const size = eye.size();
    // Both ends of the new branch are to be seen: it is what the person has just made.
    const zoomTo = (left: number, right: number): number =>
      kind === 'rail' ? 1 : Math.min(view.zoom, (size.width - ROOM) / (right - left));
    const { head } = store.graph;
    const headCell = head && picture.cellOf(head);
    const headBox = headCell && picture.boxOf(headCell);
    const end = box.x + box.width;
    const withHead = headBox ? zoomTo(Math.min(fromX, headBox.x), Math.max(end, headBox.x + headBox.width)) : 0;
    const zoom = withHead >= SMALLEST ? withHead : Math.max(Math.min(SMALLEST, view.zoom), zoomTo(fromX, end));
    const both = { x: fromX, y: fromY, width: end - fromX, height: box.y + box.height - fromY };
    const boxes = headBox ? [box, both, headBox] : [box, both];
    const next = keptClear(picture, size, (room) => boxesIntoView(boxes, zoomed(view, zoom), size, room));
    if (next === view) return;
    eye.move(next, true);
    return () => {
      // Begun and left again, the branch leaves no trace; unless the person has moved the view meanwhile.
      if (isSame(eye.goal(), next)) eye.move(view);
    };
    // A box is made anew with each drawing; what it says is in its four sides. HEAD that moves is followed elsewhere.
  }, [isShown, box.x, box.y, box.width, box.height, fromX, fromY, kind, camera]); // oxlint-disable-line react-hooks/exhaustive-deps
  if (!isShown) return null;
  const nameOf = (node: TurnNode): string => clip(shownLabel(store.graph, node) ?? titleOfNode(node, texts(node)));
  return (
    <ViewportPortal>
      {above && (
        <div
          className={kind === 'rail' ? styles.ghostBend : styles.ghostLine}
          style={{
            transform: `translate(${from.x}px, ${from.y}px)`,
            ...(kind === 'rail'
              ? { width: Math.max(0, box.x - from.x), height: box.height }
              : { width: Math.max(0, box.x + box.width / 2 - from.x), height: box.y - from.y }),
          }}
        />
      )}
      <div
        className={kind === 'rail' ? styles.ghostRow : styles.ghost}
        style={{ transform: `translate(${box.x}px, ${box.y}px)`, width: box.width, height: box.height }}
        data-ghost={begun.item ? 'prepared' : 'draft'}
      >
        <b dir="auto">{titleOfBegun(begun, nameOf)}</b>
        <small>{noteOfBegun(begun, nameOf, above !== null && above === begun.at)}</small>
      </div>
    </ViewportPortal>
  );
}
