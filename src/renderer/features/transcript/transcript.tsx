import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { openReference } from '../../actions/branches';
import { act } from '../../actions/menus';
import { useStretch } from '../../parts/use-stretch';
import { useApp, useLive, useReading, useSession } from '../../state/hooks';
import { Spinner, VisuallyHidden } from '../../ui';
import { HitMarks } from '../search/hit-marks';
import { MarkdownEnvironmentProvider } from '../markdown/environment';
import { drawFirst } from '../markdown/frame-room';
import { type TranscriptProps, TranscriptProvider, useContextValue, useMotion } from './context';
import { startOf, useEye, useShownPath } from './shown-path';
import { estimateHeight, useMissingEntries } from './use-items';
import type { TranscriptItem } from '../../state/group-rows';
import { forgetBeyondEnd, rememberedView, rememberView, useStickToEnd } from './reading-place';
import { CutDrag, type Press } from './cut-drag';
import { RowView } from './row-view';
import { useAnnouncement } from './use-announcement';
import { useArrival, useTourStart } from './use-arrival';
import { useMoment } from './moment';
import { Working } from './working';
import styles from './transcript.module.css';

/** Nearer than this to the end counts as reading the newest: about three lines. */
const END_THRESHOLD_PX = 72;
/** What scaling may round away. */
const EXACT_PX = 2;
const OVERSCAN = 3;
const PADDING_PX = 16;

/** HEAD's path of the session that is shown, or the one that is read (GR12), virtualised. */
export function Transcript(props: TranscriptProps) {
  const app = useApp();
  const session = useSession();
  const nth = useReading(session, ({ path }) => path?.nth);
  const environment = useMemo(
    () => ({
      openLink: (url: string) => void app.ask('app.openExternal', { url }),
      copyText: app.page.copy,
      openEntry: (entryId: string) => void openReference(app, session.id, entryId),
    }),
    [app, session],
  );
  return (
    <MarkdownEnvironmentProvider value={environment}>
      <TranscriptList key={`${session.id} ${nth ?? ''}`} {...props} />
    </MarkdownEnvironmentProvider>
  );
}

function TranscriptList({ renderApproval, renderWhole, tail }: TranscriptProps) {
  const app = useApp();
  const session = useSession();
  const sessionId = session.id;
  const path = useReading(session, (reading) => reading.path);
  const isHead = path === null;
  const { items, readings, pending, streamId, loadingOlder, busy } = useShownPath(path, tail !== null);
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const remembered = useState(() => (path ? startOf(path, items) : rememberedView(sessionId, items)))[0];
  const startsAt = useState(() => (path && remembered ? remembered.key : null))[0];
  // Before the list's own effects, which make it draw its rows.
  useLayoutEffect(() => (startsAt === null ? undefined : drawFirst(startsAt)), [startsAt]);
  const [stays, setStays] = useState(startsAt !== null);
  const stretch = useStretch({
    items,
    keyOf,
    estimate: estimateHeight,
    startsAt: remembered?.key ?? null,
    known: remembered?.heights,
  });
  const { items: shown, at, hasEnd } = stretch;

  const stick = useStickToEnd({
    scroller,
    thresholdPx: END_THRESHOLD_PX,
    startsAtEnd: !remembered,
    startsAt,
    readings,
    hasEnd,
    onStay: setStays,
    onAtEnd: setAtEnd,
  });
  const toEnd = useCallback(() => at(null, stick.toEnd), [at, stick]);
  // Before the list's own effects: when it goes, they let go of the element, and whatever is asked of it then is at the end.
  const list = useRef<List>(undefined);
  useLayoutEffect(() => {
    if (!isHead) return;
    // Who went up a little comes back to just that place.
    return () =>
      void (list.current && rememberView(sessionId, list.current, hasEnd() && list.current.isAtEnd(EXACT_PX)));
  }, [sessionId, hasEnd, isHead]);
  const firstKey = shown[0]?.key;
  // Before the list's own, in which it would go there.
  useLayoutEffect(() => void (list.current && forgetBeyondEnd(list.current)), [firstKey]);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: shown.length,
    getScrollElement: () => scroller.current,
    scrollToFn: stick.scrollToFn,
    estimateSize: useCallback((index: number) => estimateHeight(shown[index]), [shown]),
    getItemKey: useCallback((index: number) => shown[index]?.key ?? index, [shown]),
    anchorTo: 'end',
    followOnAppend: true,
    // Nearer than this the list follows by itself; a reader who went up a little stays (`useStickToEnd` knows).
    scrollEndThreshold: stays ? -1 : 1,
    overscan: OVERSCAN,
    paddingStart: PADDING_PX,
    paddingEnd: PADDING_PX,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    useAnimationFrameWithResizeObserver: false,
    ...(remembered
      ? {
          initialOffset: PADDING_PX + stretch.above(remembered.index) + remembered.into,
          initialMeasurementsCache: remembered.sizes,
        }
      : {}),
  });
  useLayoutEffect(() => stretch.settle(virtualizer));

  const heightOf = useCallback(
    (item: TranscriptItem) => virtualizer.itemSizeCache.get(keyOf(item)) ?? estimateHeight(item),
    [virtualizer],
  );
  const [cutPress, dragCut] = useState<Press | null>(null);
  const endCutDrag = useCallback(() => dragCut(null), []);
  const context = useContextValue({
    renderApproval,
    renderWhole,
    motion: useMotion(virtualizer.isScrolling),
    heightOf,
    dragCut,
  });

  useLayoutEffect(() => {
    list.current = virtualizer;
    virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item, _deltaPx, now) => stick.isAbove(item, now);
    if (!remembered) virtualizer.scrollToEnd();
  }, [virtualizer, remembered, stick]);

  const isAtEnd = useCallback(() => hasEnd() && virtualizer.isAtEnd(END_THRESHOLD_PX), [virtualizer, hasEnd]);
  useTourStart(items, remembered !== null, scroller);
  const { marked, back } = useArrival({ items, isHead, at, stick, virtualizer, scroller, atEnd, isAtEnd });
  useEye(virtualizer, shown, isAtEnd);
  // What the person says is seen, wherever they were reading.
  const said = pending.length;
  useEffect(() => {
    if (said > 0) toEnd();
  }, [said, toEnd]);
  useMissingEntries(shown, virtualizer.getVirtualItems());
  const question = useLive(session, (live) => (isHead ? live.approvals[0] : undefined));
  const announcement = useAnnouncement(streamId, question);

  return (
    <TranscriptProvider value={context}>
      <div className={styles.frame}>
        <div
          ref={scroller}
          className={styles.scroller}
          role="feed"
          tabIndex={0}
          aria-label={isHead ? 'Transcript' : 'Transcript of another branch'}
          aria-busy={busy}
          data-transcript
          onKeyDown={(event) => {
            // The browser's own way animates to where the end was before the rows on the way were measured.
            if (event.target !== event.currentTarget || event.shiftKey || event.altKey || event.metaKey) return;
            if (event.key === 'Enter' && !isHead && !event.repeat) act(app, 'reading.go', session);
            else if (event.key === 'End') toEnd();
            else if (event.key === 'Home') at(0, () => virtualizer.scrollToOffset(0));
            else return;
            event.preventDefault();
          }}
        >
          <div ref={virtualizer.containerRef} className={styles.sizer} role="presentation">
            {virtualizer.getVirtualItems().map(({ key, index }) => {
              const item = shown[index];
              return (
                item && (
                  <Item
                    key={key}
                    item={item}
                    index={index}
                    position={stretch.from + index + 1}
                    count={items.length}
                    marked={item.key === marked}
                    virtualizer={virtualizer}
                  >
                    {item.kind === 'tail' ? (tail ?? <Working words="Working" isStatus />) : <RowView item={item} />}
                  </Item>
                )
              );
            })}
          </div>
        </div>
        <HitMarks items={shown} virtualizer={virtualizer} scroller={scroller} />
        {cutPress && <CutDrag press={cutPress} scroller={scroller} onEnd={endCutDrag} />}
        {loadingOlder && (
          <div className={styles.older}>
            <Spinner size={12} /> Older messages
          </div>
        )}
        {/* It would lie on what is asked. */}
        {!atEnd &&
          !question &&
          (back ? (
            <button type="button" className={styles.jump} onClick={back.go}>
              {back.isUp ? <ArrowUp size={14} aria-hidden /> : <ArrowDown size={14} aria-hidden />} Back to where you
              were
            </button>
          ) : (
            <button type="button" className={styles.jump} onClick={toEnd}>
              <ArrowDown size={14} aria-hidden /> {isHead ? 'Jump to latest' : 'To the end of this branch'}
            </button>
          ))}
        <div role="status">
          <VisuallyHidden>{announcement}</VisuallyHidden>
        </div>
      </div>
    </TranscriptProvider>
  );
}

