import type { BranchGraph } from './branch-graph';
import type { TurnNode } from './turns';

/** Branches as things (GR16, GR17): one for each straight run, with its figures, its state, its name. Pure. */

/** `head`: HEAD is on it. `hidden`: a dead end, put away by the person. `merged`: its summary was brought over, and nothing came after that. */
type BranchState = 'head' | 'open' | 'merged' | 'hidden';

/** Figures of some turns. Tokens are raw estimates, cost US dollars, copies not counted. */
export interface BranchFigures {
  /** Prompts with their answers, and commands of the person (`countsAsTurn`). */
  turns: number;
  tokens: number;
  cost: number;
}

/** A straight run with the variants that stand behind its turns. */
export interface Branch extends BranchFigures {
  /** The entry that it begins with: what its name belongs to. */
  readonly id: string;
  readonly first: TurnNode;
  /** Its last turn. */
  readonly tip: TurnNode;
  /** Files that its calls changed, each once; null: some did, and which ones is not known. */
  files: number | null;
  /** Providers that were asked for a part of it that has no price: what it cost is known only in part. */
  unpriced: ReadonlySet<string>;
  /** Unix milliseconds of its newest entry. */
  lastTime: number;
  state: BranchState;
}

export interface BranchList {
  /** In the order in which they began. */
  branches: readonly Branch[];
  /** All of them together: each turn, token and dollar is in one branch. */
  sum: BranchFigures;
  /** HEAD's turn as of then. */
  head: TurnNode | null;
  /** By turn. */
  of(node: TurnNode): Branch;
}

/** Which run a turn is in, with those that stand behind it in its stack (GR16, GR5). */
interface Runs {
  runOf(node: TurnNode): { readonly first: TurnNode; readonly tip: TurnNode };
}

interface Making extends Branch {
  unpriced: Set<string>;
  paths: Set<string>;
  /** Calls that changed a file. */
  changes: number;
  /** File position of the last entry that is more than a setting. */
  lastSeq: number;
}

/** The branches of a graph. O(turns). */
export function listBranches(graph: BranchGraph, runs: Runs): BranchList {
  const byFirst = new Map<TurnNode, Making>();
  const branchOf = (node: TurnNode): Making => {
    const { first, tip } = runs.runOf(node);
    const known = byFirst.get(first);
    if (known) return known;
    const made = begun(first, tip);
    byFirst.set(first, made);
    return made;
  };
  for (const node of graph.turns.nodes) {
    const branch = branchOf(node);
    if (graph.order.countsAsTurn(node)) branch.turns += 1;
    branch.tokens += node.tokens;
    branch.cost += node.cost;
    for (const provider of node.unpriced) branch.unpriced.add(provider);
    branch.changes += node.changes.length;
    if (node.files.size > 0) for (const path of node.files) branch.paths.add(path);
    // A time that is none is no activity.
    if (node.endTime > branch.lastTime) branch.lastTime = node.endTime;
    branch.lastSeq = Math.max(branch.lastSeq, node.lastContentSeq);
  }
  const merged = mergedAt(graph, branchOf);
  const sum: BranchFigures = { turns: 0, tokens: 0, cost: 0 };
  for (const branch of byFirst.values()) {
    sum.turns += branch.turns;
    sum.tokens += branch.tokens;
    sum.cost += branch.cost;
    branch.files = branch.paths.size === 0 && branch.changes > 0 ? null : branch.paths.size;
    if (graph.isHidden(branch.first)) branch.state = 'hidden';
    else if ((merged.get(branch) ?? -1) > branch.lastSeq) branch.state = 'merged';
  }
  if (graph.head) branchOf(graph.head).state = 'head';
  return { branches: [...byFirst.values()], sum, head: graph.head, of: branchOf };
}

function begun(first: TurnNode, tip: TurnNode): Making {
  const figures = { turns: 0, tokens: 0, cost: 0, files: 0, lastTime: 0 };
  const sets = { paths: new Set<string>(), unpriced: new Set<string>() };
  return { ...figures, ...sets, id: first.contentId, first, tip, state: 'open', changes: 0, lastSeq: -1 };
}

