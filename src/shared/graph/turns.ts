import { callInShort, isFailure } from '../policy/call-outcome';
import type { Row, RowKind } from '../session-state/state';

/**
 * What one node of the branch graph stands for: a prompt with all that follows it, an answer that begins in the middle of a
 * turn (a retry) or behind a summary, a command of the person, a compaction, a branch summary, or settings before the
 * first message.
 */
export type TurnKind = 'turn' | 'answer' | 'bash' | 'compaction' | 'summary' | 'start';

const NOTHING: ReadonlySet<string> = new Set();
const MOST_ERRORS = 8;

/** An empty list that is pushed to gets room for seventeen: of one item each, as most turns have, that would be most of a graph's memory. */
const NONE: readonly never[] = [];
function added<T>(list: readonly T[], item: T): readonly T[] {
  if (list === NONE) return [item];
  (list as T[]).push(item);
  return list;
}

/** Most turns need no set of their own. */
const withOne = (set: ReadonlySet<string>, item: string): ReadonlySet<string> =>
  set === NOTHING ? new Set([item]) : (set as Set<string>).add(item);

/** One node of the graph before any layout. Tokens are raw estimates, `time` Unix milliseconds. */
export class TurnNode {
  children: readonly TurnNode[] = NONE;
  readonly depth: number;
  /** Replies of the model, oldest first. */
  replies: readonly string[] = NONE;
  /** The entry that a person reads first: the prompt (that of another answer too), the command, the summary. Null where the turn has none. */
  promptId: string | null = null;
  /** Of a turn that was begun as a branch of its own: by what its versions are known (GR5). */
  branchId: string | null = null;
  /** The last entry of the turn's own path: where its next turn hangs. */
  tailId: string;
  /** File position of the first entry that is more than a setting. */
  contentSeq = Number.POSITIVE_INFINITY;
  /** File position of the last such entry; -1 where it has none. */
  lastContentSeq = -1;
  /** The first one; until there is one, the first setting. */
  contentId: string;
  entryCount = 0;
  toolResults = 0;
  tokens = 0;
  /** US dollars, copies not counted. */
  cost = 0;
  /** Providers that were asked for something that has no price. */
  unpriced: ReadonlySet<string> = NOTHING;
  time: number;
  /** File position of its newest entry. */
  lastSeq = -1;
  /** Unix milliseconds of its newest entry. */
  endTime: number;
  /** Of a branch summary: the end of the branch that it tells of, where that was brought over. */
  broughtFrom: string | null = null;
  /** The last reply failed. */
  failed = false;
  /** Of a branch summary: the end of the branch that it tells of. */
  fromId: string | null = null;
  /** The person stopped the last reply. */
  stopped = false;
  /** The calls that changed a file in it. */
  changes: readonly string[] = NONE;
  /** The files that they changed, as the calls named them, and the tools that were called in it, each once. */
  files: ReadonlySet<string> = NOTHING;
  tools: ReadonlySet<string> = NOTHING;
  /** The last call that is not done and was not put right by a later one of its tool (TS4): `run · exit 1`. */
  ended: { tool: string; words: string; isFailure: boolean } | null = null;
  /** Calls that failed, in the same words, each once; of many kinds the first ones. */
  errors: ReadonlySet<string> = NOTHING;
  /** A reply has words besides its calls. */
  hasWords = false;

  constructor(
    readonly index: number,
    public kind: TurnKind,
    readonly parent: TurnNode | null,
    /** File position of the entry at which it hangs; -1 at the top. */
    readonly attachSeq: number,
    first: Row,
    /** Of another answer (GR5, GR27): the turn, or the answer, within which it hangs. It stands beside that one, not below it. */
    readonly against: TurnNode | null = null,
  ) {
    this.depth = parent ? parent.depth + 1 : 0;
    this.tailId = first.id;
    this.contentId = first.id;
    this.time = first.time;
    this.promptId = against ? against.promptId : null;
    this.endTime = first.time;
  }

