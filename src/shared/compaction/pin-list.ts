import { shownCallId } from '../cut-text';
import { outlineContext } from '../session/context/context-plan';
import { PinFinder } from '../session/context/pin-finder';
import { rawOfPin, weighPinned } from '../session/messages/plan-item';
import type { SessionTree } from '../session/tree/tree';
import type { TreeNode } from '../session/records/tree-node';
import { listedItem, type ListedItem } from './preview';

/** A pinned message that counts in a context. */
export interface PinAt {
  node: TreeNode;
  /** It stands in the block after a summary; else in its own place, as any message does. */
  isHidden: boolean;
  /** It is on a branch that a summary of the path covers. */
  isAside: boolean;
}

/**
 * The pinned messages that count at a leaf, in the order of the path: those of the path since the last reset, and those of the
 * branches that its summaries cover (PN2). What a view edit takes out of the context is not among them. O(path).
 * @param more entries that count as pinned besides
 */
export function pinsAt(tree: SessionTree, leafId: string | null, more: readonly string[] = []): PinAt[] {
  const pins = new Set([...tree.pins, ...more]);
  const outline = pins.size > 0 ? outlineContext(tree, leafId) : null;
  if (!outline) return [];
  const { compaction, boundary, state, edits, leaf } = outline;
  const { reset } = state;
  const finder = new PinFinder(tree, leaf, pins, edits);
  const before = compaction && (boundary ?? compaction).parent;
  const asPin = (node: TreeNode, isHidden: boolean): PinAt => {
    const isAside = !finder.isOnPath(node);
    return { node, isAside, isHidden: isHidden || isAside };
  };
  const hidden = compaction ? finder.between(before, reset, []) : [];
  const shown = finder.between(leaf, compaction ? before : reset, []);
  return [...hidden.map((node) => asPin(node, true)), ...shown.map((node) => asPin(node, false))];
}

/** Raw tokens of messages as pinned ones, with the block around them. O(nodes). */
function rawOfPins(nodes: readonly TreeNode[]): number {
  return nodes.length === 0 ? 0 : nodes.reduce((sum, node) => sum + rawOfPin(node), weighPinned([]).raw);
}

/** What pins may take (PN3). */
export interface PinLimit {
  /** Calibrated tokens; null: the window is unknown, and so is the limit. */
  limit: number | null;
  /** Percent of the window, as it is set. */
  percent: number;
}

/** A pinned message with what it takes as one. */
export interface PinItem extends ListedItem {
  /** Calibrated tokens. */
  tokens: number;
  /** It stands in the block after a summary; else in its own place. */
  isHidden: boolean;
  /** It is on a branch that a summary of the path covers. */
  isAside: boolean;
}

/** The pins of a context against their limit. */
export interface PinList extends PinLimit {
  /** What all of them take, calibrated tokens. */
  tokens: number;
  /** In the order of the path, at most `MOST_LISTED`. */
  pins: PinItem[];
  /** So many more are not listed. */
  more: number;
}

/** A file may pin any number; a person looks through so many. */
const MOST_LISTED = 200;
/** Entries above a result in which its call is looked for. */
const MOST_STEPS = 200;

/** The limit for a window of so many tokens; 0: unknown (PN3). */
export function pinLimit(window: number, percent: number): PinLimit {
  return { limit: window > 0 ? Math.floor((window * percent) / 100) : null, percent };
}

/** What pins take at a leaf, calibrated tokens. O(pins). */
export function tokensOfPins(pins: readonly PinAt[], ratio: number): number {
  return Math.ceil(ratio * rawOfPins(pins.map(({ node }) => node)));
}

/** The pins that count at a leaf. O(path). */
export function pinListAt(tree: SessionTree, leafId: string | null, ratio: number, limit: PinLimit): PinList {
  const pins = pinsAt(tree, leafId);
  return {
    ...limit,
    tokens: tokensOfPins(pins, ratio),
    pins: pins.slice(0, MOST_LISTED).map(({ node, isHidden, isAside }) => ({
      ...listedItem(node),
      ...callOf(node),
      tokens: Math.ceil(ratio * rawOfPin(node)),
      isHidden,
      isAside,
    })),
    more: Math.max(0, pins.length - MOST_LISTED),
  };
}

/** The call that a result answers: its words say what was done. */
function callOf({ facts: { answers }, parent }: TreeNode): Pick<ListedItem, 'call'> {
  if (answers === undefined) return {};
  let node = parent;
  for (let step = 0; node && step < MOST_STEPS; step++, node = node.parent)
    if (node.facts.calls?.includes(answers)) return { call: { entryId: node.id, id: shownCallId(answers) } };
  return {};
}
