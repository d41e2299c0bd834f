import { isRecord } from '../../checks';
import { beginningOf, MAX_NAME_CHARS } from '../../cut-text';
import type { CustomEntry, SessionEntry } from './entry';
import { type EntryFacts, isFailedReply } from './facts';
import { textOf } from './message-text';

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

/** The state before the first entry. */
export const EMPTY_STATE: PathState = {
  thinkingLevel: 'off',
  model: null,
  compaction: null,
  reset: null,
  edit: null,
  requests: null,
};

/** The state after one more entry on the path; the same object if the entry changes nothing. O(1). */
export function nextState(before: PathState, node: TreeNode, hasRequests: boolean): PathState {
  const changed = change(before, node);
  if (!hasRequests) return changed ? { ...before, ...changed } : before;
  return { ...before, ...changed, requests: node };
}

function change(before: PathState, node: TreeNode): Partial<PathState> | null {
  const { facts, body } = node;
  switch (facts.type) {
    case 'message': {
      const { reply } = facts;
      if (!reply || isFailedReply(reply)) return null;
      const model = choiceOf(reply.provider, reply.model);
      const same = before.model?.provider === model.provider && before.model.modelId === model.modelId;
      return same ? null : { model };
    }
    case 'model_change': {
      const model = body && modelChangeOf(body);
      return model ? { model } : null;
    }
    case 'thinking_level_change':
      return {
        thinkingLevel: named(textOf((body as { thinkingLevel?: unknown } | undefined)?.thinkingLevel)) || 'off',
      };
    case 'compaction':
      return { compaction: node };
    case 'reset_boundary':
      return { reset: node };
    case 'context_edit':
      return { edit: node };
    case 'custom':
      return isViewEditType(facts.customType) ? { edit: node } : null;
    default:
      return null;
  }
}

/** True for our view edits (SF11). */
function isViewEditType(customType: string | undefined): boolean {
  return customType === 'espalier.prune' || customType === 'espalier.omit';
}

/**
 * The model that a `model_change` chooses, or null if it chooses none. oh-my-pi writes `model` ("provider/id", split at the
 * first slash) and changes for roles other than `default`, which are not the session's (SF7).
 */
function modelChangeOf(entry: SessionEntry): ModelChoice | null {
  const change = entry as { provider?: unknown; modelId?: unknown; model?: unknown; role?: unknown };
  if (typeof change.role === 'string' && change.role !== 'default') return null;
  if (typeof change.provider === 'string' && typeof change.modelId === 'string') {
    return choiceOf(change.provider, change.modelId);
  }
  const model = textOf(change.model);
  const slash = model.indexOf('/');
  return slash < 0 ? null : choiceOf(model.slice(0, slash), model.slice(slash + 1));
}

/** Cut where they are read (JN46): the window is sent them, and no model has a name of that length. */
function choiceOf(provider: string, modelId: string): ModelChoice {
  return { provider: named(provider), modelId: named(modelId) };
}

function named(name: string): string {
  return beginningOf(name, MAX_NAME_CHARS);
}

/** The `data` of one of our entries as an object; empty if it holds none. */
export function dataOf(entry: SessionEntry | undefined): Record<string, unknown> {
  const data = (entry as CustomEntry | undefined)?.data;
  return isRecord(data) ? data : {};
}