  /** The node of the entry at which it hangs; null: at the top. */
  get hangsAt(): TurnNode | null {
    return this.against ?? this.parent;
  }
}

/** A compaction or a summary: a diamond on the rail, the beginning of a chapter. */
export const isMark = ({ kind }: TurnNode): boolean => kind === 'compaction' || kind === 'summary';

/** The same, or settings alone: nobody said or did anything there. It counts as no turn, and is no card on the canvas. */
export const isNoTurn = (node: TurnNode): boolean => isMark(node) || node.kind === 'start';

/** Whether a turn, or an answer beside its own, has a prompt that can be put in another way. */
export const asksAgain = ({ kind, promptId }: TurnNode): boolean =>
  (kind === 'turn' || kind === 'answer') && promptId !== null;

/**
 * Where an entry is. `lead`: a setting before the turn's content, so that what hangs at it hangs beside the turn. `behind`: of a setting, the
 * file position of the nearest entry above it that is more than one.
 */
export interface EntryPlace {
  readonly node: TurnNode;
  readonly seq: number;
  readonly lead: boolean;
  readonly behind?: number;
}

/** The file position of an entry, of a setting that of what it was chosen at. */
export const contentSeqOf = ({ seq, behind = seq }: EntryPlace): number => behind;

export interface TurnChange {
  node: TurnNode;
  isNew: boolean;
}

const OPENS: Partial<Record<RowKind, TurnKind>> = {
  user: 'turn',
  bash: 'bash',
  compaction: 'compaction',
  branchSummary: 'summary',
};
const SETTINGS: ReadonlySet<RowKind> = new Set<RowKind>([
  'modelChange',
  'thinkingChange',
  'opaque',
  'reference',
  'unknown',
  'silent',
  'prune',
  'undone',
]);

/**
 * Turns of a session, built entry by entry. An append is O(1) and changes no node but its own: a turn that forks in its
 * middle is not split, the other side of the fork becomes an `answer` beside it (GR27). Never recursive.
 */
export class TurnTree {
  /** In order of creation: a parent stands before its children. */
  readonly nodes: TurnNode[] = [];
  readonly roots: TurnNode[] = [];
  /** Branch summaries of which it is known where they came from. */
  readonly summaries: TurnNode[] = [];
  /** Greatest file position seen; -1 if empty. */
  lastSeq = -1;
  /** Entries looked at, for the tests of linear time. */
  steps = 0;
  private readonly places = new Map<string, EntryPlace>();
  private readonly waiting = new Map<string, Row[]>();
  /** Entries to be added, the next one last: what waited for an entry comes right after it. */
  private readonly ready: Row[] = [];
  /** For each provider the set of it alone. */
  private readonly alone = new Map<string, ReadonlySet<string>>();

  get entryCount(): number {
    return this.places.size;
  }

  place(entryId: string): EntryPlace | undefined {
    return this.places.get(entryId);
  }

  /** The node on which HEAD stands when an entry is the leaf; null: before the first. */
  nodeAt(leafId: string | null): TurnNode | null {
    const place = leafId === null ? undefined : this.places.get(leafId);
    if (!place) return null;
    return place.lead && place.node.kind !== 'start' ? place.node.parent : place.node;
  }

  /** Whether nothing was said after an entry, so that what follows it goes straight on. */
  isEnd(entryId: string): boolean {
    const place = this.places.get(entryId);
    const node = this.nodeAt(entryId);
    return !!place && !!node && node.children.length === 0 && contentSeqOf(place) >= node.lastContentSeq;
  }

  /**
   * Adds an entry. One whose parent is not known waits for it, and for ever if it never comes: call `settle` after loading.
   * @returns what it changed, in order; empty if it is known or waits
   */
  add(entry: Row): TurnChange[] {
    const changes: TurnChange[] = [];
    this.ready.push(entry);
    this.addReady(Infinity, changes);
    return changes;
  }

