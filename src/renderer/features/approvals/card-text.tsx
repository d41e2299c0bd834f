import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useEndOfDrawn } from './use-end-of-drawn';
import styles from './approvals.module.css';

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
