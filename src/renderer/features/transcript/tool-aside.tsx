import { useEffect, useState } from 'react';
import { Pin } from 'lucide-react';
import type { LiveTool } from '@shared/types';
import { cx, Spinner } from '../../ui';
import { formatDuration } from './moment';
import type { ToolStatus, ToolView } from './tool-state';
import styles from './transcript.module.css';

interface AsideProps {
  view: ToolView;
  running: LiveTool | null;
  isPruned: boolean;
  isPinned: boolean;
}

/** What stands at the right of a card's head: figures, how the call ended, how long it took. */
export function Aside({ view, running, isPruned, isPinned }: AsideProps) {
  return (
    <>
      {isPinned && (
        <span className={styles.pinned} title="The model gets this output word for word.">
          <Pin size={11} aria-hidden /> pinned
        </span>
      )}
      {isPruned && (
        <span title="A note stands in its place. The whole output is still here.">hidden from the model</span>
      )}
      {view.changes && (
        <span>
          <span className={styles.plus}>+{view.changes.added}</span>{' '}
          <span className={styles.minus}>−{view.changes.removed}</span>
        </span>
      )}
      {view.allowed && <span>{view.allowed}</span>}
      {view.note && (
        <span className={cx(styles.callStatus, view.isFailure && styles.minus)} title={view.note}>
          {view.note}
        </span>
      )}
      {view.durationMs !== null && <span>{formatDuration(view.durationMs)}</span>}
      <StatusMark status={view.status} running={running} />
    </>
  );
}

function StatusMark({ status, running }: { status: ToolStatus; running: LiveTool | null }) {
  switch (status) {
    case 'writing':
      return <Spinner label="Being written" size={12} />;
    case 'running':
      return (
        <>
          {running && running.startedAt !== null && <Elapsed since={running.startedAt} />}
          <Spinner label="Running" size={12} />
        </>
      );
    case 'queued':
      return <span>waits</span>;
    case 'waiting':
      return (
        <span className={styles.waiting}>
          <span className={styles.ring} aria-hidden /> waits for you
        </span>
      );
    case 'interrupted':
      return <span>interrupted, may have run</span>;
    default:
      return null;
  }
}

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span>{formatDuration(Math.max(0, now - since)).replace(/\.\d s/, ' s')}</span>;
}
