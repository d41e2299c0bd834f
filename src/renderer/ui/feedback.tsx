import type { ReactNode } from 'react';
import { LoaderCircle } from 'lucide-react';
import styles from './small.module.css';

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

export interface EmptyStateProps {
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
