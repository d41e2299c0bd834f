import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Ref } from 'react';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { EmptyState, Spinner, VisuallyHidden } from '../../ui';
import { MarkdownEnvironmentProvider } from '../markdown';
import { TranscriptProvider, type TranscriptContextValue } from './context';
import { estimateHeight, type TranscriptItem } from './group-rows';
import type { Motion } from './motion';
import { rememberedView, rememberView } from './remember-view';
import { RowView } from './row-view';
import { Tail } from './tail';
import type { TranscriptHandle, TranscriptProps } from './types';
import { useAnnouncement } from './use-announcement';
import { useItems } from './use-items';
import { useMissingEntries } from './use-missing-entries';
import { useMotion } from './use-motion';
import { useStickToEnd } from './use-stick-to-end';
import styles from './transcript.module.css';

/** Nearer than this to the end counts as reading the newest: about three lines. */
const END_THRESHOLD_PX = 72;
const OVERSCAN = 3;
const PADDING_PX = 16;
/** How long a row that was jumped to is marked. */
const MARK_MS = 1_600;

/** The active path of a session, virtualised, with its states. `ref` takes a handle to jump with. */
export function Transcript({ ref, ...props }: TranscriptProps & { ref?: Ref<TranscriptHandle> }) {
  const { rows, loading, problem, empty, pending, onOpenLink, onCopy, onOpenEntry, live } = props;
  const environment = useMemo(
    () => ({ openLink: onOpenLink, copyText: onCopy, openEntry: onOpenEntry }),
    [onOpenLink, onCopy, onOpenEntry],
  );
  const isStreaming = useSyncExternalStore(live.subscribe, () => live.getState().reply !== null);
  if (problem && rows.length === 0) {
    return <EmptyState title="This session could not be read">{problem}</EmptyState>;
  }
  if (rows.length === 0 && !pending?.length && !isStreaming && !hasTail(props, isStreaming)) {
    return loading ? (
      <div className={styles.loading}>
        <Spinner label="Loading" size={18} />
      </div>
    ) : (
      <>{empty}</>
    );
  }
  return (
    <MarkdownEnvironmentProvider value={environment}>
      <TranscriptList key={props.sessionId} {...props} handle={ref} />
    </MarkdownEnvironmentProvider>
  );
}

function TranscriptList({ handle, ...props }: TranscriptProps & { handle?: Ref<TranscriptHandle> }) {
  const { rows, live, pending = NONE, sessionId, seenFrom = null } = props;
  const streamId = useSyncExternalStore(live.subscribe, () => live.getState().reply?.streamId ?? null);
  const items = useItems({ rows, seenFrom, pending, streamId, withTail: hasTail(props, streamId !== null) });
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [marked, setMarked] = useState<string | null>(null);
  const remembered = useState(() => rememberedView(sessionId))[0];

  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((index: number) => estimateHeight(items[index]), [items]),
    getItemKey: useCallback((index: number) => items[index]?.key ?? index, [items]),
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_THRESHOLD_PX,
    overscan: OVERSCAN,
    paddingStart: PADDING_PX,
    paddingEnd: PADDING_PX,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    useAnimationFrameWithResizeObserver: false,
    onChange: (instance) => setAtEnd(distanceFromEnd(instance) <= END_THRESHOLD_PX),
    ...(remembered ? { initialOffset: remembered.offset, initialMeasurementsCache: remembered.sizes } : {}),
  });

  const context = useContextValue(props, useMotion(virtualizer.isScrolling));

  useLayoutEffect(() => {
    if (!remembered) virtualizer.scrollToEnd();
    return () => rememberView(sessionId, virtualizer);
  }, [virtualizer, remembered, sessionId]);

  const toEnd = useStickToEnd(scroller, END_THRESHOLD_PX);
  const jumpTo = useCallback(
    (entryId: string, { focusVersions = false } = {}): void => {
      const index = items.findIndex((item) => holds(item, entryId));
      if (index < 0) return;
      virtualizer.scrollToIndex(index, { align: focusVersions ? 'auto' : 'start' });
      if (focusVersions) focusVersionsOf(scroller.current, entryId);
      else setMarked(items[index]?.key ?? null);
    },
    [items, virtualizer],
  );
  useEffect(() => {
    if (marked === null) return;
    const timer = setTimeout(() => setMarked(null), MARK_MS);
    return () => clearTimeout(timer);
  }, [marked]);
  useImperativeHandle(handle, () => ({ jumpTo, jumpToEnd: toEnd, focus: () => scroller.current?.focus() }), [
    jumpTo,
    toEnd,
  ]);

  // What the person says is seen, wherever they were reading.
  const said = pending.length;
  useEffect(() => {
    if (said > 0) toEnd();
  }, [said, toEnd]);
  useMissingEntries(items, virtualizer.getVirtualItems(), props);
  const announcement = useAnnouncement(props, streamId);

  return (
    <TranscriptProvider value={context}>
      <div className={styles.frame}>
        <div
          ref={scroller}
          className={styles.scroller}
          role="feed"
          tabIndex={0}
          aria-label="Transcript"
          aria-busy={props.busy}
          data-transcript
          onKeyDown={(event) => {
            // The browser's own way animates to where the end was before the rows on the way were measured.
            if (event.target !== event.currentTarget || event.shiftKey || event.altKey || event.metaKey) return;
            if (event.key === 'End') toEnd();
            else if (event.key === 'Home') virtualizer.scrollToOffset(0);
            else return;
            event.preventDefault();
          }}
        >
          <div ref={virtualizer.containerRef} className={styles.sizer} role="presentation">
            {virtualizer.getVirtualItems().map(({ key, index }) => {
              const item = items[index];
              return (
                item && (
                  <Item
                    key={key}
                    item={item}
                    index={index}
                    count={items.length}
                    marked={item.key === marked}
                    virtualizer={virtualizer}
                  >
                    {item.kind === 'tail' ? <Tail>{props.tail}</Tail> : <RowView item={item} />}
                  </Item>
                )
              );
            })}
          </div>
        </div>
        {props.loadingOlder && (
          <div className={styles.older}>
            <Spinner size={12} /> Older messages
          </div>
        )}
        {!atEnd && (
          <button type="button" className={styles.jump} onClick={toEnd}>
            <ArrowDown size={14} aria-hidden /> Jump to latest
          </button>
        )}
        <div role="status">
          <VisuallyHidden>{announcement}</VisuallyHidden>
        </div>
      </div>
    </TranscriptProvider>
  );
}

