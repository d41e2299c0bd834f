import type { SeenPath } from '../../agent/session-context';
import type { AppendedRecord, Emit, SessionLog } from '../../ports';
import { newestPage, olderRows, pathRowOf, type RowNodes, rowNodesTo, rowOf, sharedRows } from './rows';
import { beginningOf, MAX_NAME_CHARS } from '@shared/cut-text';
import { MAX_ID_LENGTH } from '@shared/record-limits';
import { TITLE_TYPE } from '@shared/session/records/own-entries';
import type { EntryAppended, SessionChange } from '@shared/session-state/events';
import { reduce } from '@shared/session-state/reduce';
import {
  type LiveSession,
  NO_SESSION,
  type PathChange,
  type Row,
  type SessionSnapshot,
} from '@shared/session-state/state';
import type { Notice } from '@shared/types';
import { pathIdAt } from '@shared/session/tree/destination';

/** Entries whose lines a snapshot carries, so that the first screen needs no second request. */
const SNAPSHOT_LINES = 60;
/** Characters of lines in one answer: the window parses it in one go. A longer line comes alone; the window asks for the others. */
const MAX_ANSWER_CHARS = 300_000;
/** So many numbers lie between the events of two keepers of one session, so that a window sees that there is another. */
const NUMBERS_A_KEEPER = 1e9;

let keepers = 0;

/**
 * Keeps the state of one session that a window shows (EV8): every change of it goes through `tell`, which applies it and
 * tells the window the same. What a window is given to begin with is that state.
 */
export class SessionKeeper {
  private isWarned = false;
  private current: LiveSession = NO_SESSION;
  private n = ++keepers * NUMBERS_A_KEEPER;
  /** What the rows of the path that is shown stand for. */
  private path: RowNodes = { nodes: [], undone: new Set() };
  private readonly listeners = new Set<(change: SessionChange) => void>();

  constructor(
    private readonly log: SessionLog,
    private readonly ports: { emit: Emit; flushEvents?: () => void },
    /** O(context). */
    private readonly seen: () => SeenPath,
  ) {}

  get state(): LiveSession {
    return this.current;
  }

  /** Takes what no entry says; the rest is read from the tree. Before any event. */
  begin(
    rest: Pick<
      LiveSession,
      'model' | 'thinkingLevel' | 'usage' | 'queue' | 'failure' | 'interrupted' | 'neverBegan' | 'edits' | 'damage'
    > &
      Partial<Pick<LiveSession, 'extensionQuestions' | 'extensionShows'>>,
  ) {
    const { labels, titles, pins, archived } = this.log.tree;
    const { shared: _shared, ...path } = this.newPath();
    this.current = {
      ...NO_SESSION,
      ...path,
      ...rest,
      labels: shownLabels(labels),
      names: shownLabels(titles),
      pins: [...pins].filter(canBeEntry),
      archived: [...archived].filter(canBeEntry),
    };
  }

  /** Applies a change and tells the window of it. */
  readonly tell = (change: SessionChange): void => {
    this.current = reduce(this.current, change);
    this.n += 1;
    this.ports.emit({ ...change, sessionId: this.log.sessionId, n: this.n });
    for (const listener of this.listeners) listener(change);
  };

