import { factsInFull } from '../../policy/call-outcome';
import { Spine } from '../messages/spine';
import type { CustomEntry, SessionEntry, SessionHeader } from '../records/entry';
import { type EntryFacts, isControl, isShown, isVersion, noteUnpriced, summaryCostOf } from '../records/facts';
import { IdMap } from '../records/ids';
import { Seconds } from '../records/records';
import { EMPTY_STATE, nextState, type PathState, sortSiblings, TreeNode } from '../records/tree-node';
import { Annotations, RequestIndex } from './annotations';
import { findRoot, forgetStates, inTime, leafAfterLoad, markShown, siblingsOf } from './walks';

/** Place of an entry among its versions; one that is none stands alone. */
interface SiblingPosition {
  index: number;
  count: number;
  ids: string[];
}

/** One row of a path for a list or outline. */
interface PathRow {
  node: TreeNode;
  siblingIndex: number;
  siblingCount: number;
}

/**
 * Append-only index of a session (TR1). It holds structure and figures of every entry and the bodies that somebody
 * needs; all walks are iterative, `add` is O(1), nothing is ever removed.
 */
export class SessionTree {
  leafId: string | null = null;
  /** Cost of every reply and summary once, copies not counted; US dollars. */
  cost = 0;
  /** Who was asked for what came without a price. */
  readonly unpriced = new Set<string>();
  /** Number of `compaction` entries, on all branches. */
  compactions = 0;
  private readonly nodes = new IdMap<TreeNode>();
  private readonly order: TreeNode[] = [];
  /** Dense arrays for the walk of a context. */
  readonly spine = new Spine(this.order);
  private readonly top = new Set<TreeNode>();
  /** Entries whose parent is not in the file yet, by the id they wait for. */
  private readonly waiting = new Map<string, TreeNode[]>();
  /** Entries whose parent came after them; linked when somebody looks. */
  private forward: TreeNode[] = [];
  private hasForwardLinks = false;
  private hasLateParents = false;
  /** Numbers of the lines whose parent would close a cycle. */
  private readonly circular: number[] = [];
  /** Records with an id that an earlier one has. */
  readonly seconds = new Seconds();
  private readonly requests = new RequestIndex();
  private readonly annotations = new Annotations();
  private latestRebase: TreeNode | null = null;

  constructor(readonly header: SessionHeader) {}

  get size(): number {
    return this.order.length;
  }

  /** Numbers of the lines whose entry hangs at itself, by whatever way: it is a root instead. */
  circles(): number[] {
    this.link();
    return [...this.circular].sort((a, b) => a - b);
  }

  /** Whether an entry stands before the one that it follows: somebody put the lines in another order. */
  isOutOfOrder(): boolean {
    this.link();
    return this.hasLateParents;
  }

  /** Numbers of the lines whose entry, not the first, follows one that is not in the file: it is a root instead. */
  orphans(): number[] {
    this.link();
    const [first] = this.order;
    const found = [...this.waiting.values()].flat().filter((node) => node !== first && !node.facts.side);
    return found.map(({ seq }) => seq).sort((a, b) => a - b);
  }

  /** Number of the last indexed line; the header is 0. */
  get lastSeq(): number {
    return this.order.at(-1)?.seq ?? 0;
  }

  /**
   * Indexes one record that is in the file, in file order; path entries become the leaf. O(1).
   * @param seq number of the line in the file, the header being 0
   * @param entry the whole entry: required if `isControl(facts)`, else it becomes the resident body
   * @returns null if the id is known already: the first counts (SF18)
   */
  add(facts: EntryFacts, seq: number, entry?: SessionEntry): TreeNode | null {
    if (this.nodes.has(facts.id)) return null;
    const node = new TreeNode(facts, seq, this.order.length);
    node.body = entry;
    this.nodes.set(facts.id, node);
    this.order.push(node);
    this.attach(node);
    if (isShown(facts)) markShown(node);
    this.spine.add(node);
    this.annotations.add(facts, entry, seq);
    if (!facts.side) this.leafId = facts.id;
    else this.addSide(node);
    if (facts.type === 'compaction') this.compactions++;
    const cost = this.costOf(node);
    if (cost > 0) this.cost += cost;
    else if (!this.isCopy(facts.id)) noteUnpriced(this.unpriced, facts, node.body);
    return node;
  }

  /** US dollars that an entry adds to `cost`. */
  costOf({ facts, body }: TreeNode): number {
    if (this.annotations.copies.has(facts.id)) return 0;
    return facts.reply ? facts.reply.cost : summaryCostOf(body);
  }

  /** `add` for an entry whose facts are not known yet. O(size of the entry). */
  addEntry(entry: SessionEntry, seq: number): TreeNode | null {
    return this.add(factsInFull(entry), seq, entry);
  }

  /** Puts the leaf where the file says it is, after all records were added (SF20). */
  settleLeafAfterLoad(): void {
    this.leafId = this.leafAfterLoad();
  }

