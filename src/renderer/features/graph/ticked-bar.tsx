import { Columns2 } from 'lucide-react';
import type { Branch } from '@shared/graph/branches';
import { Button } from '../../ui';
import styles from './branch-list.module.css';

interface TickedBarProps {
  ticked: readonly Branch[];
  /** One of them can be. */
  canHide: boolean;
  onCompare: () => void;
  onHide: () => void;
  onRestore: () => void;
}

/** What can be done with the branches that are ticked. */
export function TickedBar({ ticked, canHide, onCompare, onHide, onRestore }: TickedBarProps) {
  const areHidden = ticked.every(({ state }) => state === 'hidden');
  return (
    <div className={styles.ticked} role="group" aria-label="Ticked branches">
      <span role="status">
        {ticked.length.toLocaleString('en')} selected{ticked.length === 2 ? '' : ' · tick two to compare'}
      </span>
      <Button tone="primary" disabled={ticked.length !== 2} onClick={onCompare}>
        <Columns2 size={13} aria-hidden /> Compare
      </Button>
      {areHidden ? (
        <Button onClick={onRestore}>Restore</Button>
      ) : (
        <Button disabled={!canHide} title={canHide ? undefined : 'HEAD is in it'} onClick={onHide}>
          Hide
        </Button>
      )}
    </div>
  );
}
