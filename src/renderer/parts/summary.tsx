import { useEffect, useRef, useState } from 'react';
import { formatWait } from '../state/format';
import { useApp, useLive, useSession, useSettings } from '../state/hooks';
import { modelsToOffer } from '../state/summary-offer';
import { Button, Spinner } from '../ui';
import summaryOfferStyles from './summary-offer.module.css';
import styles from './summary-progress.module.css';
import { visibleString } from '@shared/policy/visible-text';
import type { ModelRef, RetryWait } from '@shared/types';

/** For a summary as it comes: drawing every frame of it would take the time of the person's own keys; eight a second still look alive. */
const SUMMARY_PACE_MS = 120;

/** The value, taken over at most once in so many milliseconds; the last one always arrives. */
function usePaced<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<number | null>(null);
  useEffect(() => {
    latest.current = value;
    timer.current ??= window.setTimeout(() => {
      timer.current = null;
      setShown(latest.current);
    }, ms);
  }, [value, ms]);
  useEffect(
    () => () => {
      if (timer.current !== null) window.clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return shown;
}

/** Whole seconds until a moment in Unix milliseconds, counted down. */
export function useSecondsUntil(until: number, now: () => number): number {
  const left = (): number => Math.max(0, Math.ceil((until - now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const tick = (): void => setSeconds(Math.max(0, Math.ceil((until - now()) / 1000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [until, now]);
  return seconds;
}

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

interface SummaryOfferProps {
  tried: readonly ModelRef[];
  onTry: (model: ModelRef) => void;
}

/** The other models that can write a summary, once for this job. Nothing if there are none. */
export function SummaryOffer({ tried, onTry }: SummaryOfferProps) {
  const session = useSession();
  const providers = useSettings((state) => state.providers);
  const own = useLive(session, (live) => live.model);
  const offered = modelsToOffer(providers, tried, own);
  if (offered.length === 0) return null;
  return (
    <div className={summaryOfferStyles.offer}>
      <p>Another model can write it this once. The text to summarise is then sent to its provider.</p>
      <ul>
        {offered.map(({ ref, name, provider, price }) => (
          <li key={`${ref.provider}/${ref.modelId}`}>
            <Button size="small" onClick={() => onTry(ref)}>
              Try with {visibleString(name)}
            </Button>
            <span>
              {provider} · {price}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
