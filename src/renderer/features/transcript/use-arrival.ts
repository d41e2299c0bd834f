import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Virtualizer } from '@tanstack/react-virtual';
import type { Arrival } from '../../state/branch-state';
import type { Attempt, TranscriptItem } from '../../state/group-rows';
import { useApp, useSession, useUi } from '../../state/hooks';
import { drawFirst } from '../markdown/frame-room';
import { useTourMark } from '../tour/coach-mark';
import { openAttempts } from './attempts';

/** A row that takes more frames to be drawn is not waited for. */
const FOCUS_FRAMES = 60;
/** In a transcript that is less high, little more than two rows have room. */
const LOW_PX = 520;
/** Of its height. */
const UPPER_PART = 0.6;
/** How long a row that was jumped to is marked. */
const MARK_MS = 2_000;

/** Where the person was reading: pixels into an item; null: at the end. */
type Origin = { key: string; into: number } | null;

interface ArrivalOptions {
  items: readonly TranscriptItem[];
  /** The list shows HEAD's path, not one that is read. */
  isHead: boolean;
  /** As `useStretch` gives it. */
  at: (index: number | null, act: (place: number) => void) => void;
  stick: { toEnd(): void; expectMove(): void; keep(key: string): void };
  virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>;
  scroller: RefObject<HTMLElement | null>;
  /** As it was last drawn, and as it is now; the latter the same function each time. */
  atEnd: boolean;
  isAtEnd: () => boolean;
}

interface ArrivalState {
  /** The key of the item that was jumped to, for a while. */
  marked: string | null;
  /** The way back to where the person was reading before they were led away. */
  back: { go: () => void; isUp: boolean } | null;
}

/** Brings an entry that somebody wants to see into view, marked, as soon as the path has it (WN11). HEAD stays where it is. */
export function useArrival({
  items,
  isHead,
  at,
  stick,
  virtualizer,
  scroller,
  atEnd,
  isAtEnd,
}: ArrivalOptions): ArrivalState {
  const app = useApp();
  const { id: sessionId } = useSession();
  const [marked, setMarked] = useState<{ key: string } | null>(null);
  const [origin, setOrigin] = useState<{ of: Origin; isUp: boolean } | null>(null);
  const arrival = useUi((ui) =>
    ui.arrival?.sessionId === sessionId && (ui.arrival.isRead === true) !== isHead ? ui.arrival : null,
  );

  useEffect(() => {
    if (!arrival) return;
    const { entryId } = arrival;
    if (entryId === null) {
      at(null, stick.toEnd);
      return app.ui.setState({ arrival: null });
    }
    const index = placeIn(items, entryId);
    const item = items[index];
    if (!item) return;
    const from = isAtEnd() ? null : placeOf(virtualizer);
    openAttemptOf(item, sessionId, entryId);
    at(index, (place) => {
      stick.expectMove();
      stick.keep(item.key);
      if (!virtualizer.getVirtualItems().some(({ key }) => key === item.key)) drawFirst(item.key);
      if (arrival.isStart) {
        // Where the room is small, what stands above it comes first.
        const isLow = (scroller.current?.clientHeight ?? 0) < LOW_PX;
        if (isLow) virtualizer.scrollToIndex(place + 1, { align: 'end' });
        else virtualizer.scrollToIndex(place, { align: 'center' });
        return app.ui.setState({ arrival: null });
      }
      const isSeen = !isHead && isInUpperPart(virtualizer, place);
      if (!isSeen) virtualizer.scrollToIndex(place, { align: arrival.focusVersions ? 'auto' : alignOf(arrival) });
      if (arrival.focusVersions) {
        focusSoon(scroller.current, entryId, versionArrow);
      } else {
        setMarked({ key: item.key });
        // Who is led on from hit to hit goes back to where that began.
        const isUp = from !== null && items.findIndex(({ key }) => key === from.key) < index;
        if (!isSeen) setOrigin((before) => before ?? { of: from, isUp });
        takeFocus(scroller.current, entryId);
        if (!arrival.isTold) app.announce('The message is in view.');
      }
      app.ui.setState({ arrival: null });
    });
  }, [app, arrival, at, isAtEnd, isHead, items, scroller, sessionId, stick, virtualizer]);

  useEffect(() => {
    if (marked === null) return;
    const timer = setTimeout(() => setMarked(null), MARK_MS);
    return () => clearTimeout(timer);
  }, [marked]);

  // Whoever comes to the end by themselves is not led back from there.
  const wasAtEnd = useRef(atEnd);
  useEffect(() => {
    if (atEnd && !wasAtEnd.current) setOrigin(null);
    wasAtEnd.current = atEnd;
  }, [atEnd]);

  const go = useCallback(() => {
    if (!origin) return;
    const { of } = origin;
    const index = of ? items.findIndex(({ key }) => key === of.key) : -1;
    setOrigin(null);
    scroller.current?.focus({ preventScroll: true });
    if (!of || index < 0) return at(null, stick.toEnd);
    at(index, (place) => {
      stick.expectMove();
      const [start = 0] = virtualizer.getOffsetForIndex(place, 'start') ?? [];
      virtualizer.scrollToOffset(start + of.into);
    });
  }, [at, items, origin, scroller, stick, virtualizer]);

  return { marked: marked?.key ?? null, back: origin ? { go, isUp: origin.isUp } : null };
}

