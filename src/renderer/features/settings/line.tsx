import type { ReactNode } from 'react';
import styles from './settings.module.css';

/** What a pane has beside its settings: words, and what can be done about it. */
export function Line({ title, hint, children }: { title: string; hint: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.line}>
      <div className={styles.lineText}>
        <b>{title}</b>
        <div className={styles.lineHint}>{hint}</div>
      </div>
      <div className={styles.lineActions}>{children}</div>
    </div>
  );
}
