import type { ReactNode } from 'react';
import { Spinner } from '../../ui';
import styles from './transcript.module.css';

/** What stands below the newest row: what the app has to say, else that work goes on before the first word. */
export function Tail({ children }: { children: ReactNode }) {
  return (
    children ?? (
      <div className={styles.working} role="status">
        <Spinner size={13} /> Working
      </div>
    )
  );
}