  /** Adds what is ready, at most so many entries. Returns how many it looked at. */
  private addReady(most: number, changes: TurnChange[] | null): number {
    const { ready } = this;
    let looked = 0;
    while (looked < most) {
      const next = ready.pop();
      if (!next) break;
      looked++;
      this.steps++;
      if (this.places.has(next.id)) continue;
      if (next.seq > this.lastSeq) this.lastSeq = next.seq;
      const above = next.parentId === null ? undefined : this.places.get(next.parentId);
      if (next.parentId !== null && !above) {
        const list = this.waiting.get(next.parentId);
        if (list) list.push(next);
        else this.waiting.set(next.parentId, [next]);
        continue;
      }
      const change = this.put(next, above);
      changes?.push(change);
      const freed = this.waiting.get(next.id);
      if (!freed) continue;
      this.waiting.delete(next.id);
      for (let at = freed.length - 1; at >= 0; at--) ready.push(freed[at] as Row);
    }
    return looked;
  }

  /**
   * Takes the entries of a session: adds and settles them. It rests whenever it has looked at `piece` entries, however many of them
   * hang at one parent or wait for one.
   */
  *load(entries: Iterable<Row>, piece: number): Generator<void, void> {
    let left = piece;
    const isFull = (): boolean => {
      left -= this.addReady(left, null);
      if (left > 0) return false;
      left = piece;
      return true;
    };
    for (const entry of entries) {
      this.ready.push(entry);
      while (this.ready.length > 0) if (isFull()) yield;
    }
    for (let next = this.takeWaiting(); next; next = this.takeWaiting()) {
      for (const entry of next) {
        this.ready.push({ ...entry, parentId: null });
        while (this.ready.length > 0) if (isFull()) yield;
      }
    }
  }

  private takeWaiting(): Row[] | null {
    const [first] = this.waiting;
    if (!first) return null;
    this.waiting.delete(first[0]);
    return first[1];
  }

  /** The entries of some turns, in the order of the file. O(entries). */
  entriesOf(nodes: ReadonlySet<TurnNode>): string[] {
    const ids: string[] = [];
    for (const [id, { node, lead }] of this.places) if (!lead && nodes.has(node)) ids.push(id);
    return ids;
  }

  /** After loading: what still waits for a parent stands at the top, so that nothing is unreachable. O(waiting). */
  settle(): TurnChange[] {
    const changes: TurnChange[] = [];
    for (let next = this.takeWaiting(); next; next = this.takeWaiting()) {
      for (const entry of next) changes.push(...this.add({ ...entry, parentId: null }));
    }
    return changes;
  }

  private put(entry: Row, above: EntryPlace | undefined): TurnChange {
    if (SETTINGS.has(entry.kind)) return this.putSetting(entry, above);
    if (above?.node.kind === 'start') return this.fill(entry, above.node);
    const opens = OPENS[entry.kind];
    if (!opens && above && this.continues(entry, above)) return this.join(entry, above);
    const isAgain = !opens && above && !above.lead && (above.node.kind === 'turn' || above.node.kind === 'answer');
    const node = isAgain ? this.createBeside(entry, above) : this.create(entry, opens ?? 'answer', above);
    this.take(entry, node);
    return { node, isNew: true };
  }

  private putSetting(entry: Row, above: EntryPlace | undefined): TurnChange {
    if (above) return this.join(entry, above);
    const node = this.create(entry, 'start', undefined);
    this.places.set(entry.id, { node, seq: entry.seq, lead: true });
    node.lastSeq = entry.seq;
    node.entryCount++;
    return { node, isNew: true };
  }

  /** The first content behind settings: their node becomes its turn. */
  private fill(entry: Row, node: TurnNode): TurnChange {
    node.kind = OPENS[entry.kind] ?? 'answer';
    node.tailId = entry.id;
    this.take(entry, node);
    return { node, isNew: false };
  }

  private continues(entry: Row, { node, lead }: EntryPlace): boolean {
    return !lead && node.tailId === entry.parentId && (node.kind === 'turn' || node.kind === 'answer');
  }

