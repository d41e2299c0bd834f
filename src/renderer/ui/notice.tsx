import type { ReactNode } from 'react';
import { CircleCheck, Info, OctagonAlert, TriangleAlert, X } from 'lucide-react';
import { IconButton } from './button';
import { cx } from './cx';
import styles from './small.module.css';

export type NoticeLevel = 'info' | 'success' | 'warning' | 'error';

/** The glyph of a level. */
export const noticeIcons: Record<NoticeLevel, typeof Info> = {
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  error: OctagonAlert,
};

export interface NoticeProps {
  level?: NoticeLevel;
  title?: string;
  children?: ReactNode;
  actions?: ReactNode;
  onDismiss?: () => void;
  className?: string;
}

/** A message that stays in the page: what happened, what is safe, what to do. Errors and warnings are read at once. */
export function Notice({ level = 'info', title, children, actions, onDismiss, className }: NoticeProps) {
  const Icon = noticeIcons[level];
  const urgent = level === 'error' || level === 'warning';
  return (
    <div className={cx(styles.notice, styles[level], className)} role={urgent ? 'alert' : 'status'}>
      <Icon size={15} aria-hidden />
      <div className={styles.noticeText} data-readable>
        {title && <div className={styles.noticeTitle}>{title}</div>}
        {children}
      </div>
      {(actions || onDismiss) && (
        <div className={styles.noticeActions}>
          {actions}
          {onDismiss && (
            <IconButton label="Dismiss" size="small" onClick={onDismiss}>
              <X size={14} />
            </IconButton>
          )}
        </div>
      )}
    </div>
  );
}
