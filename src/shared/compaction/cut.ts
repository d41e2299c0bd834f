import type { PlanItem } from '../session/context-plan';
import { weighItem } from '../session/totals';

/** One visible entry of the window that a compaction may divide, weighed as the context shows it. */
export interface WindowItem {
  item: PlanItem;
  /** Raw tokens (engine.md 4.2). */
  raw: number;
  isTurnStart: boolean;
  /** The first kept entry may be this one: it is no tool result and divides no call from its result (engine.md 6.1). */
  isLegalCut: boolean;
}

/** Where a window is divided. Indices into the window. */
export interface CutPoint {
  firstKept: number;
  /** Start of the turn that the cut divides, −1 if it divides none. */
  turnStart: number;
  isSplit: boolean;
  /** False: all entries together are smaller than the keep budget. */
  isReached: boolean;
}

/** Weighs the entries of a window and finds where it may be cut. O(items + calls). */
export function windowOf(items: readonly PlanItem[]): WindowItem[] {
  const blocked = divisions(items);
  let open = 0;
  return items.map((item, index) => {
    open += blocked[index] ?? 0;
    const { answers, turnStart } = item.node.facts;
    return { item, raw: weighItem(item).raw, isTurnStart: turnStart, isLegalCut: answers === undefined && open === 0 };
  });
}

/** For each position how many pairs of call and result begin (+1) or end (−1) to be divided by a cut there. */
function divisions(items: readonly PlanItem[]): Int32Array {
  const change = new Int32Array(items.length + 1);
  const calls = new Map<string, number[]>();
  items.forEach(({ node: { facts } }, index) => {
    for (const id of facts.calls ?? []) {
      const open = calls.get(id);
      if (open) open.push(index);
      else calls.set(id, [index]);
    }
    if (facts.answers === undefined) return;
    // The nearest earlier open call, as the pairing of what is sent has it (engine.md 3.3). Without one it divides nothing.
    const caller = calls.get(facts.answers)?.pop();
    if (caller === undefined) return;
    change[caller + 1] = (change[caller + 1] ?? 0) + 1;
    change[index + 1] = (change[index + 1] ?? 0) - 1;
  });
  return change;
}

/**
 * The cut that keeps at least `keep` raw tokens at the end of a window, or as much as may be kept without dividing a call
 * from its result (engine.md 6.1). O(window).
 */
export function findCutPoint(window: readonly WindowItem[], keep: number): CutPoint {
  let sum = 0;
  let at = window.length - 1;
  for (; at >= 0; at--) {
    sum += window[at]?.raw ?? 0;
    if (sum >= keep) break;
  }
  const isReached = at >= 0;
  const legal = window.flatMap(({ isLegalCut }, index) => (isLegalCut ? [index] : []));
  const firstKept = isReached ? (legal.find((index) => index >= at) ?? legal.at(-1)) : legal[0];
  if (firstKept === undefined) return { firstKept: 0, turnStart: -1, isSplit: false, isReached };
  return { ...divideAt(window, firstKept), isReached };
}

/** The cut whose first kept entry is the one at an index. Whether it splits a turn is decided on that entry itself. */
export function divideAt(window: readonly WindowItem[], firstKept: number): Omit<CutPoint, 'isReached'> {
  if (window[firstKept]?.isTurnStart) return { firstKept, turnStart: -1, isSplit: false };
  let turnStart = firstKept - 1;
  while (turnStart >= 0 && !window[turnStart]?.isTurnStart) turnStart--;
  return { firstKept, turnStart, isSplit: turnStart >= 0 };
}