/** Where in the file the summary of a branch was last brought over to another one. */
function mergedAt({ turns }: BranchGraph, branchOf: BranchList['of']): Map<Branch, number> {
  const merged = new Map<Branch, number>();
  for (const node of turns.nodes) {
    const from = node.broughtFrom === null ? undefined : turns.place(node.broughtFrom)?.node;
    if (!from) continue;
    const branch = branchOf(from);
    if (branch !== branchOf(node)) merged.set(branch, Math.max(node.contentSeq, merged.get(branch) ?? -1));
  }
  return merged;
}

/** A name, and where it comes from. `words`: there is none, and the first words of the branch stand for it. */
export type BranchName =
  | { from: 'label' | 'title'; text: string; entryId: string }
  | { from: 'session' | 'words'; text: null; entryId: string };

/** What names are known: titles by the entry that a branch begins with. */
export type Titles = Readonly<Record<string, string>>;

/**
 * What a branch is called (GR16): by the label or the title of its first turn; HEAD's by the nearest one above HEAD that begins a run, else
 * as the session. `head`: HEAD of when the list was made. `entryId`: what a new name would belong to. O(1), O(path) for HEAD's.
 */
export function nameOf(
  graph: BranchGraph,
  titles: Titles,
  { first, state }: Pick<Branch, 'first' | 'state'>,
  head = graph.head,
): BranchName {
  if (state !== 'head') return nameAt(graph, titles, first) ?? { from: 'words', text: null, entryId: first.contentId };
  let nearest: TurnNode | null = null;
  for (let node = head; node; node = node.parent) {
    if (!beginsRun(node)) continue;
    nearest ??= node;
    const name = nameAt(graph, titles, node);
    if (name) return name;
  }
  return { from: 'session', text: null, entryId: (nearest ?? first).contentId };
}

function nameAt(graph: BranchGraph, titles: Titles, node: TurnNode): BranchName | null {
  const entryId = node.contentId;
  const label = graph.labelOf(node);
  // Another name takes its place: it may stand at the answer.
  if (label !== undefined) return { from: 'label', text: label, entryId: graph.labelledEntry(node) ?? entryId };
  const title = Object.hasOwn(titles, entryId) ? titles[entryId] : undefined;
  return title ? { from: 'title', text: title, entryId } : null;
}

/** Whether a run begins at a turn of HEAD's path, seen from what stands beside it. */
function beginsRun({ parent }: TurnNode): boolean {
  return parent === null || parent.children.length > 1;
}

export const BRANCH_SORTS = ['activity', 'cost', 'turns', 'name'] as const;
export type BranchSort = (typeof BRANCH_SORTS)[number];

/** HEAD's branch, then the others as sorted, then those that are hidden (GR17). Equal ones stand as they began. */
export function sortBranches(
  branches: readonly Branch[],
  sort: BranchSort,
  nameFor: (branch: Branch) => string,
): Branch[] {
  const rank = ({ state }: Branch): number => (state === 'head' ? 0 : state === 'hidden' ? 2 : 1);
  const names = sort === 'name' ? new Map(branches.map((branch) => [branch, nameFor(branch)])) : null;
  const by = (a: Branch, b: Branch): number => {
    if (names) return COLLATOR.compare(names.get(a) ?? '', names.get(b) ?? '');
    if (sort === 'cost') return b.cost - a.cost;
    return sort === 'turns' ? b.turns - a.turns : b.lastTime - a.lastTime;
  };
  return [...branches].sort((a, b) => rank(a) - rank(b) || by(a, b));
}

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** What two turns are compared over (GR14): the turns on either side since they parted, oldest first. */
export interface Apart {
  /** The last turn that both have; null: they share none. */
  shared: TurnNode | null;
  a: TurnNode[];
  b: TurnNode[];
}

/** Where two turns part. Of two on one path the upper one is compared, as it is, with what came after it. O(depth). */
export function apart(a: TurnNode, b: TurnNode): Apart {
  const [sideA, sideB]: [TurnNode[], TurnNode[]] = [[], []];
  let [x, y]: (TurnNode | null)[] = [a, b];
  while (x !== y) {
    if (x && (!y || x.depth >= y.depth)) {
      sideA.push(x);
      x = x.parent ?? null;
    } else if (y) {
      sideB.push(y);
      y = y.parent;
    }
  }
  if (a === b) return { shared: a.parent, a: [a], b: [b] };
  if (sideA.length === 0) sideA.push(a);
  if (sideB.length === 0) sideB.push(b);
  return { shared: x ?? null, a: sideA.reverse(), b: sideB.reverse() };
}