const NONE: never[] = [];

/** The arrow that was pressed went with its row: the keyboard goes on at the one that can lead on. */
function focusVersionsOf(scroller: HTMLElement | null, entryId: string): void {
  // Once React has drawn it.
  requestAnimationFrame(() => {
    const row = scroller?.querySelector(`[data-entry="${CSS.escape(entryId)}"]`);
    const arrows = row?.querySelectorAll<HTMLElement>('[data-versions] button') ?? [];
    const wanted = [...arrows].find((arrow) => arrow.getAttribute('aria-disabled') !== 'true') ?? arrows[0];
    wanted?.focus({ preventScroll: true });
  });
}

type List = Virtualizer<HTMLDivElement, HTMLDivElement>;

interface ItemProps {
  item: TranscriptItem;
  index: number;
  count: number;
  marked: boolean;
  virtualizer: List;
  children: React.ReactNode;
}

function Item({ item, index, count, marked, virtualizer, children }: ItemProps) {
  return (
    <div
      ref={virtualizer.measureElement}
      data-index={index}
      data-kind={item.kind === 'row' ? item.row.kind : item.kind}
      data-entry={item.kind === 'row' ? item.row.id : undefined}
      data-summarised={(item.kind === 'row' && item.summarised) || undefined}
      data-marked={marked || undefined}
      className={styles.item}
      role="article"
      aria-posinset={index + 1}
      aria-setsize={count}
    >
      <div className={styles.column}>{children}</div>
    </div>
  );
}

/** By what the list knows: its own `isAtEnd` asks the element, which lays out the rows that just moved once more a frame. */
function distanceFromEnd(list: List): number {
  if (!list.scrollRect || list.scrollOffset === null) return 0;
  return list.getTotalSize() - list.scrollRect.height - list.scrollOffset;
}

/** While the person is asked nothing works, so nothing says that it does. */
function hasTail({ tail, busy, approvals }: TranscriptProps, isStreaming: boolean): boolean {
  return (tail ?? null) !== null || (busy && !isStreaming && !approvals?.length);
}

function holds(item: TranscriptItem, entryId: string): boolean {
  if (item.kind === 'changes') return item.rows.some((row) => row.id === entryId);
  if (item.kind !== 'row') return false;
  if (item.row.id === entryId) return true;
  for (const result of item.results.values()) if (result.id === entryId) return true;
  return false;
}

function latestOf(rows: TranscriptProps['rows']): string | null {
  for (let at = rows.length - 1; at >= 0; at--) if (rows[at]?.kind === 'compaction') return rows[at]?.id ?? null;
  return null;
}

/** Results and what the app notes stand between a reply and the end of the rows while its calls are made. */
function newestReplyOf(rows: TranscriptProps['rows']): string | null {
  const last = rows.findLast(({ kind }) => kind === 'assistant' || kind === 'user');
  return last?.kind === 'assistant' ? last.id : null;
}

function useContextValue(props: TranscriptProps, motion: Motion): TranscriptContextValue {
  const { getEntry, onEntries, live, busy, approvals, renderApproval, explainsFailure, onRetry, onOpenOutput, rows } =
    props;
  const { pruned } = props;
  const { compaction, tree, labels, hiddenBranches, requestEntries } = props;
  const lastRowId = rows.at(-1)?.id ?? null;
  const newestReplyId = useMemo(() => newestReplyOf(rows), [rows]);
  const latestCompactionId = useMemo(() => latestOf(rows), [rows]);
  const prunedIds = useMemo(() => new Set(pruned), [pruned]);
  return useMemo(
    () => ({
      getEntry,
      onEntries,
      requestEntries,
      live,
      busy,
      approvals,
      renderApproval,
      explainsFailure,
      onRetry,
      compaction,
      tree,
      labels,
      hiddenBranches,
      onOpenOutput,
      motion,
      lastRowId,
      newestReplyId,
      latestCompactionId,
      prunedIds,
    }),
    [
      getEntry,
      onEntries,
      requestEntries,
      live,
      busy,
      approvals,
      renderApproval,
      explainsFailure,
      onRetry,
      compaction,
      tree,
      labels,
      hiddenBranches,
      onOpenOutput,
      motion,
      lastRowId,
      newestReplyId,
      latestCompactionId,
      prunedIds,
    ],
  );
}
