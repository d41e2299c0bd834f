import type { TreeNode } from '../records/tree-node';
import { addWeight, type ContextTotals, isOutput, plainItem, type PlanItem } from './plan-item';
import { SentColumn } from './sent-column';

/** Marks of an entry for planning a compaction. */
const VISIBLE = 1;
export const HAS_CALLS = 2;
export const IS_RESULT = 4;
/** A result that is not the first answer to a call of the newest reply with calls. */
export const IS_ODD = 8;
/** A summary: the words around it are not the session's. */
export const IS_SUMMARY = 16;
/** What a tool or a command printed. */
const IS_OUTPUT = 32;
/** Has images. */
const HAS_IMAGES = 64;
/** The person's words: a message of theirs, or a result with why they declined its call. */
const IS_SAID = 128;
/** Entries between a reply and its result above which the pair is looked up by id. */
const MAX_ENTRIES_BETWEEN = 64;

/** One visible entry of the window that a compaction may divide, weighed as the context shows it. */
export interface WindowItem {
  item: PlanItem;
  /** Raw tokens (TK3). */
  raw: number;
  isTurnStart: boolean;
  /** The first kept entry may be this one: it is not a tool result and divides no call from its result (PL9). */
  isLegalCut: boolean;
}

const SUMMARY_ROLES = new Set(['branchSummary', 'compactionSummary']);

/**
 * Parent, marks, weight, items and what is sent of every entry as dense arrays in file order. Nodes lie scattered among the bodies
 * in memory, so a walk over 50,000 of them is a chain of cache misses; over these it is about 20 times faster.
 */
export class Spine {
  private readonly nodes: readonly TreeNode[];
  private readonly parents: number[] = [];
  private readonly marks: number[] = [];
  /** Raw tokens (TK3), and those of thinking among them. */
  private readonly raws: number[] = [];
  private readonly thinkings: number[] = [];
  private readonly items: (PlanItem | undefined)[] = [];
  private readonly windowItems: (WindowItem | undefined)[] = [];
  /** What a provider is sent for the entries. */
  readonly sent: SentColumn;

  constructor(nodes: readonly TreeNode[]) {
    this.nodes = nodes;
    this.sent = new SentColumn(nodes);
  }

  /** Takes the node that was added last. */
  add(node: TreeNode): void {
    this.parents.push(node.parent ? node.parent.index : -1);
    this.marks.push(marksOf(node));
    this.raws.push(node.facts.raw);
    this.thinkings.push(node.facts.thinking);
    this.items.push(undefined);
    this.windowItems.push(undefined);
    this.sent.add(node);
  }

  /** Takes the parent of a node that was linked later. */
  relink(node: TreeNode): void {
    this.parents[node.index] = node.parent ? node.parent.index : -1;
    // What stands above it and below it was not known when they were marked.
    if (node.facts.visible) this.marks[node.index] = VISIBLE | IS_ODD | weightMarks(node);
    this.sent.relink(node);
  }

  /** Marks of the entry at a place in file order. */
  marksAt(index: number): number {
    return this.marks[index] ?? 0;
  }

  /**
   * Places in file order of the visible entries from a node up to an ancestor (exclusive; null: to the root), newest first,
   * added to `into`. Gives all marks that any of them has.
   */
  visible(from: TreeNode | null, stop: TreeNode | null, into: number[]): number {
    const { parents, marks } = this;
    let seen = 0;
    const end = stop ? stop.index : -1;
    let index = from ? from.index : -1;
    while (index !== end && index >= 0) {
      const mark = marks[index] as number;
      if ((mark & VISIBLE) !== 0) into.push(index);
      seen |= mark;
      index = parents[index] as number;
    }
    return seen;
  }

  /** Entries with the person's words from a node up to an ancestor (exclusive; null: to the root), newest first. O(distance). */
  saidByPerson(from: TreeNode | null, stop: TreeNode | null): TreeNode[] {
    const { parents, marks } = this;
    const found: TreeNode[] = [];
    const end = stop ? stop.index : -1;
    for (let index = from ? from.index : -1; index !== end && index >= 0; index = parents[index] as number)
      if (((marks[index] as number) & IS_SAID) !== 0) found.push(this.nodes[index] as TreeNode);
    return found;
  }