/** A hit that is being walked to stands with some of what was said before it above. */
const alignOf = ({ isTold }: Arrival): 'start' | 'center' => (isTold ? 'center' : 'start');

/** Where the beginning of an item is read without moving the list. */
function isInUpperPart({ measurementsCache, scrollOffset, scrollRect }: ArrivalOptions['virtualizer'], place: number) {
  const { start } = measurementsCache[place] ?? {};
  if (start === undefined || scrollOffset === null || !scrollRect) return false;
  return start >= scrollOffset && start <= scrollOffset + scrollRect.height * UPPER_PART;
}

function placeOf(list: ArrivalOptions['virtualizer']): Origin {
  const { scrollOffset } = list;
  const first = scrollOffset === null ? undefined : list.getVirtualItemForOffset(scrollOffset);
  if (scrollOffset === null || typeof first?.key !== 'string') return null;
  return { key: first.key, into: scrollOffset - first.start };
}

/** The keyboard goes along where it was in the transcript, or was with what went; elsewhere it stays. */
function takeFocus(scroller: HTMLElement | null, entryId: string): void {
  const { activeElement } = document;
  if (!scroller || (activeElement !== document.body && !scroller.contains(activeElement))) return;
  focusSoon(scroller, entryId, (row) => {
    row.tabIndex = -1;
    row.addEventListener('blur', () => row.removeAttribute('tabindex'), { once: true });
    return row;
  });
}

/** The arrow that was pressed went with its row: the keyboard goes on at the one that can lead on. */
function versionArrow(row: HTMLElement): HTMLElement | undefined {
  const arrows = [...row.querySelectorAll<HTMLElement>('[data-versions] button')];
  return arrows.find((arrow) => arrow.getAttribute('aria-disabled') !== 'true') ?? arrows[0];
}

/** Gives the keyboard to a part of a row once React has drawn it, which may take some frames. */
function focusSoon(
  scroller: HTMLElement | null,
  entryId: string,
  part: (row: HTMLElement) => HTMLElement | undefined,
  frames = FOCUS_FRAMES,
): void {
  requestAnimationFrame(() => {
    const row = scroller?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(entryId)}"]`);
    const wanted = row ? part(row) : undefined;
    if (wanted) wanted.focus({ preventScroll: true });
    else if (frames > 0) focusSoon(scroller, entryId, part, frames - 1);
  });
}

/** Of a compaction the card at the cut, which has its summary, not the line where it was made (TS7). */
function placeIn(items: readonly TranscriptItem[], entryId: string): number {
  const atCut = items.findIndex((item) => item.kind === 'cut' && holds(item, entryId));
  return atCut >= 0 ? atCut : items.findIndex((item) => holds(item, entryId));
}

