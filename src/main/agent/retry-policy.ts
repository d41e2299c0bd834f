import type { Settings } from '@shared/settings';

/**
 * The wait before attempt `attempt` (1 = first retry) in milliseconds: exponential up to the cap, and never shorter than
 * what the provider asked for (TG11, SU36, settings `retry.*`).
 */
export function retryDelayMs(
  attempt: number,
  settings: Pick<Settings, 'retry.baseDelayMs' | 'retry.maxDelayMs'>,
  retryAfterMs = 0,
): number {
  const backOff = settings['retry.baseDelayMs'] * 2 ** (attempt - 1);
  return Math.max(Math.min(backOff, settings['retry.maxDelayMs']), retryAfterMs);
}

/** A provider that asks to wait longer is not waited for: the person is told instead. Some plans give their next share after five hours. */
const LONGEST_WAIT_MS = 6 * 60 * 60 * 1000;

/** Whether what the provider asked for is a wait at all (TG11). */
export function isWaitable(retryAfterMs: number | null): boolean {
  return (retryAfterMs ?? 0) <= LONGEST_WAIT_MS;
}

/** Waits `delayMs`, or until `skip` or `signal` fires. Returns how the wait ended; never rejects. */
export function waitForRetry(
  delayMs: number,
  signal: AbortSignal,
  skip: AbortSignal,
): Promise<'elapsed' | 'skipped' | 'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('aborted');
    if (skip.aborted) return resolve('skipped');
    const finish = (how: 'elapsed' | 'skipped' | 'aborted'): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      skip.removeEventListener('abort', onSkip);
      resolve(how);
    };
    const onAbort = (): void => finish('aborted');
    const onSkip = (): void => finish('skipped');
    const timer = setTimeout(() => finish('elapsed'), delayMs);
    signal.addEventListener('abort', onAbort);
    skip.addEventListener('abort', onSkip);
  });
}
