import { useState, type ReactNode } from 'react';
import { Button, cx, noticeIcons, Popover, type NoticeLevel } from '../../ui';
import styles from './notices.module.css';

/** What a notice is on one line. */
export interface Headline {
  level: NoticeLevel;
  text: string;
}

const WEIGHT: Record<NoticeLevel, number> = { error: 2, warning: 1, success: 0, info: 0 };

/** The one that stands for all where there is room for one: of the most serious the first. */
export function mostImportant(headlines: readonly Headline[]): Headline | null {
  return headlines.reduce<Headline | null>(
    (best, next) => (best && WEIGHT[best.level] >= WEIGHT[next.level] ? best : next),
    null,
  );
}

interface FoldedProps {
  headlines: readonly Headline[];
  onOpen: () => void;
  children: ReactNode;
}

/** Several notices in a low window: one line, and all of them in a list over the transcript, which keeps its height (WN9). */
export function FoldedNotices({ headlines, onOpen, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  const first = mostImportant(headlines);
  if (!first) return null;
  const Icon = noticeIcons[first.level];
  const toggle = (next: boolean): void => {
    setOpen(next);
    if (next) onOpen();
  };
  return (
    <div className={cx(styles.banner, styles.folded)} role="alert">
      <Icon size={15} aria-hidden className={styles[first.level]} />
      <span className={styles.headline}>{first.text}</span>
      <Popover
        label="Notices"
        open={isOpen}
        onOpenChange={toggle}
        align="end"
        className={styles.list}
        trigger={<Button size="small">{headlines.length - 1} more</Button>}
      >
        {children}
      </Popover>
    </div>
  );
}
