import { useEffect, useState } from 'react';
import type { FailureAction } from '@shared/ipc/types';
import { Button, Notice, Spinner } from '../../ui';
import type { TranscriptProps } from './types';
import styles from './transcript.module.css';

export type TailProps = Pick<
  TranscriptProps,
  'busy' | 'retry' | 'onCancelRetry' | 'failure' | 'onFailureAction' | 'interrupted' | 'onRetry'
>;

/** Whether there is anything to say below the newest row. */
export function hasTail({ busy, retry, failure, interrupted }: TailProps, isStreaming: boolean): boolean {
  return Boolean(retry || failure || interrupted) || (busy && !isStreaming);
}

const actionNames: Record<FailureAction, string> = {
  retry: 'Retry',
  settings: 'Open settings',
  model: 'Choose a model',
  dismiss: 'Dismiss',
};

/** What stands below the newest row: a failure, a countdown, an interrupted turn, or that work goes on. */
export function Tail({ busy, retry, onCancelRetry, failure, onFailureAction, interrupted, onRetry }: TailProps) {
  if (failure) {
    return (
      <Notice
        level="error"
        title={failure.title}
        actions={
          onFailureAction &&
          failure.actions.map((action) => (
            <Button key={action} size="small" onClick={() => onFailureAction(action)}>
              {actionNames[action]}
            </Button>
          ))
        }
      >
        <span className={styles.providerText}>{failure.detail}</span>
      </Notice>
    );
  }
  if (retry) return <RetryNotice retry={retry} onCancel={onCancelRetry} />;
  if (interrupted) {
    return (
      <Notice
        level="warning"
        title="This turn was interrupted"
        actions={
          onRetry &&
          !busy && (
            <Button size="small" onClick={onRetry}>
              Retry
            </Button>
          )
        }
      >
        Espalier closed before it was finished. What is above is saved; no tool was run again.
      </Notice>
    );
  }
  return (
    <div className={styles.working} role="status">
      <Spinner size={13} /> Working
    </div>
  );
}

function RetryNotice({ retry, onCancel }: { retry: NonNullable<TailProps['retry']>; onCancel?: () => void }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((retry.until - now) / 1000));
  return (
    <Notice
      level="warning"
      title={
        seconds > 0
          ? `Trying again in ${seconds} s (${retry.attempt} of ${retry.maxAttempts})`
          : `Trying again (${retry.attempt} of ${retry.maxAttempts})`
      }
      actions={
        onCancel && (
          <Button size="small" onClick={onCancel}>
            Cancel
          </Button>
        )
      }
    >
      <span className={styles.providerText}>{retry.errorMessage}</span>
    </Notice>
  );
}
