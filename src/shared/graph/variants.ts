import type { TurnNode } from './turns';

/** Variants that are drawn as one node (GR5): ‹2/4› counts `members`. */
export interface Stack {
  /** The front and what is hidden behind it, in the order in which they were made; at least two. */
  readonly members: readonly TurnNode[];
  /** The node that the layouts place: HEAD's variant, else the most recently active one. */
  readonly front: TurnNode;
  /** The one whose words are shown: the front, until another is brought before it to be read. */
  readonly shown: TurnNode;
}

interface Group {
  readonly members: TurnNode[];
  front: TurnNode;
  isOnPath: boolean;
  shown: TurnNode | null;
}

/**
 * Which nodes are variants of each other: other answers to one prompt, and prompts that hang at one entry, without those that were
 * begun as a branch of their own, each of which has versions of its own. Not the branches among them either: what has turns below it and is not in front stands for itself, from its first turn on. Kept by `GraphOrder`.
 */
export class Variants {
  private readonly byKey = new Map<string, Group>();
  private readonly byNode = new Map<TurnNode, Group>();
  /** Those that show another than their front. */
  private readonly raised = new Set<Group>();

  clear(): void {
    this.byKey.clear();
    this.byNode.clear();
    this.raised.clear();
  }

  /** Takes a node that stands beside others, once. `isNewer` compares it with the front of now; null: it goes behind. O(1). */
  take(node: TurnNode, isOnPath: boolean, isNewer: ((than: TurnNode) => boolean) | null): void {
    if (this.byNode.has(node)) return;
    const root = rootOf(node);
    if (root.kind !== 'turn' && root.kind !== 'answer') return;
    const key = `${root.parent?.index ?? -1}:${keyOf(root)}`;
    const group = this.byKey.get(key);
    if (group) {
      group.members.push(node);
      if (isOnPath || (!group.isOnPath && isNewer?.(group.front))) group.front = node;
      group.isOnPath ||= isOnPath;
      this.byNode.set(node, group);
      return;
    }
    const made = { members: [node], front: node, isOnPath, shown: null };
    this.byKey.set(key, made);
    this.byNode.set(node, made);
  }

  /** True for a variant that is drawn as the front of its stack. It has no turns below it. O(1). */
  isBehind(node: TurnNode): boolean {
    if (node.children.length > 0) return false;
    const group = this.byNode.get(node);
    return group !== undefined && group.front !== node;
  }

  /** The node that is placed for a node: itself, or the front of its stack. O(1). */
  frontOf(node: TurnNode): TurnNode {
    const group = node.children.length > 0 ? undefined : this.byNode.get(node);
    return group ? group.front : node;
  }

  /** True for a node that stands for its variants, or has none. O(1). */
  isInFront(node: TurnNode): boolean {
    const group = this.byNode.get(node);
    return !group || group.front === node;
  }

  /** The stack that a node is in; null: it is no variant, or stands for itself. O(variants). */
  stackOf(node: TurnNode): Stack | null {
    const group = this.byNode.get(node);
    if (!group || (node !== group.front && node.children.length > 0)) return null;
    const { front } = group;
    const members = group.members.filter((member) => member === front || member.children.length === 0);
    return members.length < 2 ? null : { members, front, shown: this.shownOn(front) };
  }

  /** Whose words a placed node shows. O(1). */
  shownOn(front: TurnNode): TurnNode {
    const shown = this.byNode.get(front)?.shown;
    return shown && this.frontOf(shown) === front ? shown : front;
  }

  /** All variants of a node, those that are branches of their own among them, itself too. O(1). */
  variantsOf(node: TurnNode): readonly TurnNode[] {
    return this.byNode.get(node)?.members ?? [node];
  }

  /** File position behind which a turn has what none of the answers beside it has (GR27); -1: there are none, all of it is its own. O(variants). */
  ownFrom(node: TurnNode): number {
    let from = -1;
    for (const other of this.variantsOf(node)) if (other.against === node) from = Math.max(from, other.attachSeq);
    return from;
  }

  /** Shows a variant in place of the front, to be read: nothing moves. False where it is not in a stack. */
  bringToFront(node: TurnNode): boolean {
    const group = this.byNode.get(node);
    if (!group || this.frontOf(node) !== group.front) return false;
    const shown = node === group.front ? null : node;
    if (shown === group.shown) return false;
    group.shown = shown;
    if (shown) this.raised.add(group);
    else this.raised.delete(group);
    return true;
  }

  /** Shows every front again, and only one variant in place of its own; null: none. False: so it was. O(variants that are shown). */
  bringAlone(node: TurnNode | null): boolean {
    let hasChanged = node !== null && this.bringToFront(node);
    for (const group of this.raised) {
      if (group.shown === node) continue;
      group.shown = null;
      this.raised.delete(group);
      hasChanged = true;
    }
    return hasChanged;
  }
}

/** What turns that hang at one node have in common if they are versions of one prompt: where they hang, or the branch that one of them began. */
const keyOf = ({ kind, branchId, attachSeq, index }: TurnNode): string | number => {
  if (kind !== 'turn') return `answer ${index}`;
  return branchId === null ? attachSeq : `branch ${branchId}`;
};

/** The turn that an answer, or an answer beside that, was given to. */
function rootOf(node: TurnNode): TurnNode {
  let root = node;
  // An answer beside an answer beside a turn: each hangs within the one before. Few, as a person asked for each of them.
  while (root.against) root = root.against;
  return root;
}
