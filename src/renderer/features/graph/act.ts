/** What a person does with a node, from drags, keys, menu and preview alike. */
import type { TurnNode } from '@shared/graph/turns';
import type { MenuItem } from '../../ui';
import type { GraphScope } from './context';
import { NO_DRAG } from './drag-state';
import { bringIntoView, centreOn, fitAll } from './geometry';
import { ZOOM } from '../../state/graph-memory';

/** Goes to the end of a turn; to its prompt, where nothing came after it. */
export function goTo({ actions, session }: GraphScope, node: TurnNode, summary?: 'ask'): void {
  void actions.navigate(session.id, node.tailId, summary ? { summary } : undefined);
}

/** The next message hangs at the end of this turn. The graph makes room for the composer. */
export function branchFrom({ app, actions, session }: GraphScope, node: TurnNode): void {
  if (app.ui.getState().layout.graphFull) app.setLayout({ graphFull: false });
  void actions.branchFrom(session.id, node.tailId);
}

export function bringOver({ actions, session }: GraphScope, source: TurnNode, target: TurnNode): void {
  actions.bringOver(session.id, source.tailId, target.tailId);
}

export function editLabel({ actions, session, store }: GraphScope, node: TurnNode): void {
  actions.editLabel(session.id, labelledEntry(store.graph.turns, node, session) ?? node.contentId);
}

/** A label stands at one entry of the turn; a new one at what the turn begins with. */
function labelledEntry(
  turns: { place(id: string): { node: TurnNode } | undefined },
  node: TurnNode,
  session: GraphScope['session'],
) {
  return Object.keys(session.live.getState().labels).findLast((id) => turns.place(id)?.node === node);
}

export function toggleFold({ app, store }: GraphScope, node: TurnNode): void {
  if (!store.toggleFold(node)) app.announce('There is no run of turns to fold here.');
}

/** Carries a node by keyboard: arrows go, Enter drops, Esc cancels. */
export function carry({ app, drag }: GraphScope, node: TurnNode): void {
  drag.setState({ ...NO_DRAG, kind: 'node', source: node, isCarried: true });
  app.announce('Choose where its summary goes with the arrows, then press Enter. Esc cancels.');
}

/** Brings a node into view and makes it the one that the keys are about. */
export function show(scope: GraphScope, node: TurnNode, isCalm = true): void {
  const { store, camera } = scope;
  store.reveal(node);
  const cell = store.graph.layout.cellOf(node) ?? node;
  store.setCursor(cell);
  const eye = camera.current;
  if (!eye) return;
  const view = eye.goal();
  const next = bringIntoView(store.graph.layout, cell, view, eye.size());
  if (next !== view) eye.move(next, isCalm);
}

export function fit({ store, camera }: GraphScope): void {
  const eye = camera.current;
  if (eye) eye.move(fitAll(store.graph.layout, eye.size(), ZOOM), true);
}

/** Back to where HEAD is, at a scale at which it can be read. */
export function goToHead({ store, camera }: GraphScope, isCalm = true): void {
  const eye = camera.current;
  const { graph } = store;
  const cell = graph.head ? graph.layout.cellOf(graph.head) : (graph.layout.tops[0] ?? null);
  if (!eye || !cell) return;
  const { zoom } = eye.goal();
  eye.move(centreOn(graph.layout, cell, eye.size(), zoom < 0.68 ? 1 : zoom), isCalm);
}

/** Zooms around the middle of the pane. */
export function zoomBy({ camera }: GraphScope, factor: number): void {
  const eye = camera.current;
  if (!eye) return;
  const { x, y, zoom } = eye.goal();
  const { width, height } = eye.size();
  const next = Math.min(ZOOM.max, Math.max(ZOOM.min, zoom * factor));
  const at = (middle: number, shift: number): number => middle - ((middle - shift) / zoom) * next;
  eye.move({ x: at(width / 2, x), y: at(height / 2, y), zoom: next }, true);
}

/** All actions of a node, for its menu. */
export function nodeItems(scope: GraphScope, node: TurnNode): MenuItem[] {
  const { store, actions, session } = scope;
  const { graph } = store;
  const { head } = graph;
  const isHere = graph.leafId === node.tailId;
  const fold = graph.folds.of(node);
  const { kind, promptId } = node;
  const isElsewhere = head !== null && !graph.isActive(node);
  const items: MenuItem[] = [
    { id: 'go', label: 'Go here', hint: 'Enter', disabled: isHere, onSelect: () => goTo(scope, node) },
    {
      id: 'goSummary',
      label: 'Go here with a summary…',
      hint: 'S',
      disabled: isHere,
      onSelect: () => goTo(scope, node, 'ask'),
    },
    { id: 'branch', label: 'Branch from here', hint: 'B', onSelect: () => branchFrom(scope, node) },
  ];
  if (kind === 'turn' && promptId !== null) {
    const edit = (): void => void actions.navigate(session.id, promptId);
    items.push({ id: 'edit', label: 'Edit the message in a new branch', onSelect: edit });
  }
  items.push({ kind: 'separator', id: 'first' });
  if (isElsewhere && head) {
    items.push({ id: 'bring', label: 'Bring its summary to HEAD…', onSelect: () => bringOver(scope, node, head) });
  }
  items.push(
    { id: 'carry', label: 'Bring its summary to another branch…', hint: 'O', onSelect: () => carry(scope, node) },
    {
      id: 'label',
      label: graph.labelOf(node) ? 'Change the label…' : 'Label…',
      hint: 'L',
      onSelect: () => editLabel(scope, node),
    },
    { id: 'fold', label: fold ? 'Unfold' : 'Fold this run', hint: 'Space', onSelect: () => toggleFold(scope, node) },
    { kind: 'separator', id: 'second' },
    { id: 'fork', label: 'Fork to a new session', onSelect: () => void actions.fork(session.id, node.tailId) },
    { id: 'copy', label: 'Copy a reference', onSelect: () => void actions.copyReference(session.id, node.contentId) },
    hideItem(scope, node),
  );
  return items;
}

function hideItem({ store, actions, session }: GraphScope, node: TurnNode): MenuItem {
  const root = hiddenRoot(store.graph, node);
  const set = (entryId: string, archived: boolean) => () => void actions.setArchived(session.id, entryId, archived);
  return root
    ? { id: 'hide', label: 'Show this branch again', onSelect: set(root, false) }
    : { id: 'hide', label: 'Hide this branch', onSelect: set(node.contentId, true) };
}

/** The entry at which the branch of a hidden node was put away. O(depth). */
function hiddenRoot(graph: GraphScope['store']['graph'], node: TurnNode): string | null {
  for (let at: TurnNode | null = node; at && graph.isHidden(at); at = at.parent) {
    const cut = graph.cutAt(at) ?? (at.parent ? graph.cutAt(at.parent) : null);
    if (cut !== null) return cut;
  }
  return null;
}
