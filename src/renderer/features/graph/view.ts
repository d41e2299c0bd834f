/** How the view of the graph moves, and its nodes as targets of actions. */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { asksAgain, type TurnNode } from '@shared/graph/turns';
import type { GraphView, NodeTarget } from '../../actions/action';
import { act, verdictOn } from '../../actions/menus';
import type { BranchGraph } from '@shared/graph/branch-graph';
import { doesGraphFloat, hidesTranscript } from '../../state/ui-store';
import { type GraphScope, NO_DRAG } from './context';
import { boxToPane, bringIntoView, centreOn, fitAll, isInView, type Point } from './picture';
import type { RailRow } from '@shared/graph/rail-rows';
import type { CanvasLayout } from '@shared/graph/canvas';
import type { CanvasPicture } from './canvas';
import { nameInMemory } from './turn-facts';
import type { RailPicture } from './rail';
import { changesLevel, headView, setLevel } from './use-camera';

/** A cell as what an action acts on: what is acted on is what is read, of a stack the variant that is shown, of a closed branch all of it. */
export function targetOf(scope: GraphScope, cell: TurnNode): NodeTarget {
  const row = rowOf(scope, cell);
  const isRead = row ? row.kind === 'turn' : isTurn(scope, cell);
  return targetAt(
    scope,
    isRead ? scope.store.graph.shownOn(cell) : cell,
    row?.kind === 'branch' ? row.run.tip : undefined,
  );
}

/** A turn as that, whatever stands for it. A label stands at one entry of its turn; a new one at what the turn begins with. */
export function targetAt({ session, store, view }: GraphScope, node: TurnNode, tip?: TurnNode): NodeTarget {
  const { graph } = store;
  return {
    ...{ sessionId: session.id, id: node.contentId, endId: (tip ?? node).tailId, node, tip, view },
    pinned: graph.pinsOf(node),
    isUnsent: node.kind === 'compaction' || node.kind === 'start',
    labelled: graph.labelledEntry(node),
    hiddenAt: graph.hiddenAt(node),
  };
}

/** Does something with a node. */
export function actOn(scope: GraphScope, id: NodeAction, node: TurnNode): void {
  act(scope.app, id, targetOf(scope, node));
}

/** The transcript shows a turn that was clicked, of whichever path, where it stands beside the graph (GR11, GR12). */
export function readThere(scope: GraphScope, target: NodeTarget): void {
  if (!hidesTranscript(scope.app.ui.getState().layout)) act(scope.app, 'node.read', target);
}

/** Whether the transcript is to be seen beside the graph: what is read in it needs no card (GR9). */
export function isTranscriptSeen({ app }: GraphScope): boolean {
  const ui = app.ui.getState();
  return ui.layout.graphFull ? ui.layout.graphSplit : !doesGraphFloat(ui, window.innerWidth);
}

/** Begins a branch out of a turn: at HEAD, from which one only goes on, another try of its prompt (GR21). */
export function beginBranch(scope: GraphScope, node: TurnNode): void {
  actOn(scope, isEndOfHead(scope.store.graph, node) ? 'node.edit' : 'entry.branch', node);
}

/** Whether nothing was said yet after a turn that HEAD is on: a branch there would only continue. */
export function isEndOfHead(graph: BranchGraph, node: TurnNode): boolean {
  return node === graph.head && node.children.length === 0 && asksAgain(node);
}

/** The row of a cell, where the rail is shown. */
export function rowOf({ picture }: Pick<GraphScope, 'picture'>, cell: TurnNode): RailRow | null {
  const shown = picture.current;
  return shown?.kind === 'rail' ? (shown as RailPicture).rowOf(cell) : null;
}

/** Opens what a cell stands for, or closes it. False if there is nothing to fold. */
export function toggle(scope: Pick<GraphScope, 'picture' | 'store' | 'overlay'>, cell: TurnNode): boolean {
  const { store, overlay, picture } = scope;
  const row = rowOf(scope, cell);
  if (isMany(scope, cell)) overlay.setState({ many: cell, preview: null });
  else if (isChapter(scope, cell)) {
    // A chapter opens into its turns.
    store.setCursor(cell);
    setLevel(scope, 'turns');
  } else if (row && row.kind !== 'fold' && (picture.current as RailPicture).canToggle(row))
    store.openRun(row.run, row.kind === 'branch'); // prettier-ignore
  else return store.toggleFold(cell);
  return true;
}