function holds(item: TranscriptItem, entryId: string): boolean {
  if ('rows' in item) return item.rows.some((row) => row.id === entryId);
  // The summary is what somebody wants to see of a compaction.
  if (item.kind === 'cut') return item.row.id === entryId || item.earlier.some(({ id }) => id === entryId);
  if (item.kind !== 'row') return false;
  if (item.row.id === entryId) return true;
  for (const result of item.results.values()) if (result.id === entryId) return true;
  return attemptOf(item, entryId) >= 0;
}

/** The place of the earlier attempt that an entry belongs to; -1: it belongs to none. */
function attemptOf(item: TranscriptItem, entryId: string): number {
  const isIts = ({ row, results }: Attempt): boolean =>
    row.id === entryId || [...results.values()].some(({ id }) => id === entryId);
  return 'attempts' in item ? item.attempts.findIndex(isIts) : -1;
}

/** What is to be seen in one of them is drawn. */
function openAttemptOf(item: TranscriptItem, sessionId: string, entryId: string): void {
  const first = 'attempts' in item ? item.attempts[0] : undefined;
  const at = first ? attemptOf(item, entryId) : -1;
  if (first && at >= 0) openAttempts({ sessionId, firstId: first.row.id }, at);
}

/** A session that was just opened is still read and measured, which takes the list to its end again. */
const SETTLES_MS = 3_000;
const LOOK_MS = 250;

/** The tour opens at its cut line, and each coach mark there is brought into view once (WN18). */
export function useTourStart(
  items: readonly TranscriptItem[],
  isRemembered: boolean,
  scroller: RefObject<HTMLElement | null>,
): void {
  const app = useApp();
  const { id: sessionId } = useSession();
  const mark = useTourMark();
  const isAtCut = mark === 'cut' || mark === 'undo';
  const cut = isAtCut ? items.find((item) => item.kind === 'cut') : undefined;
  const entryId = cut?.kind === 'cut' ? cut.row.id : null;
  /** The mark that was brought into view, and until when it is looked after. */
  const shown = useRef<{ place: string; until: number } | null>(null);
  useEffect(() => {
    const place = entryId && `${mark} ${entryId}`;
    if (!place) return;
    const show = (): void => app.ui.setState({ arrival: { sessionId, entryId, isStart: true } });
    if (shown.current?.place !== place) {
      const isLeft = shown.current === null && isRemembered;
      shown.current = { place, until: isLeft ? 0 : performance.now() + SETTLES_MS };
      if (!isLeft) show();
    }
    const left = shown.current.until - performance.now();
    if (left <= 0) return;
    const onHand = (): void => {
      shown.current = { place, until: 0 };
    };
    return untilTouched(left, onHand, () => {
      if (!isInView(scroller.current)) show();
    });
  }, [app, entryId, isRemembered, mark, scroller, sessionId]);
}

/** Calls `look` for a while, but no longer than the person keeps their hands off. Gives the way to end it. */
function untilTouched(ms: number, onHand: () => void, look: () => void): () => void {
  const timer = setInterval(look, LOOK_MS);
  const end = new AbortController();
  const stop = (): void => {
    clearInterval(timer);
    end.abort();
  };
  const touched = (): void => {
    stop();
    onHand();
  };
  const late = setTimeout(stop, ms);
  end.signal.addEventListener('abort', () => clearTimeout(late));
  for (const hand of ['wheel', 'pointerdown', 'keydown'] as const)
    addEventListener(hand, touched, { capture: true, passive: true, signal: end.signal });
  return stop;
}

function isInView(scroller: HTMLElement | null): boolean {
  const mark = scroller?.querySelector('[data-coach]')?.getBoundingClientRect();
  const frame = scroller?.getBoundingClientRect();
  return mark !== undefined && frame !== undefined && mark.bottom > frame.top && mark.top < frame.bottom;
}