  private join(entry: Row, above: EntryPlace): TurnChange {
    const { node, lead } = above;
    if (node.tailId === entry.parentId && (!lead || node.kind === 'start')) node.tailId = entry.id;
    if (SETTINGS.has(entry.kind)) {
      this.places.set(entry.id, { node, seq: entry.seq, lead, behind: contentSeqOf(above) });
      node.lastSeq = Math.max(node.lastSeq, entry.seq);
      node.entryCount++;
    } else this.take(entry, node);
    return { node, isNew: false };
  }

  private create(entry: Row, kind: TurnKind, above: EntryPlace | undefined): TurnNode {
    const parent = above ? (above.lead ? above.node.parent : above.node) : null;
    const attachSeq = above && !above.lead ? above.seq : above ? above.node.attachSeq : -1;
    return this.enter(new TurnNode(this.nodes.length, kind, parent, attachSeq, entry));
  }

  private createBeside(entry: Row, above: EntryPlace): TurnNode {
    const { node } = above;
    // Behind a choice of the model, too, it is an answer to what that was chosen at.
    return this.enter(new TurnNode(this.nodes.length, 'answer', node.parent, contentSeqOf(above), entry, node));
  }

  private enter(node: TurnNode): TurnNode {
    this.nodes.push(node);
    if (node.parent) node.parent.children = added(node.parent.children, node);
    else this.roots.push(node);
    return node;
  }

  /** Nearly all turns of a session ask one provider: they share the set of it. */
  private takeUnpriced(provider: string, node: TurnNode): void {
    if (node.unpriced.has(provider)) return;
    if (node.unpriced.size > 0) node.unpriced = new Set([...node.unpriced, provider]);
    else node.unpriced = this.alone.get(provider) ?? new Set([provider]);
    if (node.unpriced.size === 1) this.alone.set(provider, node.unpriced);
  }

  /** Counts an entry that is more than a setting. */
  private take(entry: Row, node: TurnNode): void {
    this.places.set(entry.id, { node, seq: entry.seq, lead: false });
    node.lastSeq = Math.max(node.lastSeq, entry.seq);
    node.lastContentSeq = Math.max(node.lastContentSeq, entry.seq);
    node.entryCount++;
    node.tokens += entry.tokens;
    node.cost += entry.cost ?? 0;
    if (entry.unpriced !== undefined) this.takeUnpriced(entry.unpriced, node);
    if (entry.time > node.endTime || Number.isNaN(node.endTime)) node.endTime = entry.time;
    if (entry.broughtOver) node.broughtFrom = entry.fromId ?? null;
    if (node.contentSeq === Number.POSITIVE_INFINITY) {
      node.contentSeq = entry.seq;
      node.contentId = entry.id;
      node.time = entry.time;
      if (OPENS[entry.kind]) node.promptId = entry.id;
      node.branchId = entry.branchId ?? null;
    }
    if (entry.kind === 'toolResult') node.toolResults++;
    if (entry.fromId !== undefined) {
      node.fromId = entry.fromId;
      this.summaries.push(node);
    }
    if (entry.changed && entry.callId !== undefined) node.changes = added(node.changes, entry.callId);
    if (entry.file !== undefined) node.files = withOne(node.files, entry.file);
    if (entry.tool !== undefined) node.tools = withOne(node.tools, entry.tool);
    takeEnd(entry, node);
    if (entry.kind === 'assistant') {
      node.hasWords ||= entry.mute !== true;
      node.replies = added(node.replies, entry.id);
      node.failed = entry.failed === true;
      node.stopped = entry.stopped === true;
    }
  }
}

/** How a call or a command of the person ended. */
function takeEnd({ kind, ended, tool = 'bash' }: Row, node: TurnNode): void {
  if (kind !== 'toolResult' && kind !== 'bash') return;
  if (!ended) {
    if (node.ended?.tool === tool) node.ended = null;
    return;
  }
  const words = callInShort(tool, ended);
  node.ended = { tool, words, isFailure: isFailure(ended) };
  if (node.ended.isFailure && node.errors.size < MOST_ERRORS) node.errors = withOne(node.errors, words);
}
