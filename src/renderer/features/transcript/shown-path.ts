import { useEffect, useMemo, useRef } from 'react';
import type { Virtualizer } from '@tanstack/react-virtual';
import { type Beside, groupRows, type TranscriptItem } from '../../state/group-rows';
import { useApp, useBusy, useLive, useSession, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import type { ReadingPath } from '../../state/reading-path';
import type { SessionView } from '../../state/session-view';
import { useItems } from './use-items';

/** What is drawn of HEAD alone: what streams, what was just sent, what stands below the newest row. */
const NOTHING_ON_ITS_WAY: SessionView['pending'] = [];
const NO_ROWS: ReadingPath['rows'] = [];

interface ShownPath {
  items: readonly TranscriptItem[];
  /** Counts up when all rows were read again. */
  readings: number;
  pending: SessionView['pending'];
  streamId: string | null;
  loadingOlder: boolean;
  busy: boolean;
}

/** The items of a path: HEAD's, or one that is read, which nothing that happens at HEAD draws again. */
export function useShownPath(path: ReadingPath | null, hasTail: boolean): ShownPath {
  const session = useSession();
  const isHead = path === null;
  const headRows = useView(session, (view) => (isHead ? view.rows : null));
  const readings = useView(session, (view) => (isHead ? view.readings : 0));
  const headSeen = useLive(session, (live) => live.seenFrom);
  const repeated = useLive(session, (live) => live.repeated);
  const labels = useLive(session, (live) => live.labels);
  const pending = useView(session, (view) => (isHead ? view.pending : NOTHING_ON_ITS_WAY));
  const loadingOlder = useView(session, (view) => isHead && view.loadingOlder);
  const isAsked = useLive(session, (live) => live.approvals.length > 0);
  const isBusy = useBusy(session.id);
  const busy = isHead && isBusy;
  const streamId = useLive(session, (live) => (isHead ? (live.reply?.streamId ?? null) : null));
  // While the person is asked nothing works, so nothing says that it does.
  const withTail = isHead && (hasTail || (busy && streamId === null && !isAsked));
  const beside = useBeside(session, path, headSeen);
  const rows = path?.rows ?? headRows ?? NO_ROWS;
  const seenFrom = path ? path.seenFrom : headSeen;
  const stored = useMemo(
    () => groupRows(rows, seenFrom, labels, repeated, beside),
    [rows, seenFrom, labels, repeated, beside],
  );
  const items = useItems({ stored, pending, streamId, withTail });
  return { items, readings, pending, streamId, loadingOlder: loadingOlder || path?.isLoading === true, busy };
}

/** What HEAD has of a path that is read, whatever has become of HEAD since it was opened. */
function useBeside(session: OpenSession, path: ReadingPath | null, headSeen: string | null): Beside | null {
  const { rows = NO_ROWS, rowsBefore = 0, shared: sharedRows = 0, forkId = null, sharedPromptId = null } = path ?? {};
  const isRead = path !== null;
  return useMemo(() => {
    if (!isRead) return null;
    const shared = Math.max(0, sharedRows - rowsBefore);
    return { shared, covered: coveredOf(session, rows, shared, forkId, headSeen), promptId: sharedPromptId };
  }, [session, isRead, rows, rowsBefore, sharedRows, forkId, sharedPromptId, headSeen]);
}

/** For how many of the rows a summary stands on HEAD's path. O(rows). */
function coveredOf(
  { view }: OpenSession,
  rows: ReadingPath['rows'],
  shared: number,
  forkId: string | null,
  headSeen: string | null,
): number {
  if (headSeen === null || shared === 0) return 0;
  const at = rows.findIndex(({ id, kind }) => id === headSeen && kind !== 'undone');
  if (at >= 0) return Math.min(at, shared);
  // It stands on HEAD's own part, or before what is loaded.
  const head = view.getState().rows;
  const fork = head.findLastIndex(({ id }) => id === forkId);
  const seen = head.findLastIndex(({ id }) => id === headSeen);
  return seen > fork ? shared : 0;
}

/** Part of the height below the upper edge at which people read. */
const EYE = 0.25;
/** While rows pass by, the graph is told now and then. */
const TELL_MS = 120;

/** Tells the graph which entry is at the reader's eye (GR11): that of the newest row, for whoever reads at the end. */
export function useEye(
  virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>,
  items: readonly TranscriptItem[],
  isAtEnd: () => boolean,
): void {
  const { graph } = useSession();
  const look = useRef(() => undefined as void);
  look.current = () => {
    const { scrollOffset, scrollRect } = virtualizer;
    if (scrollOffset === null) return;
    const offset = scrollOffset + (scrollRect?.height ?? 0) * EYE;
    const at = isAtEnd() ? items.length - 1 : (virtualizer.getVirtualItemForOffset(offset)?.index ?? -1);
    graph.setReading(entryNear(items, at));
  };
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const first = virtualizer.range?.startIndex;
  const last = virtualizer.range?.endIndex;
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      look.current();
    }, TELL_MS);
  }, [first, last, items, virtualizer.isScrolling]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      graph.setReading(null);
    },
    [graph],
  );
}

/** The entry of an item, or of the nearest before it that has one. */
function entryNear(items: readonly TranscriptItem[], at: number): string | null {
  for (let index = Math.min(at, items.length - 1); index >= 0; index--) {
    const item = items[index];
    if (item?.kind === 'row') return item.row.id;
    if (item && 'rows' in item) return item.rows[0]?.id ?? null;
  }
  return null;
}

/** Pixels above the entry that is read: it is seen that something precedes it. */
const ABOVE_PX = 72;

interface Start {
  key: string;
  index: number;
  /** How many pixels of it are above the upper edge. */
  into: number;
  sizes: [];
  heights: ReadonlyMap<unknown, number>;
}

/** Where a path that is read begins to be seen: at its entry. */
export function startOf(path: ReadingPath, items: readonly TranscriptItem[]): Start | null {
  const index = items.findIndex((item) => 'row' in item && item.kind === 'row' && holdsEntry(item, path.entryId));
  const item = items[index];
  return item ? { key: item.key, index, into: -ABOVE_PX, sizes: [], heights: new Map() } : null;
}

function holdsEntry(item: Extract<TranscriptItem, { kind: 'row' }>, entryId: string): boolean {
  if (item.row.id === entryId) return true;
  for (const { id } of item.results.values()) if (id === entryId) return true;
  return false;
}

/** Whoever goes to what they read stays there: its place in HEAD's transcript is the one that they left (GR12). */
export function useStaysWhereRead(): void {
  const app = useApp();
  const { id: sessionId, reading, graph, view } = useSession();
  useEffect(
    () =>
      reading.state.subscribe((now, before) => {
        if (now.path || !before.path) return;
        const { path } = before;
        const eye = graph.state.getState().readingEntry ?? path.entryId;
        const isHeads = view.getState().rows.some(({ id }) => id === path.entryId);
        if (isHeads && app.ui.getState().arrival?.sessionId !== sessionId)
          app.ui.setState({ arrival: { sessionId, entryId: eye, isTold: true, isStart: true } });
      }),
    [app, sessionId, reading, graph, view],
  );
}
