import { type ReactNode, type RefObject, useEffect, useState, useSyncExternalStore } from 'react';
import styles from './off-screen.module.css';

/** Pixels of a card that must be seen for it to count as on screen: its title. */
const SEEN_PX = 40;
/** A card that is just drawn is not on screen at once; the bar does not flash for it. */
const REST_MS = 300;

/** Cards that are on screen, by what they are about. */
const inView = new Set<string>();
const listeners = new Set<() => void>();

function note(id: string, isSeen: boolean): void {
  if (inView.has(id) === isSeen) return;
  if (isSeen) inView.add(id);
  else inView.delete(id);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notes whether a card of the transcript is on screen. A row that the list has taken away is not. */
export function useNoteInView(id: string, card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = card.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => note(id, entries.at(-1)?.isIntersecting === true), {
      root: element.closest('[data-transcript]'),
      rootMargin: `-${SEEN_PX}px 0px`,
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      note(id, false);
    };
  }, [id, card]);
}

interface OffScreenBarProps {
  /** What the card is about, as it notes itself; null: there is none. */
  of: string | null;
  tone: 'waits' | 'failed';
  /** Leads to the card. */
  action: ReactNode;
  children: ReactNode;
}

/** Below the transcript: says what a card asks or tells while it is not on screen (WN9). */
export function OffScreenBar({ of, tone, action, children }: OffScreenBarProps) {
  const isInView = useSyncExternalStore(subscribe, () => of !== null && inView.has(of));
  const [shownFor, setShownFor] = useState<string | null>(null);
  const wanted = isInView ? null : of;
  useEffect(() => {
    if (wanted === null) return;
    const timer = setTimeout(() => setShownFor(wanted), REST_MS);
    return () => {
      clearTimeout(timer);
      setShownFor(null);
    };
  }, [wanted]);
  if (wanted === null || shownFor !== wanted) return null;
  return (
    <div className={styles.bar}>
      <div className={styles.box} role="status" data-off-screen={tone}>
        <span className={styles.dot} aria-hidden />
        <span className={styles.text}>{children}</span>
        {action}
      </div>
    </div>
  );
}
