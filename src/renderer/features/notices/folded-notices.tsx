import type { ReactNode } from 'react';
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
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  children: ReactNode;
}

/** Notices that don’t fit above the transcript: one line, and all of them in a list over the transcript, which keeps its height (WN9). */
export function FoldedNotices({ headlines, isOpen, onOpenChange, children }: FoldedProps) {
  const first = mostImportant(headlines);
  if (!first) return null;
  const Icon = noticeIcons[first.level];
  return (
    <div className={cx(styles.banner, styles.folded)} data-folded-notices>
      <Icon size={15} aria-hidden className={styles[first.level]} />
      <span className={styles.headline} role="alert">
        {first.text}
      </span>
      <Popover
        label="Notices"
        open={isOpen}
        onOpenChange={onOpenChange}
        align="end"
        className={styles.list}
        trigger={<Button size="small">{headlines.length > 1 ? `${headlines.length - 1} more` : 'Details'}</Button>}
      >
        {children}
      </Popover>
    </div>
  );
}