  /** The leaf that reading the file gives (SF20). O(trailing side records). */
  leafAfterLoad(): string | null {
    this.link();
    return leafAfterLoad(this.order, (id) => this.nodes.has(id), this.latestRebase);
  }

  /** The same where the lines were put in another order: as if they stood by time. O(entries). */
  leafInTime(): string | null {
    this.link();
    return leafAfterLoad(inTime(this.order), (id) => this.nodes.has(id), this.latestRebase);
  }

  node(id: string): TreeNode | undefined {
    this.link();
    return this.nodes.get(id);
  }

  has(id: string): boolean {
    return this.nodes.has(id);
  }

  /** All entries in file order. */
  entriesInOrder(): readonly TreeNode[] {
    this.link();
    return this.order;
  }

  body(id: string): SessionEntry | undefined {
    return this.nodes.get(id)?.body;
  }

  /** Makes the body of an indexed entry resident. */
  setBody(entry: SessionEntry): void {
    const node = this.nodes.get(entry.id);
    if (node) this.replaceBody(node, entry);
  }

  /** Lets go of the bodies that `keep` does not name. Entries that the tree itself needs stay. O(entries). */
  dropBodies(keep: (id: string) => boolean): void {
    for (const node of this.order) {
      if (node.body && !isControl(node.facts) && !keep(node.id)) this.replaceBody(node, undefined);
    }
  }

  /** Children of an entry, sorted by timestamp, else in file order. O(k). */
  children(id: string): readonly TreeNode[] {
    return this.node(id)?.children ?? [];
  }

  /** Entries without a usable parent: null, missing, itself, or a link that would close a cycle. */
  roots(): readonly TreeNode[] {
    this.link();
    const roots = [...this.top];
    sortSiblings(roots);
    return roots;
  }

  /** Path from the root to an entry, root first; empty for null or an unknown id. O(path). */
  pathTo(id: string | null): TreeNode[] {
    const leaf = id === null ? undefined : this.node(id);
    if (!leaf) return [];
    this.stateOf(leaf);
    const path = new Array<TreeNode>(leaf.depth + 1);
    let at = leaf.depth;
    for (let node: TreeNode | null = leaf; node; node = node.parent) path[at--] = node;
    return path;
  }

  /** Deepest entry on both paths, or null. O(path). */
  commonAncestor(a: string | null, b: string | null): string | null {
    let x = a === null ? null : (this.node(a) ?? null);
    let y = b === null ? null : (this.node(b) ?? null);
    if (!x || !y) return null;
    this.stateOf(x);
    this.stateOf(y);
    while (x && y && x !== y) {
      if (x.depth >= y.depth) x = x.parent;
      else y = y.parent;
    }
    return x && y ? x.id : null;
  }

  /** Place among the versions of an entry (`siblingsOf`). O(entries beside it), sorted once. */
  siblings(id: string): SiblingPosition {
    const node = this.node(id);
    if (!node) return { index: 0, count: 0, ids: [] };
    const all = siblingsOf(node, () => this.roots(), this.archived).map((sibling) => sibling.id);
    const ids = all.length > 1 && this.annotations.copies.size > 0 ? this.eachOnce(all, id) : all;
    return { index: ids.indexOf(id), count: ids.length, ids };
  }

  /** An entry and its copies are one version (UN1): the asked one stands for it, else the newest. */
  private eachOnce(ids: readonly string[], asked: string): string[] {
    const originalOf = (id: string): string => this.annotations.originalOf(id);
    const chosen = new Map(ids.map((id) => [originalOf(id), id]));
    chosen.set(originalOf(asked), asked);
    return ids.filter((id) => chosen.get(originalOf(id)) === id);
  }

  /** The branch that a message was begun as, or is another version of the beginning of; undefined: nobody recorded that (GR5). */
  branchOf(id: string): string | undefined {
    return this.annotations.branchOf(id);
  }

  /** The path entries down to a leaf (default: the current one) with their place among siblings. O(path + siblings). */
  rows(leafId: string | null = this.leafId): PathRow[] {
    const rows: PathRow[] = [];
    for (const node of this.pathTo(leafId)) {
      if (node.facts.side) continue;
      const only = node.parent !== null && node.parent.children.length === 1 && isVersion(node.parent.facts);
      const place = only ? { index: 0, count: 1 } : this.siblings(node.id);
      rows.push({ node, siblingIndex: place.index, siblingCount: place.count });
    }
    return rows;
  }

  get labels(): ReadonlyMap<string, string> {
    return this.annotations.labels;
  }

  label(id: string): string | undefined {
    return this.annotations.labels.get(id);
  }

  /** Titles of branches by the entry that they begin with; empty: one was asked for in vain (GR16). */
  get titles(): ReadonlyMap<string, string> {
    return this.annotations.titles;
  }

  get name(): string | undefined {
    return this.annotations.name;
  }

  get pins(): ReadonlySet<string> {
    return this.annotations.pins;
  }