  /** Hears of every change after the window was told. Returns the function that ends it. */
  onTold(listener: (change: SessionChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Tells of durable entries. */
  tellAppended(records: readonly AppendedRecord[]): void {
    const active = this.newOnPath(records);
    const saysPins = records.filter(({ entry }) => pinnedBy(entry) !== null);
    for (const record of records) {
      const said = this.sayOf(record, active);
      // O(context), and a copy of the list: once for all that were written together.
      if (record === saysPins.at(-1)) said.pins = this.pinsSaidBy(saysPins);
      this.tell({ type: 'entry_appended', ...said });
    }
  }

  private pinsSaidBy(records: readonly AppendedRecord[]): NonNullable<EntryAppended['pins']> {
    const { pins } = this.log.tree;
    const targets = records.flatMap(({ entry }) => pinnedBy(entry) ?? []);
    const changed = targets.map((targetId) => ({ targetId, isPinned: pins.has(targetId) }));
    return { changed, repeated: this.seen().repeated };
  }

  /** Which of new records are on the active path: what another program wrote behind our leaf is not (JN11). O(records). */
  private newOnPath(records: readonly AppendedRecord[]): ReadonlySet<string> {
    const { tree } = this.log;
    const active = new Set<string>();
    const first = records[0]?.line.seq ?? Infinity;
    let node = tree.leafId === null ? undefined : tree.node(tree.leafId);
    for (; node && node.seq >= first; node = node.parent ?? undefined) active.add(node.id);
    return active;
  }

  /** Says above the window what stands until HEAD is elsewhere, or it holds no longer. */
  warn(notice: Omit<Notice, 'level' | 'code' | 'sessionId'>): void {
    const { sessionId } = this.log;
    this.isWarned = true;
    this.ports.emit({ type: 'notice', notice: { level: 'warning', code: 'no-progress', sessionId, ...notice } });
  }

  /** What `warn` said holds no longer. */
  withdraw(): void {
    if (this.isWarned) this.ports.emit({ type: 'notice_over', code: 'no-progress', sessionId: this.log.sessionId });
    this.isWarned = false;
  }

  /** Tells that another path is shown. O(path). */
  tellMoved(oldLeafId: string | null, reason: string): void {
    this.withdraw();
    const newLeafId = this.log.tree.leafId;
    this.tell({ type: 'leaf_changed', oldLeafId, newLeafId, reason, path: this.newPath() });
    // The window has the new path before the answer to who asked for it.
    this.ports.flushEvents?.();
  }

  /** The path as the tree has it now: it is the one that is shown from here on. O(path). */
  newPath(): PathChange {
    const { tree } = this.log;
    const { undone, ...seen } = this.seen();
    const path = rowNodesTo(tree, tree.leafId, undone);
    const shared = sharedRows(this.path, path);
    this.path = path;
    return { leafId: tree.leafId, ...newestPage(tree, path), ...seen, shared };
  }

  /** Rows before index `before` of the path, newest chunk first. */
  rows(before: number): Iterable<Row[]> {
    return olderRows(this.log.tree, this.path, before);
  }

  /**
   * The state, with the lines of its newest rows. It is read after everything before it was sent to the window: what comes
   * later reaches the window as events, so nothing is missing and nothing comes twice.
   */
  async snapshot(): Promise<SessionSnapshot> {
    for (;;) {
      const { rows } = this.current;
      const lines = await this.log.linesOf(rows.slice(-SNAPSHOT_LINES).map(({ id }) => id));
      if (this.current.rows !== rows) continue;
      this.ports.flushEvents?.();
      return { ...this.current, n: this.n, lines: firstOfThem(lines.reverse()).reverse() };
    }
  }

  private sayOf(
    { entry, line, crc, crcBefore }: AppendedRecord,
    active: ReadonlySet<string>,
  ): Omit<EntryAppended, 'type'> {
    const { tree } = this.log;
    const node = tree.node(entry.id);
    const said = { line, crc, crcBefore };
    if (!node || node.facts.side) return { ...said, row: null, ...this.saysOf(entry) };
    if (!active.has(node.id) || pathIdAt(node.parent) !== this.shownEnd())
      return { ...said, row: rowOf(tree, node), elsewhere: true };
    this.path.nodes.push(node);
    return { ...said, row: pathRowOf(tree, node) };
  }

  /** Where the next entry of the path that is shown hangs. */
  private shownEnd(): string | null {
    const { leafId } = this.current;
    return leafId === null ? null : pathIdAt(this.log.tree.node(leafId) ?? null);
  }

  /** What a record that is not a path entry changes of labels and hidden branches (TR8, SF11). */
  private saysOf(entry: AppendedRecord['entry']): Pick<EntryAppended, 'label' | 'named' | 'archived'> {
    const { tree } = this.log;
    const { type, targetId, customType, data } = entry as unknown as Record<string, unknown>;
    if (type === 'label' && typeof targetId === 'string' && canBeEntry(targetId)) {
      return { label: { targetId, label: shownLabel(tree.label(targetId) ?? '') } };
    }
    const hidden = (data as { targetId?: unknown } | undefined)?.targetId;
    if (type !== 'custom' || typeof hidden !== 'string' || !canBeEntry(hidden)) return {};
    if (customType === TITLE_TYPE)
      return { named: { targetId: hidden, label: shownLabel(tree.titles.get(hidden) ?? '') } };
    if (customType !== 'espalier.archive') return {};
    const before = new Map(this.current.rows.map((row) => [row.id, row]));
    const rows = newestPage(tree, this.path).rows.filter(({ id, siblingIndex, siblingCount }) => {
      const old = before.get(id);
      return old?.siblingIndex !== siblingIndex || old?.siblingCount !== siblingCount;
    });
    return { archived: { targetId: hidden, isHidden: tree.archived.has(hidden), rows } };
  }
}

/** Whether an id can be that of an entry (JN46): what other programs wrote of others is about nothing. */
function canBeEntry(id: string): boolean {
  return id.length <= MAX_ID_LENGTH;
}

/** The entry of which a record says whether it is pinned; null: it is another record, or about nothing. */
function pinnedBy(entry: AppendedRecord['entry']): string | null {
  const { type, customType, data } = entry as unknown as Record<string, unknown>;
  if (type !== 'custom' || customType !== 'espalier.pin') return null;
  const { targetId } = (data ?? {}) as { targetId?: unknown };
  return typeof targetId === 'string' && canBeEntry(targetId) ? targetId : null;
}

/** Labels or titles by entry, as the window is sent them; an empty one is none. */
function shownLabels(labels: ReadonlyMap<string, string>): Record<string, string> {
  const shown = [...labels].filter(([id, label]) => label !== '' && canBeEntry(id));
  return Object.fromEntries(shown.map(([id, label]) => [id, shownLabel(label)]));
}

/** A label as the window is sent it (JN46). */
function shownLabel(label: string): string {
  return beginningOf(label, MAX_NAME_CHARS);
}

/** The first lines, as many as one answer holds; at least one. */
export function firstOfThem<T extends { line: string }>(lines: readonly T[]): T[] {
  let left = MAX_ANSWER_CHARS;
  const end = lines.findIndex(({ line }, index) => (left -= line.length) < 0 && index > 0);
  return end < 0 ? [...lines] : lines.slice(0, end);
}
