import { useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import type { Asked } from '@shared/search/types';
import { type Query, readQuery } from '@shared/search/words';
import { announceMove } from '../../parts/hold-end';
import { useApp, useSession } from '../../state/hooks';
import { markHere, markWords, type Target, targetOf, unfold, unmarkWords } from './mark-words';

/** How long marking goes on in one task. */
const SLICE_MS = 8;
/** After something was drawn: a reply that streams is not marked with each word. */
const MARK_MS = 100;
/** How long a place is brought into view again: rows above are measured, and long texts drawn a frame's share at a time. */
const FOLLOW_MS = 2_500;
/** Rounds in which what is folded opens: each may show further folds. */
const MOST_ROUNDS = 14;
/** Of a scroller what is kept free around a hit, in pixels. */
const MARGIN = 48;

interface Wanted {
  query: Query;
  entryId: string | null;
  /** Which of the places in that entry; more than there are: the last. */
  spot: number;
  /** The person has asked to be led there. */
  isStep: boolean;
  /** They go from place to place: what a long text leaves out opens too. */
  isWalk: boolean;
}

/**
 * Marks what is found as long as it is wanted, opens what hides the hit and brings it into view. Returns the function that ends it; the marks
 * stay until others take their place, or `unmarkWords`.
 */
function followHit(transcript: HTMLElement, { query, entryId, spot, isStep, isWalk }: Wanted): () => void {
  let rounds = isStep ? MOST_ROUNDS : 0;
  let until = isStep ? performance.now() + FOLLOW_MS : 0;
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let here: Range | undefined;
  let isStale = false;

  const arriveAt = (target: Target | null, places: readonly Range[]): void => {
    here = places[Math.min(spot, places.length - 1)];
    markHere(here);
    if (!target || rounds === 0 || (places.length > 0 && !isWalk)) return;
    rounds = unfold(target, places.length === 0) ? rounds - 1 : rounds;
  };
  const look = (): void => {
    const target = entryId === null ? null : targetOf(transcript, entryId);
    const marking = markWords(transcript, query, target);
    const goOn = (): void => {
      timer = undefined;
      const end = performance.now() + SLICE_MS;
      let step;
      do {
        step = marking.next();
        if (step.value) arriveAt(target, step.value);
      } while (!step.done && performance.now() < end);
      if (!step.done) timer = setTimeout(goOn);
      else if (isStale) soon();
    };
    isStale = false;
    goOn();
  };
  // What is drawn while it marks is marked after that.
  const soon = (): void => {
    isStale = true;
    timer ??= setTimeout(look, MARK_MS);
  };
  const onFrame = (): void => {
    if (performance.now() > until) return;
    if (here) bringIntoView(transcript, here);
    frame = requestAnimationFrame(onFrame);
  };
  // Whoever scrolls goes where they want to.
  const release = (): void => {
    until = 0;
  };
  const listening = new AbortController();
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const)
    transcript.addEventListener(type, release, { passive: true, signal: listening.signal });
  look();
  frame = requestAnimationFrame(onFrame);
  const drawn = new MutationObserver(soon);
  drawn.observe(transcript, { childList: true, subtree: true, characterData: true });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    listening.abort();
    drawn.disconnect();
  };
}

/** Scrolls the boxes around a place, the transcript last, so far that it is seen; where it is seen nothing moves. */
function bringIntoView(transcript: HTMLElement, range: Range): void {
  for (let box = range.startContainer.parentElement; box; box = box === transcript ? null : box.parentElement) {
    if (box.scrollHeight <= box.clientHeight || (box !== transcript && !isScroller(box))) continue;
    const place = range.getBoundingClientRect();
    if (place.height === 0) return;
    const { top, height } = box.getBoundingClientRect();
    const margin = Math.min(MARGIN, height / 4);
    if (place.top >= top + margin && place.bottom <= top + height - margin) continue;
    announceMove(box);
    box.scrollTop += place.top - (top + height / 3);
  }
}

const isScroller = (box: Element): boolean => /auto|scroll/.test(getComputedStyle(box).overflowY);

/** Frames in which the transcript of a session that was just opened is drawn. */
const MOST_FRAMES = 600;

/** What is marked in the transcript. */
interface Marking {
  asked: Asked;
  /** The message at which the person is; null: none. */
  entryId: string | null;
  spot: number;
  steps: number;
  isWalk: boolean;
}

const NO_MARKING = { asked: null, entryId: null, spot: 0, steps: 0, isWalk: false };

/** Marks in the transcript what was found, and leads to the place at which the person is (SE1, SE5). Draws nothing itself. */
export function FoundMarks() {
  const app = useApp();
  const { id: sessionId } = useSession();
  const find = useStore(app.find.state);
  const { asked, shown } = useStore(app.search.state);
  const inGraph = useGraphMarking();
  const isFinding = find.sessionId === sessionId;
  let marking: Marking | null = null;
  if (isFinding && find.answer) {
    const entryId = find.answer.path[find.at]?.entryId ?? null;
    marking = { asked: find.asked, entryId, spot: find.spot, steps: find.steps, isWalk: find.isWalk };
  } else if (!isFinding && shown?.sessionId === sessionId) marking = { asked, ...shown };
  else if (!isFinding) marking = inGraph;
  useArrivals(isFinding ? marking : null);
  useMarks(marking);
  return null;
}

/** The hit at which the person is in the branch graph. */
function useGraphMarking(): Marking | null {
  const { graph } = useSession();
  const { found, at, steps, asked } = useStore(graph.state, (state) => state.search);
  const hit = found[at];
  const { words } = asked;
  const exact = hit?.by === 'exact';
  const question = useMemo((): Asked => ({ query: words, exact, matchCase: false }), [words, exact]);
  if (!hit || hit.entryId === null || words === '') return null;
  return { asked: question, entryId: hit.entryId, spot: 0, steps, isWalk: true };
}

/** Find brings the message of each step into view. */
function useArrivals(marking: Marking | null): void {
  const app = useApp();
  const { id: sessionId, reading } = useSession();
  const entryId = marking?.entryId ?? null;
  const steps = marking?.steps ?? 0;
  useEffect(() => {
    if (steps === 0 || entryId === null) return;
    const isRead = reading.state.getState().path !== null;
    app.ui.setState({ arrival: { sessionId, entryId, isTold: true, isRead } });
    // A message that is shown already stays: the place within it is what is led to.
  }, [app, sessionId, reading, entryId, steps]);
}

function useMarks(marking: Marking | null): void {
  const { asked, entryId, spot, steps, isWalk } = marking ?? NO_MARKING;
  const before = useRef<number | null>(null);
  const isMarking = asked !== null && readQuery(asked.query, asked) !== null;
  // Not between two questions, or with each step: all marks would flicker.
  useEffect(() => (isMarking ? unmarkWords : undefined), [isMarking]);
  useEffect(() => {
    const query = asked && readQuery(asked.query, asked);
    if (!query) return;
    const isStep = steps !== before.current;
    before.current = steps;
    let frame = 0;
    let end: (() => void) | undefined;
    let left = MOST_FRAMES;
    const begin = (): void => {
      const transcript = document.querySelector<HTMLElement>('[data-transcript]');
      if (transcript) end = followHit(transcript, { query, entryId, spot, isStep, isWalk });
      else if (left-- > 0) frame = requestAnimationFrame(begin);
    };
    begin();
    return () => {
      cancelAnimationFrame(frame);
      end?.();
    };
  }, [asked, entryId, spot, steps, isWalk]);
}
