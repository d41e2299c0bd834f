import type { SessionEntry } from './entry';
import type { EntryFacts } from './facts';

/** A visible entry in a context without view edits (plan-item.ts). */
export interface PlainItem {
  readonly sourceId: string;
  readonly kind: 'message' | 'branch';
  readonly node: TreeNode;
  readonly edit: undefined;
}

/** Provider and model id of the requests from some point on. */
export interface ModelChoice {
  provider: string;
  modelId: string;
}

/**
 * What the path from the root to a node says, kept so that a context needs no walk to the root. Nodes share the object of
 * their parent unless they change something, so a session of 100,000 entries has few of them.
 */
export interface PathState {
  readonly thinkingLevel: string;
  readonly model: ModelChoice | null;
  /** Latest `compaction` on the path. */
  readonly compaction: TreeNode | null;
  /** Latest `reset_boundary` on the path. */
  readonly reset: TreeNode | null;
  /** Latest view edit on the path; earlier ones are found from its parent. */
  readonly edit: TreeNode | null;
  /** Nearest node to which an `espalier.request` is attached. */
  readonly requests: TreeNode | null;
}

/** Several children; sorted only when someone looks, because a star of n children would cost O(n²) otherwise. */
interface KidList {
  list: TreeNode[];
  sorted: boolean;
}

const NO_CHILDREN: readonly TreeNode[] = [];

/** One entry in the tree: facts, place in the file, neighbours, and the body while it is resident. */
export class TreeNode {
  parent: TreeNode | null = null;
  /** The whole entry, if it is in memory. Set by the tree alone. */
  body: SessionEntry | undefined = undefined;
  /** It or something below it is seen in the transcript: else it is not a version of anything. */
  shows = false;
  /** Null until somebody asks: see `SessionTree.stateOf`. A node with a state has only ancestors with one. */
  state: PathState | null = null;
  /** What it is in a context without view edits: see `planContext`. */
  plainItem: PlainItem | null = null;
  /** Raw tokens of the request that a reply answered and of the reply: they never change. Null until they are asked for. */
  ownContext: number | null = null;
  private pathDepth = 0;
  private kids: TreeNode | KidList | null = null;

  constructor(
    readonly facts: EntryFacts,
    /** Number of the line in the file; the header is 0. */
    readonly seq: number,
    /** Place among the entries in file order, from 0. */
    readonly index: number,
  ) {}

  get id(): string {
    return this.facts.id;
  }

  /** Unix milliseconds; 0 where the timestamp does not parse. */
  get timeMs(): number {
    return Number.isNaN(this.facts.timestampMs) ? 0 : this.facts.timestampMs;
  }

  /** Number of ancestors. Valid once the state is known. */
  get depth(): number {
    return this.pathDepth;
  }

  /** Children sorted by timestamp, ties and unreadable timestamps in file order (TR3). */
  get children(): readonly TreeNode[] {
    const { kids } = this;
    if (kids === null) return NO_CHILDREN;
    if (kids instanceof TreeNode) return [kids];
    if (!kids.sorted) {
      sortSiblings(kids.list);
      kids.sorted = true;
    }
    return kids.list;
  }

  /** Links a child. O(1). */
  adopt(child: TreeNode): void {
    child.parent = this;
    const { kids } = this;
    if (kids === null) this.kids = child;
    else if (kids instanceof TreeNode) this.kids = { list: [kids, child], sorted: false };
    else {
      kids.list.push(child);
      kids.sorted = false;
    }
  }

  /** Sets what the path says; depth counts from the parent. */
  setState(state: PathState): void {
    this.state = state;
    this.pathDepth = this.parent ? this.parent.depth + 1 : 0;
  }
}

/** Sorts siblings by timestamp, ties by file order; if one timestamp is unreadable, all by file order (TR3). */
export function sortSiblings(list: TreeNode[]): void {
  const readable = list.every((node) => !Number.isNaN(node.facts.timestampMs));
  list.sort((a, b) => (readable ? a.facts.timestampMs - b.facts.timestampMs : 0) || a.seq - b.seq);
}
