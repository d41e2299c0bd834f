/** Two turns side by side (GR14): what opens the sheet, and what is done from it. */
import type { TurnNode } from '@shared/graph/turns';
import type { App } from '../state/app-type';
import type { ComparedTurns } from '../state/branch-state';
import { type NodeTarget, type Verdict, takes } from './action';

/** Opens the sheet over two turns, each by an entry of it. HEAD's stands at the left. */
export function compare(app: App, { sessionId, a, b }: ComparedTurns): void {
  const session = app.openSession(sessionId);
  void session.graph.open();
  const { leafId } = session.live.getState();
  app.ui.setState({ compared: b === leafId ? { sessionId, a: b, b: a } : { sessionId, a, b } });
}

/** A turn with HEAD; of a closed branch all that is in it. */
export function compareWithHead(app: App, { sessionId, node, tip = node, view }: NodeTarget): void {
  const { head } = view.store.graph;
  if (head && head !== tip) compare(app, { sessionId, a: head.tailId, b: tip.tailId });
}

/** The variants of a turn: the one in front with the one before it, or after it if it is the first. */
export function compareVariants(app: App, { sessionId, node, view }: NodeTarget): void {
  const [front, other] = twoVariants(view.store.graph.order.variants, node);
  if (front && other) compare(app, { sessionId, a: front.tailId, b: other.tailId });
}

export function hasVariants({ node, view }: NodeTarget): boolean {
  return twoVariants(view.store.graph.order.variants, node).length > 1;
}

function twoVariants(variants: NodeTarget['view']['store']['graph']['order']['variants'], node: TurnNode): TurnNode[] {
  const all = variants.variantsOf(node);
  const at = all.indexOf(node);
  const other = all[at - 1] ?? all[at + 1];
  return other ? [node, other] : [node];
}

/** Whether HEAD, which went somewhere, stands at one of these turns: at a summary that one ends with, or behind that of what it left. */
export function hasKept(head: TurnNode, nodes: readonly TurnNode[]): boolean {
  if (nodes.includes(head)) return true;
  return head.kind === 'summary' && head.broughtFrom === null && head.parent !== null && nodes.includes(head.parent);
}

/** Whether HEAD may go to one of the sides now. */
export function canKeep(app: App, sessionId: string): Verdict {
  return takes(app, sessionId, 'navigate');
}