/** Whether a cell is "N branches", which opens their list (GR6). */
export function isMany({ picture }: Pick<GraphScope, 'picture'>, cell: TurnNode): boolean {
  return (picture.current?.manyIn(cell) ?? 0) > 0;
}

/** The layout of chapters, where it is shown. */
function chaptersOf({ picture }: Pick<GraphScope, 'picture'>): CanvasLayout | null {
  const shown = picture.current as Partial<CanvasPicture> | null;
  return shown?.level === 'chapters' ? (shown.layout ?? null) : null;
}

/** Turns in the place of chapters, at a scale. */
function goTurns({ keys, ...scope }: Pick<GraphScope, 'keys' | 'overlay' | 'store'>, scale?: number): void {
  keys.scale = scale;
  setLevel(scope, 'turns');
}

/** Whether a cell is a chapter of several turns. */
export function isChapter(scope: Pick<GraphScope, 'picture'>, cell: TurnNode): boolean {
  return (chaptersOf(scope)?.turnsIn(cell) ?? 0) > 1;
}

/** Goes over from chapters to turns where the chapter of a turn is known by another one, or is more than it and a scale is asked for. True if it does. */
export function showTurns(
  scope: Pick<GraphScope, 'keys' | 'overlay' | 'picture' | 'store'>,
  node: TurnNode,
  scale?: number,
): boolean {
  const chapters = chaptersOf(scope);
  const cell = chapters?.cellOf(node);
  if (!chapters || (cell === node && (scale === undefined || chapters.turnsIn(cell) < 2))) return false;
  scope.store.reveal(node);
  scope.store.setCursor(node);
  goTurns(scope, scale);
  return true;
}

/** Whether a cell shows the one turn that it is known by, of a closed branch the first. */
export function isTurn(scope: Pick<GraphScope, 'picture' | 'store'>, cell: TurnNode): boolean {
  const row = rowOf(scope, cell);
  const chapters = chaptersOf(scope);
  if (isMany(scope, cell)) return false;
  if (chapters) return chapters.turnsIn(cell) < 2;
  return row ? row.kind === 'turn' || row.kind === 'branch' : !scope.store.graph.folds.of(cell);
}

/** Whether a click at a place of a cell opens or closes it. */
export function opensAt(scope: GraphScope, cell: TurnNode, at: Point): boolean {
  const row = rowOf(scope, cell);
  const chapters = chaptersOf(scope);
  if (isMany(scope, cell)) return true;
  if (chapters) return chapters.turnsIn(cell) > 1;
  if (!row) return scope.store.graph.folds.of(cell) !== null;
  return row.kind === 'fold' || (scope.picture.current as RailPicture).isToggle(row, at);
}

/** Shows the variant of a cell that an arrow of its counter leads to (GR5). */
export function stepVariant(scope: GraphScope, cell: TurnNode, by: 1 | -1): void {
  const target = targetOf(scope, cell);
  const id = by === 1 ? 'node.later' : 'node.earlier';
  // At an end there is nothing more to show: that is no click on the turn.
  if (verdictOn(scope.app, id, target) === true) act(scope.app, id, target);
}

export type NodeAction = 'node.go' | 'node.read' | 'node.fold' | 'node.edit' | 'entry.branch';