  /** The entry at a place in file order. */
  nodeAt(index: number): TreeNode {
    return this.nodes[index] as TreeNode;
  }

  /** For each entry in file order: the bit, if it is on the path to one, that one included; else 0. O(entries / 1000 + path). */
  bitsOfPath(leaf: TreeNode, bit: number): Uint8Array {
    const { parents } = this;
    const bits = new Uint8Array(parents.length);
    for (let { index } = leaf; index >= 0; index = parents[index] as number) bits[index] = bit;
    return bits;
  }

  /** True if an entry is an ancestor of another. O(distance). */
  isBelow(node: TreeNode, ancestor: TreeNode): boolean {
    const { parents } = this;
    let { index } = node;
    while (index >= 0 && index !== ancestor.index) index = parents[index] as number;
    return index >= 0;
  }

  /** The entry at a place in file order as a plain context shows it; the same object each time. */
  windowItem(index: number): WindowItem {
    return (this.windowItems[index] ??= windowItemOf(this.nodes[index] as TreeNode));
  }

  /** The item of a visible entry without view edits; the same object each time. */
  item(index: number): PlanItem {
    return (this.items[index] ??= plainItem(this.nodes[index] as TreeNode));
  }

  /** True for a summary: what it is sent as is not kept here. */
  isSummary(index: number): boolean {
    return ((this.marks[index] ?? 0) & IS_SUMMARY) !== 0;
  }

  /** Raw tokens of such an item. */
  rawAt(index: number): number {
    return this.raws[index] ?? 0;
  }

  /** Adds such an item that is not a summary to totals, and gives its raw tokens. */
  addWeight(totals: ContextTotals, index: number): number {
    const marks = this.marks[index] as number;
    if ((marks & HAS_IMAGES) !== 0) return addWeight(totals, this.item(index));
    const raw = this.raws[index] as number;
    const thinking = this.thinkings[index] as number;
    totals.raw += raw;
    totals.thinking += thinking;
    if ((marks & IS_OUTPUT) !== 0) totals.toolOutputs += raw - thinking;
    else totals.messages += raw - thinking;
    return raw;
  }
}

function windowItemOf(node: TreeNode): WindowItem {
  const { raw, turnStart, answers } = node.facts;
  return { item: plainItem(node), raw, isTurnStart: turnStart, isLegalCut: answers === undefined };
}

/** O(1) in ordinary sessions: results stand near their calls. */
function marksOf(node: TreeNode): number {
  const { visible, calls, answers } = node.facts;
  if (!visible) return 0;
  const marks = VISIBLE | weightMarks(node);
  if (answers === undefined) return calls ? marks | HAS_CALLS : marks;
  const isRegular = calls === undefined && isFirstAnswer(node.parent, answers);
  return isRegular ? marks | IS_RESULT : marks | IS_RESULT | IS_ODD;
}

function weightMarks({ facts }: TreeNode): number {
  const { type, role, images, said } = facts;
  const isSaid = said || (type === 'message' && role === 'user');
  const isSummary = type === 'branch_summary' || SUMMARY_ROLES.has(role ?? '');
  return (
    (isSummary ? IS_SUMMARY : 0) |
    (isOutput(role) ? IS_OUTPUT : 0) |
    (images > 0 ? HAS_IMAGES : 0) |
    (isSaid ? IS_SAID : 0)
  );
}

function isFirstAnswer(from: TreeNode | null, callId: string): boolean {
  let at = from;
  for (let steps = 0; at && steps < MAX_ENTRIES_BETWEEN; steps++, at = at.parent) {
    const { visible, calls, answers } = at.facts;
    if (!visible) continue;
    if (calls) return calls.includes(callId);
    if (answers === callId) return false;
  }
  return false;
}