  /** Pin records in file order; their number tells whether pins changed. */
  get pinChanges(): Annotations['pinChanges'] {
    return this.annotations.pinChanges;
  }

  /** Pins as of a file position: records from there on are ignored. */
  pinsAsOf(seq: number): ReadonlySet<string> {
    return this.annotations.pinsAsOf(seq);
  }

  get archived(): ReadonlySet<string> {
    return this.annotations.archived;
  }

  get dismissedFacts(): ReadonlySet<string> {
    return this.annotations.dismissedFacts;
  }

  /** Compactions that were taken back, in file order (UN2). */
  get undoRecords(): Annotations['undos'] {
    return this.annotations.undos;
  }

  /** True for a copy that a rebase made: it supplies no usage and costs nothing (UN1). */
  isCopy(id: string): boolean {
    return this.annotations.copies.has(id);
  }

  /** When a node was written, Unix milliseconds; of a copy when its original was. */
  writtenAt(node: TreeNode): number {
    return (this.isCopy(node.id) && this.node(this.annotations.originalOf(node.id))?.timeMs) || node.timeMs;
  }

  /** What the path down to a node says. O(1) after the first time, O(path) for a path never looked at. */
  stateOf(node: TreeNode): PathState {
    if (node.state) return node.state;
    const trail: TreeNode[] = [];
    let at: TreeNode | null = node;
    for (; at && !at.state; at = at.parent) trail.push(at);
    let state = at?.state ?? EMPTY_STATE;
    for (let i = trail.length - 1; i >= 0; i--) {
      const next = trail[i] as TreeNode;
      state = nextState(state, next, this.requests.has(next));
      next.setState(state);
    }
    return state;
  }

  /**
   * The `espalier.request` in force at an entry: the latest of the nearest ancestor that has one.
   * @param asOf records from this file position on are ignored
   */
  requestInForce(leafId: string | null, asOf = Number.POSITIVE_INFINITY): CustomEntry | null {
    const node = leafId === null ? undefined : this.node(leafId);
    return this.requests.inForce(node ? this.stateOf(node).requests : null, (at) => this.stateOf(at).requests, asOf);
  }

  /**
   * The tree as of a file position: this one if it can answer, else (a file whose parents come after their children) one
   * built from the records before it. O(1), O(entries) in the second case.
   */
  upTo(seq: number): SessionTree {
    this.link();
    if (seq > this.lastSeq || !this.hasForwardLinks) return this;
    return this.copyUpTo(seq);
  }

  /** A tree of the records before a file position, bodies shared. O(entries). */
  copyUpTo(seq: number): SessionTree {
    const earlier = new SessionTree(this.header);
    for (const node of this.order) if (node.seq < seq) earlier.add(node.facts, node.seq, node.body);
    earlier.settleLeafAfterLoad();
    return earlier;
  }

  private replaceBody(node: TreeNode, body: SessionEntry | undefined): void {
    node.body = body;
    this.spine.sent.forget(node);
  }

  private attach(node: TreeNode): void {
    const { facts } = node;
    const parent = facts.parentId === null || facts.parentId === facts.id ? undefined : this.nodes.get(facts.parentId);
    if (parent) {
      facts.parentId = parent.facts.id;
      parent.adopt(node);
    } else {
      this.top.add(node);
      if (facts.parentId === facts.id) this.circular.push(node.seq);
      else if (facts.parentId !== null) this.waitFor(facts.parentId, node);
    }
    const orphans = this.waiting.get(facts.id);
    if (!orphans) return;
    for (const orphan of orphans) this.forward.push(orphan);
    this.waiting.delete(facts.id);
  }

  private waitFor(parentId: string, node: TreeNode): void {
    const list = this.waiting.get(parentId);
    if (list) list.push(node);
    else this.waiting.set(parentId, [node]);
  }

  private addSide(node: TreeNode): void {
    const { customType } = node.facts;
    if (customType === 'espalier.leaf') this.leafId = node.parent ? node.parent.id : null;
    else if (customType === 'espalier.rebase') this.latestRebase = node;
    else if (customType === 'espalier.request') {
      this.requests.add(node);
      if (node.parent) forgetStates(node.parent);
    }
  }

  /** Links entries to parents that came after them. A link that would close a cycle is not made: its entry stays a root. */
  private link(): void {
    if (this.forward.length === 0) return;
    const orphans = this.forward.sort((a, b) => a.seq - b.seq);
    this.forward = [];
    this.hasForwardLinks = true;
    const rootHints = new Map<TreeNode, TreeNode>();
    for (const orphan of orphans) {
      const parent = this.nodes.get(orphan.facts.parentId ?? '');
      if (!parent) continue;
      if (findRoot(parent, rootHints) === orphan) {
        this.circular.push(orphan.seq);
        continue;
      }
      this.top.delete(orphan);
      this.hasLateParents = true;
      parent.adopt(orphan);
      if (orphan.shows) markShown(parent);
      this.spine.relink(orphan);
      forgetStates(orphan);
    }
  }
}