/** The view of an open graph; it does nothing while the graph is not on screen. */
export function createView(scope: Omit<GraphScope, 'view'>): GraphView {
  const { app, store, drag, camera, picture } = scope;
  return {
    store,
    toggle: (node) => toggle(scope, node),
    isClosed: (node) => {
      const row = rowOf(scope, node);
      if (isMany(scope, node)) return true;
      return row ? row.kind !== 'turn' : store.graph.folds.of(node) !== null;
    },
    fit() {
      const eye = camera.current;
      if (!eye || !picture.current) return;
      const all = fitAll(picture.current, eye.size());
      // What would be too small to be read is chapters, and they all fit.
      if (all.zoom > picture.current.zoom.min || !changesLevel(scope, all.zoom)) eye.move(all, true);
    },
    goToHead() {
      const eye = camera.current;
      const { head } = store.graph;
      const cell = head ? picture.current?.cellOf(head) : picture.current?.first;
      // The keys go along: what they do is seen (GR10).
      if (head && !picture.current) return void (store.reveal(head), store.setCursor(head));
      if (head && showTurns(scope, head, 1)) return;
      if (cell) store.setCursor(cell);
      if (!eye || !cell || !picture.current) return;
      const { zoom } = eye.goal();
      // At a scale at which it can be read.
      const centred = centreOn(picture.current, cell, eye.size(), zoom < 0.68 ? 1 : zoom);
      eye.move(head ? headView(picture.current, head, centred, eye.size()) : centred, true);
    },
    zoomBy(factor) {
      const eye = camera.current;
      if (!eye || !picture.current) return;
      const { x, y, zoom } = eye.goal();
      const { width, height } = eye.size();
      const { min, max } = picture.current.zoom;
      // Chapters have a scale of their own: 100 % is that of turns.
      if (factor * zoom === 1 && chaptersOf(scope)) return goTurns(scope, 1);
      const next = Math.min(max, Math.max(min, zoom * factor));
      if (changesLevel(scope, next)) return;
      // Around what the keys are at, or HEAD, where it is to be seen; else around the middle of the pane.
      const { cursor } = store.state.getState();
      const fixed = [cursor, store.graph.head].find((node) => {
        const cell = node && picture.current?.cellOf(node);
        return cell && picture.current && isInView(picture.current, cell, { x, y, zoom }, { width, height });
      });
      const cell = fixed && picture.current.cellOf(fixed);
      const box = cell ? boxToPane(picture.current.boxOf(cell), { x, y, zoom }) : { x: 0, y: 0, width, height };
      const at = (middle: number, shift: number): number => middle - ((middle - shift) / zoom) * next;
      eye.move({ x: at(box.x + box.width / 2, x), y: at(box.y + box.height / 2, y), zoom: next }, true);
    },
    nameOf: (node) => nameInMemory(scope, node),
    carry(node) {
      drag.setState({ ...NO_DRAG, kind: 'node', source: node, isCarried: true });
      app.announce('Choose a turn of another branch with the arrows, then press Enter. Esc cancels.');
    },
  };
}

/**
 * Brings into view what somebody wants to see from outside of the graph, once the view is there to be moved. `hasView`: there is one; lines
 * have none.
 */
export function useWanted(scope: GraphScope, hasView = true): void {
  const wanted = useStore(scope.store.state, (state) => state.wanted);
  useEffect(() => {
    if (!wanted) return;
    let frame = 0;
    const look = (): void => {
      if (hasView && !scope.camera.current) return void (frame = requestAnimationFrame(look));
      scope.store.state.setState({ wanted: null });
      show(scope, wanted);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [scope, wanted, hasView]);
}

/** Brings a node into view, of the outline too, and makes it the one that the keys are about. */
export function show(scope: GraphScope, node: TurnNode, isCalm = true): void {
  const { store, picture, keys } = scope;
  // What is a cell is to be seen: a closed branch stays closed where the keys walk over it.
  if (picture.current?.isCell(node)) return bringCell(scope, node, isCalm);
  // It has a place once the rows are drawn anew (`useShown`).
  if (picture.current) keys.wanted = node;
  store.reveal(node);
  store.setCursor(node);
}

/** The same for what is a cell. */
export function bringCell({ store, camera, picture }: GraphScope, cell: TurnNode, isCalm = true): void {
  store.setCursor(cell);
  const eye = camera.current;
  if (!eye || !picture.current) return;
  const view = eye.goal();
  const next = bringIntoView(picture.current, cell, view, eye.size());
  if (next !== view) eye.move(next, isCalm);
}
