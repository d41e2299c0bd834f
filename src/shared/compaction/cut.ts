import type { ContextOutline } from '../session/context/context-plan';
import { type PlanItem, weighItem } from '../session/messages/plan-item';
import { HAS_CALLS, IS_ODD, IS_RESULT, type Spine, type WindowItem } from '../session/messages/spine';
import type { TreeNode } from '../session/records/tree-node';

export type { WindowItem };

/** Where a window is divided. Indices into the window. */
export interface CutPoint {
  firstKept: number;
  /** Start of the turn that the cut divides, −1 if it divides none. */
  turnStart: number;
  isSplit: boolean;
  /** False: all entries together are smaller than the keep budget. */
  isReached: boolean;
}

/**
 * The window of the entries at these places in file order (oldest first), without view edits; null where a result does not answer a
 * call of the newest reply that has calls, as it does in every session that nobody tampered with. Its items are kept by the
 * spine, so that planning reads dense arrays and makes next to nothing. O(entries).
 */
export function windowInOrder(spine: Spine, places: readonly number[]): WindowItem[] | null {
  const window: WindowItem[] = [];
  return fillInOrder(window, spine, places) ? window : null;
}

/**
 * The loops over a window make nothing themselves: V8 throws compiled code away when it learns at a garbage collection how long
 * the arrays live that the code made, and runs 50,000 rounds ten times slower until it is compiled again.
 */
function fillInOrder(window: WindowItem[], spine: Spine, places: readonly number[]): boolean {
  let hasCalls = false;
  /** First entry after the calls that no cut has been refused at. */
  let open = 0;
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number;
    const marks = spine.marksAt(place);
    window.push(spine.windowItem(place));
    if ((marks & IS_ODD) !== 0) return false;
    if ((marks & HAS_CALLS) !== 0) {
      hasCalls = true;
      open = at + 1;
    }
    if ((marks & IS_RESULT) === 0) continue;
    if (!hasCalls) return false;
    for (; open < at; open++) {
      const isResult = (spine.marksAt(places[open] as number) & IS_RESULT) !== 0;
      if (!isResult) window[open] = uncut(window[open] as WindowItem);
    }
  }
  return true;
}

function uncut(item: WindowItem): WindowItem {
  return { ...item, isLegalCut: false };
}

/**
 * Weighs the entries of any window and finds where it may be cut: a result belongs to the nearest earlier open call with its id, as
 * in what is sent (CX9). O(items + calls).
 */
export function windowOf(items: readonly PlanItem[]): WindowItem[] {
  const blocked = divisions(items);
  let open = 0;
  return items.map((item, index) => {
    const { answers, turnStart: isTurnStart } = item.node.facts;
    open += blocked[index] ?? 0;
    return { item, raw: weighItem(item).raw, isTurnStart, isLegalCut: answers === undefined && open === 0 };
  });
}

/** For each position how many pairs of call and result begin (+1) or end (−1) to be divided by a cut there. */
function divisions(items: readonly PlanItem[]): Int32Array {
  const change = new Int32Array(items.length + 1);
  /** By call id the newest open call, as its number from 1 on; 0 and none: all are answered. */
  const newest = new Map<string, number>();
  /** By call number its entry, and the open call of the same id before it. No array a call: there are thousands. */
  const callers = [0];
  const before = [0];
  for (let index = 0; index < items.length; index++) {
    const { calls, answers } = (items[index] as PlanItem).node.facts;
    for (const id of calls ?? []) {
      before.push(newest.get(id) ?? 0);
      newest.set(id, callers.push(index) - 1);
    }
    if (answers === undefined) continue;
    // Without a call it divides nothing.
    const call = newest.get(answers) ?? 0;
    if (call === 0) continue;
    newest.set(answers, before[call] ?? 0);
    const caller = callers[call] ?? 0;
    change[caller + 1] = (change[caller + 1] ?? 0) + 1;
    change[index + 1] = (change[index + 1] ?? 0) - 1;
  }
  return change;
}

