import type { ReactNode } from 'react';
import { ChevronRight } from 'lucide-react';
import type { SettingsPane } from '../../state/ui-store';
import styles from './settings.module.css';

/** Panes whose rest was opened, until the window closes. */
const opened = new Set<SettingsPane>();

/** What was found in a pane may stand among its rest. */
export function openAdvanced(pane: SettingsPane): void {
  opened.add(pane);
}

/** What few people change, behind the plain choices of a pane (WN15). What is half typed in it stays while it is closed. */
export function Advanced({ pane, children }: { pane: SettingsPane; children: ReactNode }) {
  return (
    <details
      className={styles.advanced}
      open={opened.has(pane)}
      onToggle={({ currentTarget, target }) => {
        if (target !== currentTarget) return;
        if (currentTarget.open) opened.add(pane);
        else opened.delete(pane);
      }}
    >
      <summary>
        <ChevronRight size={14} aria-hidden /> Advanced
      </summary>
      {children}
    </details>
  );
}
