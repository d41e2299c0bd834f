import type { TurnNode } from './turns';

/** A linear run of turns drawn as one node. */
export interface Fold {
  first: TurnNode;
  last: TurnNode;
  count: number;
  tokens: number;
}

/** What a run may not swallow. */
export interface FoldRules {
  /** False for nodes that are not on the graph at all. */
  isShown: (node: TurnNode) => boolean;
  /** Labelled, pinned, HEAD, or one of several variants: stays to be seen. */
  isMarked: (node: TurnNode) => boolean;
}

/** Shorter runs are shown as they are when a session is opened. */
const AUTO_FOLD_MIN = 8;
/** Turns before HEAD that stay unfolded when a session is opened. */
const KEPT_BEFORE_HEAD = 12;
/** By hand a run of two is enough. */
const FOLD_MIN = 2;

/** The folds of one graph. Members are found in O(1). */
export class FoldBook {
  /** Turns looked at, for the tests of bounded work. */
  steps = 0;
  private readonly byMember = new Map<TurnNode, Fold>();

  of(node: TurnNode): Fold | null {
    return this.byMember.get(node) ?? null;
  }

  /** All folds in the order in which they were made. */
  all(): Fold[] {
    return [...new Set(this.byMember.values())];
  }

  clear(): void {
    this.byMember.clear();
  }

  /** Folds the chain from `first` down to `last`. False if it is not a chain, too short, or meets another fold. O(length). */
  add(first: TurnNode, last: TurnNode): boolean {
    const before = this.byMember.size;
    for (const _ of this.adding(first, last));
    return this.byMember.size > before;
  }

  /** The same; rests after each turn. */
  *adding(first: TurnNode, last: TurnNode): Generator<void, void> {
    const members: TurnNode[] = [];
    for (let node: TurnNode | null = last; node; node = node.parent) {
      if (this.byMember.has(node) || node.depth < first.depth) return;
      members.push(node);
      this.steps++;
      yield;
      if (node === first) break;
    }
    if (members.length < FOLD_MIN || members.at(-1) !== first) return;
    const fold = { first, last, count: members.length, tokens: 0 };
    for (const node of members) {
      fold.tokens += node.tokens;
      this.byMember.set(node, fold);
      this.steps++;
      yield;
    }
  }

  /** A fold is within one branch: cut in two where another child goes straight on by now. O(members of folds). */
  keepStraight(isStraight: (node: TurnNode) => boolean): void {
    for (const _ of this.keepingStraight(isStraight));
  }

  /** The same; rests after each turn. */
  *keepingStraight(isStraight: (node: TurnNode) => boolean): Generator<void, void> {
    for (const fold of this.all()) {
      let { last } = fold;
      const parts: [TurnNode, TurnNode][] = [];
      for (let node: TurnNode | null = fold.last; node && node !== fold.first; node = node.parent) {
        this.steps++;
        yield;
        if (isStraight(node) || !node.parent) continue;
        parts.push([node, last]);
        last = node.parent;
      }
      if (parts.length === 0) continue;
      yield* this.removing(fold);
      for (const [from, to] of [...parts, [fold.first, last] as const]) yield* this.adding(from, to);
    }
  }

  remove(fold: Fold): void {
    for (const _ of this.removing(fold));
  }

  private *removing(fold: Fold): Generator<void, void> {
    for (let node: TurnNode | null = fold.last; node; node = node.parent) {
      this.byMember.delete(node);
      this.steps++;
      yield;
      if (node === fold.first) return;
    }
  }
}

/**
 * The turn that stands for a turn in a fold: the head of the fold speaks for all. A filter that leaves it out leaves its members as they
 * are, so that a turn that is shown is always to be found. Rail, canvas and outline ask this alone. O(1).
 */
export function leaderOf(node: TurnNode, folds: FoldBook, isShown: FoldRules['isShown']): TurnNode {
  const fold = folds.of(node);
  return fold && isShown(node) && isShown(fold.first) ? fold.first : node;
}

/** The linear run around a node, or null if there is nothing to fold. O(length of the run). */
export function runAround(node: TurnNode, rules: FoldRules): { first: TurnNode; last: TurnNode } | null {
  if (!isFoldable(node, rules)) return null;
  let first = node;
  for (let up = before(first, rules); up; up = before(first, rules)) first = up;
  let last = node;
  for (let down = after(last, rules); down; down = after(last, rules)) last = down;
  return first === last ? null : { first, last };
}

/**
 * Folds every long run of a session that is opened, its first and last turn and those before HEAD left out. O(nodes):
 * every run is walked once. Rests after each turn that it looks at.
 */
export function* foldLongRuns(
  book: FoldBook,
  nodes: readonly TurnNode[],
  head: TurnNode | null,
  rules: FoldRules,
): Generator<void, void> {
  for (const node of nodes) {
    yield;
    if (!isFoldable(node, rules) || before(node, rules)) continue;
    const run = [node];
    for (let down = after(node, rules); down; down = after(down, rules)) {
      run.push(down);
      book.steps++;
      yield;
    }
    const endsAtHead = head !== null && (run.at(-1) === head || head.parent === run.at(-1));
    const from = 1;
    const to = run.length - 1 - (endsAtHead ? KEPT_BEFORE_HEAD : 1);
    if (to - from + 1 < AUTO_FOLD_MIN) continue;
    yield* book.adding(run[from] as TurnNode, run[to] as TurnNode);
  }
}

function isFoldable(node: TurnNode, { isShown, isMarked }: FoldRules): boolean {
  const ordinary = node.kind === 'turn' || node.kind === 'answer' || node.kind === 'bash';
  // A fork stays to be seen; so the last of a run has at most one child as well.
  return ordinary && node.children.length <= 1 && isShown(node) && !isMarked(node);
}

function before(node: TurnNode, rules: FoldRules): TurnNode | null {
  return node.parent && isFoldable(node.parent, rules) ? node.parent : null;
}

function after(node: TurnNode, rules: FoldRules): TurnNode | null {
  const child = node.children[0];
  return child && isFoldable(child, rules) ? child : null;
}
