import { plainItem } from './context-plan';
import type { PlanItem } from './context-plan';
import type { ProjectedMessage } from './entry';
import { projectEntry } from './project-entry';
import type { TreeNode } from './tree-node';

const INVISIBLE = null;
const UNKNOWN = undefined;

/** Marks of an entry for planning a compaction. */
export const VISIBLE = 1;
export const HAS_CALLS = 2;
export const IS_RESULT = 4;
/** A result that is not the first answer to a call of the newest reply with calls. */
export const IS_ODD = 8;
/** Entries between a reply and its result above which the pair is looked up by id. */
const MAX_ENTRIES_BETWEEN = 64;

/** One visible entry of the window that a compaction may divide, weighed as the context shows it. */
export interface WindowItem {
  item: PlanItem;
  /** Raw tokens (TK3). */
  raw: number;
  isTurnStart: boolean;
  /** The first kept entry may be this one: it is no tool result and divides no call from its result (PL9). */
  isLegalCut: boolean;
}

/**
 * Parent, marks, window item and message of every entry as dense arrays in file order. Nodes lie scattered among the bodies in memory, so a walk
 * over 50,000 of them is a chain of cache misses; over these it is about 20 times faster.
 */
export class Spine {
  private readonly nodes: readonly TreeNode[];
  private readonly parents: number[] = [];
  private readonly messages: (ProjectedMessage | null | undefined)[] = [];
  private readonly marks: number[] = [];
  private readonly windowItems: (WindowItem | undefined)[] = [];

  constructor(nodes: readonly TreeNode[]) {
    this.nodes = nodes;
  }

  /** Takes the node that was added last. */
  add(node: TreeNode): void {
    this.parents.push(node.parent ? node.parent.index : -1);
    this.messages.push(node.facts.visible ? UNKNOWN : INVISIBLE);
    this.marks.push(marksOf(node));
    this.windowItems.push(undefined);
  }

  /** Takes the parent of a node that was linked later. */
  relink(node: TreeNode): void {
    this.parents[node.index] = node.parent ? node.parent.index : -1;
    // What stands above it and below it was not known when they were marked.
    if (node.facts.visible) this.marks[node.index] = VISIBLE | IS_ODD;
  }

  /** Marks of the entry at a place in file order. */
  marksAt(index: number): number {
    return this.marks[index] ?? 0;
  }

  /**
   * Places in file order of the visible entries from a node up to an ancestor (exclusive; null: to the root), newest first,
   * added to `into`.
   */
  visible(from: TreeNode | null, stop: TreeNode | null, into: number[]): void {
    const { parents, marks } = this;
    const end = stop ? stop.index : -1;
    let index = from ? from.index : -1;
    while (index !== end && index >= 0) {
      if (((marks[index] ?? 0) & VISIBLE) !== 0) into.push(index);
      index = parents[index] ?? -1;
    }
  }

  /** The entry at a place in file order as a plain context shows it; the same object each time. */
  windowItem(index: number): WindowItem {
    return (this.windowItems[index] ??= windowItemOf(this.nodes[index] as TreeNode));
  }

  /** Forgets what the body of a node became. */
  forget(node: TreeNode): void {
    if (node.facts.visible) this.messages[node.index] = UNKNOWN;
  }

  /**
   * Messages of the visible entries from a node up to an ancestor (exclusive; null: to the root), newest first.
   * @param missing takes the ids of entries whose bodies are not resident
   */
  collect(from: TreeNode | null, stop: TreeNode | null, into: ProjectedMessage[], missing: string[]): void {
    const { parents, messages } = this;
    const end = stop ? stop.index : -1;
    let index = from ? from.index : -1;
    while (index !== end && index >= 0) {
      const message = messages[index] ?? (messages[index] === UNKNOWN ? this.project(index, missing) : INVISIBLE);
      if (message) into.push(message);
      index = parents[index] ?? -1;
    }
  }

  private project(index: number, missing: string[]): ProjectedMessage | null {
    const node = this.nodes[index];
    if (!node?.body) {
      if (node) missing.push(node.id);
      return null;
    }
    const message = projectEntry(node.body, node.timeMs);
    this.messages[index] = message;
    return message;
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
  if (answers === undefined) return calls ? VISIBLE | HAS_CALLS : VISIBLE;
  const isRegular = calls === undefined && isFirstAnswer(node.parent, answers);
  return isRegular ? VISIBLE | IS_RESULT : VISIBLE | IS_RESULT | IS_ODD;
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
