import { type KeyboardEvent, type ReactNode, type RefObject, useCallback, useLayoutEffect, useRef } from 'react';
import { announceMove, type EndHold, holdEnd } from '../../parts/hold-end';
import styles from './approvals.module.css';

/**
 * What the End key does in a text that is drawn in steps: it goes to the end of what is there, and on as more comes, until all of it
 * stands or the person scrolls up. Nothing else goes there: a text that was not asked for its end is not brought to it. Returns what
 * hears the keys.
 */
function useEndOfDrawn(
  box: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  isBusy: boolean,
): (event: KeyboardEvent) => void {
  const hold = useRef<EndHold>(undefined);
  useLayoutEffect(() => {
    if (!box.current || !content.current) return;
    const made = holdEnd(box.current, { content: content.current, holds: false, thresholdPx: null });
    hold.current = made;
    return () => made.stop();
  }, [box, content]);
  // In the next frame: what was read says only then that it is still to be drawn.
  useLayoutEffect(() => {
    if (isBusy) return;
    const frame = requestAnimationFrame(() => hold.current?.settle());
    return () => cancelAnimationFrame(frame);
  }, [isBusy]);
  return useCallback(
    (event) => {
      const isPlain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
      // Once all is drawn the browser's own way misses nothing.
      if (event.key !== 'End' || !isPlain || !isBusy) return;
      hold.current?.toEnd();
      event.preventDefault();
    },
    [isBusy],
  );
}

interface CardTextProps {
  label: string;
  isBusy: boolean;
  /** The person came here, or asked for the start. */
  onStart: () => void;
  children: ReactNode;
}

/** What is read of a question. Home goes to its start wherever that is, End to its end also while that is still to be drawn. */
export function CardText({ label, isBusy, onStart, children }: CardTextProps) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const onEnd = useEndOfDrawn(box, content, isBusy);

  function onKeyDown(event: KeyboardEvent): void {
    // The browser scrolls the text alone: its box may begin above what is on screen.
    if (event.key === 'Home') onStart();
    else onEnd(event);
  }

  return (
    <div
      ref={box}
      className={styles.body}
      role="region"
      aria-label={label}
      aria-busy={isBusy}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={(event) => event.target === event.currentTarget && onStart()}
    >
      <div ref={content}>{children}</div>
    </div>
  );
}

/** Brings the start of a text to below the head, which lies over it; its own scroll stays where it is. */
export function bringStart(start: HTMLElement | null, head: HTMLElement | null): void {
  const box = start?.closest<HTMLElement>('[role="region"]');
  if (!box) return;
  box.style.scrollMarginTop = `${head?.offsetHeight ?? 0}px`;
  box.scrollIntoView({ block: 'nearest' });
}

/** How far each key scrolls a text, in heights of its box. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 0.1,
  ArrowUp: -0.1,
  PageDown: 0.9,
  PageUp: -0.9,
  Home: -Infinity,
  End: Infinity,
};

/**
 * Reads on by a key that came to another part of the card than its text: who was led to the card by a key reads it by keys. The text has
 * the focus from then on. False if the key is none of these, or what has the focus hears it itself.
 */
export function readOn(card: HTMLElement | null, target: EventTarget, key: string): boolean {
  const box = card?.querySelector<HTMLElement>('[role="region"]');
  // The space bar presses buttons.
  const step = key === ' ' && target === card ? 0.9 : STEPS[key];
  // What else has the focus, as the command that was asked at first, scrolls itself.
  const isOther = target !== card && !(target instanceof HTMLButtonElement);
  if (!box || step === undefined || isOther || box.contains(target as Node)) return false;
  box.focus({ preventScroll: true });
  if (Number.isFinite(step)) {
    box.scrollTop += step * box.clientHeight;
    return true;
  }
  // What is still being drawn goes on to its end by its own way (`useEndOfDrawn`).
  box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  box.scrollTop = step < 0 ? 0 : box.scrollHeight;
  return true;
}

/** Rounding of a zoomed window. */
const SLACK_PX = 3;

/**
 * Brings head and answers of a card into view; false if they stood there already, as far as there is room for them.
 * @param head stays at the top of the transcript while the card is scrolled, and covers what is there
 */
export function bringInSight(card: HTMLElement | null, head: HTMLElement | null, answers: HTMLElement | null): boolean {
  if (!card || !head || !answers || isSeen(card, head, answers)) return false;
  announceMove(card);
  card.scrollIntoView({ block: 'nearest' });
  if (!isSeen(card, head, answers)) {
    answers.style.scrollMarginTop = `${head.offsetHeight}px`;
    answers.scrollIntoView({ block: 'nearest' });
  }
  return true;
}

function isSeen(card: HTMLElement, head: HTMLElement, answers: HTMLElement): boolean {
  const list = card.closest('[data-transcript]')?.getBoundingClientRect();
  const top = Math.max(0, list?.top ?? 0);
  const bottom = Math.min(window.innerHeight, list?.bottom ?? Number.POSITIVE_INFINITY);
  return isWithin(head, top, bottom) && isWithin(answers, head.getBoundingClientRect().bottom, bottom);
}

/** Whether all of it, or as much as there is room for, stands between two heights of the window. */
function isWithin(element: HTMLElement, top: number, bottom: number): boolean {
  const box = element.getBoundingClientRect();
  // Of what there is no room for at all, nothing is missing: a head higher than the window must not hold the keys for ever.
  const seen = Math.max(0, Math.min(box.bottom, bottom) - Math.max(box.top, top));
  return seen >= Math.min(box.height, Math.max(0, bottom - top)) - SLACK_PX;
}

/**
 * Keeps, as `--rest` of the card, the pixels that it takes beside its text: head, what stands out, answers. The text gets what is left of
 * the transcript, so that its start and the answers are in view together.
 */
export function useRestHeight(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    const measure = (): void => {
      const text = element.querySelector<HTMLElement>(':scope > [role="region"]');
      if (text) element.style.setProperty('--rest', `${element.offsetHeight - text.offsetHeight}px`);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [card]);
}
