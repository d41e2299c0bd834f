import type { ReactNode } from 'react';
import { CircleCheck, Info, LoaderCircle, OctagonAlert, TriangleAlert, X } from 'lucide-react';
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

interface NoticeProps {
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

/** Something is going on; `label` says what. */
export function Spinner({ label, size = 14 }: { label?: string; size?: number }) {
  return (
    <LoaderCircle
      className={styles.spinner}
      size={size}
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    />
  );
}

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  /** The one next action, and at most one more. */
  actions?: ReactNode;
}

/** Nothing here yet: says so and offers the next step. */
export function EmptyState({ icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      {icon}
      <h2 className={styles.emptyTitle}>{title}</h2>
      {children && <p className={styles.emptyText}>{children}</p>}
      {actions && <div className={styles.emptyActions}>{actions}</div>}
    </div>
  );
}

/** Text for screen readers alone. */
export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className={styles.hidden}>{children}</span>;
}