const keyOf = (item: TranscriptItem): string => item.key;

type List = Virtualizer<HTMLDivElement, HTMLDivElement>;

interface ItemProps {
  item: TranscriptItem;
  index: number;
  /** Its place in the whole list, from one. */
  position: number;
  count: number;
  marked: boolean;
  virtualizer: List;
  children: React.ReactNode;
}

function Item({ item, index, position, count, marked, virtualizer, children }: ItemProps) {
  const whose = useWhose(item);
  return (
    <div
      ref={virtualizer.measureElement}
      data-index={index}
      data-kind={item.kind === 'row' ? item.row.kind : item.kind}
      data-entry={item.kind === 'row' ? item.row.id : undefined}
      data-holds={item.kind === 'cut' ? [item.row, ...item.earlier].map(({ id }) => id).join(' ') : undefined}
      data-zone={zoneOf(item)}
      data-summarised={(item.kind === 'row' && item.memory === 'summarised') || undefined}
      data-marked={marked || undefined}
      className={styles.item}
      role="article"
      aria-label={whose}
      aria-posinset={position}
      aria-setsize={count}
    >
      <div className={styles.column}>{children}</div>
    </div>
  );
}

/** What the gutter beside an item says: in the colours of the meter, what the model has of it (TS8). */
function zoneOf(item: TranscriptItem): 'summarised' | 'summary' | 'branch' | 'elsewhere' | undefined {
  if ('isElsewhere' in item && item.isElsewhere) return 'elsewhere';
  if (item.kind === 'cut') return 'summary';
  if (item.kind === 'row' && item.memory === 'repeated') return undefined;
  if ('covered' in item && item.covered) return 'summarised';
  return item.kind === 'row' && item.row.kind === 'branchSummary' ? 'branch' : undefined;
}

/** A person's message by its author and time (TS12). */
function useWhose(item: TranscriptItem): string | undefined {
  const said = item.kind === 'row' && item.row.kind === 'user' ? item.row : null;
  const moment = useMoment(said ? said.time : Number.NaN);
  if (item.kind === 'pending') return 'You';
  return said ? ['You', moment].filter(Boolean).join(', ') : undefined;
}
