import { useEffect, useRef } from 'react';
import type { RetryWait } from '@shared/types';
import { Spinner } from '../ui';
import { formatWait } from '../state/format';
import { useApp, useLive, useSession } from '../state/hooks';
import { SUMMARY_PACE_MS, usePaced } from './use-paced';
import { useSecondsUntil } from './use-seconds';
import styles from './summary-progress.module.css';

/** A summary or a draft as it is written, with the wait before another attempt. */
export function SummaryProgress({ label }: { label: string }) {
  const session = useSession();
  const retry = useLive(session, (live) => live.job?.retry ?? null);
  return (
    <div className={styles.progress}>
      <p className={styles.line} role="status">
        <Spinner size={14} /> {label}
      </p>
      {retry && <RetryLine retry={retry} />}
      <GrowingText />
    </div>
  );
}

function RetryLine({ retry }: { retry: RetryWait }) {
  const app = useApp();
  const seconds = useSecondsUntil(retry.until, app.now);
  return (
    <p className={styles.retry}>
      {seconds > 0 ? `Retrying in ${formatWait(seconds)}` : 'Retrying'} ({retry.attempt} of {retry.maxAttempts}
      ): {retry.errorMessage}
    </p>
  );
}

/** The end of the text as it comes; plain, because half a markdown text jumps. */
function GrowingText() {
  const session = useSession();
  const text = usePaced(
    useLive(session, (live) => live.summaryText),
    SUMMARY_PACE_MS,
  );
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  if (text === '') return null;
  return (
    <div ref={box} className={styles.text} tabIndex={0} role="region" aria-label="The summary so far">
      {text}
    </div>
  );
}