/**
 * The cut that keeps at least `keep` raw tokens at the end of a window, or as much as may be kept without dividing a call
 * from its result (PL10, PL11). O(window).
 */
export function findCutPoint(window: readonly WindowItem[], keep: number): CutPoint {
  let sum = 0;
  let at = window.length - 1;
  for (; at >= 0; at--) {
    sum += window[at]?.raw ?? 0;
    if (sum >= keep) break;
  }
  const isReached = at >= 0;
  let firstKept = Math.max(at, 0);
  while (firstKept < window.length && !window[firstKept]?.isLegalCut) firstKept++;
  if (firstKept === window.length) firstKept = isReached ? lastLegal(window, at) : -1;
  if (firstKept < 0) return { firstKept: 0, turnStart: -1, isSplit: false, isReached };
  return { ...divideAt(window, firstKept), isReached };
}

function lastLegal(window: readonly WindowItem[], before: number): number {
  let index = before - 1;
  while (index >= 0 && !window[index]?.isLegalCut) index--;
  return index;
}

/** The cut whose first kept entry is the one at an index. Whether it splits a turn is decided on that entry itself. */
export function divideAt(window: readonly WindowItem[], firstKept: number): Omit<CutPoint, 'isReached'> {
  if (window[firstKept]?.isTurnStart) return { firstKept, turnStart: -1, isSplit: false };
  let turnStart = firstKept - 1;
  while (turnStart >= 0 && !window[turnStart]?.isTurnStart) turnStart--;
  return { firstKept, turnStart, isSplit: turnStart >= 0 };
}

/** A message above this is no rule or request that can stand beside every summary: skipped, not cut (PN4). Raw tokens. */
const MAX_MESSAGE_TOKENS = 1000;
/** Of the person's messages before a window so many are looked at, newest first: the budget is spent long before. */
const MAX_EARLIER = 500;

/** One of the person's messages that a summary may leave word for word. */
export interface OwnMessage {
  node: TreeNode;
  raw: number;
  /** Its place in the window; −1: an earlier compaction hides it already. */
  at: number;
}

/**
 * The person's messages of a path that may stand beside a summary, and the results with why they declined a call, newest first (PN4): no skills, none of more than 1,000 tokens, none
 * that an edit of the view changed. O(path).
 */
export function ownMessages(outline: ContextOutline | null, window: readonly WindowItem[]): OwnMessage[] {
  const found: OwnMessage[] = [];
  for (let at = window.length - 1; at >= 0; at--) {
    const { item, raw } = window[at] as WindowItem;
    if (item.kind === 'message' && item.edit === undefined && mayStand(item.node))
      found.push({ node: item.node, raw, at });
  }
  const { tree, compaction, boundary, state, edits } = outline ?? {};
  if (!compaction) return found;
  const hidden = tree?.spine.saidByPerson((boundary ?? compaction).parent, state?.reset ?? null) ?? [];
  const earlier = hidden.filter((node) => mayStand(node) && !edits?.has(node.id)).slice(0, MAX_EARLIER);
  return [...found, ...earlier.map((node) => ({ node, raw: node.facts.raw, at: -1 }))];
}

function mayStand({ facts: { role, type, raw, skill, said } }: TreeNode): boolean {
  return (said || (type === 'message' && role === 'user' && !skill)) && raw <= MAX_MESSAGE_TOKENS;
}

/** Those before a cut that fit into a budget of raw tokens, newest first. One that does not fit ends nothing: older ones may. */
export function keptWords(own: readonly OwnMessage[], firstKept: number, budget: number): OwnMessage[] {
  const kept: OwnMessage[] = [];
  let left = budget;
  for (const message of own) {
    if (left <= 0) break;
    if (message.at >= firstKept || message.raw > left) continue;
    left -= message.raw;
    kept.push(message);
  }
  return kept;
}
