import type { AssistantMessage } from '../pi/pi-types';
import { classifyReply, isTransient, learnWindow, type ReplyClass, retryAfterOf } from './classify-error';
import { explainFailure, type FailureAction as Remedy } from './explain-failure';
import { wireOf } from './stream/assistant-stream';
import { FAILURE_TEXTS } from './stream/failed-reply';
import type { Settings } from '@shared/settings';
import type { Failure, FailureAction } from '@shared/types';

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

/** Limits of the model that replied, in tokens; a window of 0 and an absent threshold are unknown. */
interface ReplyLimits {
  window: number;
  threshold?: number;
  sessionFigure: number;
  /** The usage of the reply can't be (docs/specs/safety.md A8). */
  isImplausible?: boolean;
  maxOutput?: number;
}

export interface ReplyJudgement {
  kind: ReplyClass;
  /** May be repeated by itself after a wait. */
  transient: boolean;
  /** What the provider asked for, milliseconds; 0 if nothing. */
  retryAfterMs: number;
  /** The window that an overflow text named, tokens; null if it named none. */
  learnedWindow: number | null;
  /** The card for the person, used if the run ends here. */
  failure: Failure;
}

const ACTIONS: Readonly<Record<Remedy, FailureAction>> = {
  retry: 'retry',
  'check-key': 'settings',
  'check-endpoint': 'settings',
  'switch-model': 'model',
  'compact-and-retry': 'compact',
  'drop-images': 'drop',
};

/** Everything that the run needs to know of a stored reply (TG9). Pure but for the wire's facts of this reply. */
export function judgeReply(
  message: AssistantMessage,
  limits: ReplyLimits,
  provider: { name: string; baseUrl?: string },
): ReplyJudgement {
  const wire = wireOf(message);
  const { title, detail, actions, raw } = explainFailure(message, wire, provider);
  const buttons = actions.map((remedy) => ACTIONS[remedy]);
  // A right key or a new address is of use only together with another try.
  const withRetry: FailureAction[] = buttons.includes('retry') ? buttons : [...buttons, 'retry'];
  const retryAfterMs = retryAfterOf(message, wire);
  return {
    kind: classifyReply({ message, wire, ...limits }),
    transient: isTransient(message, wire) && isWaitable(retryAfterMs),
    retryAfterMs: retryAfterMs ?? 0,
    learnedWindow: learnWindow(message, wire),
    failure: {
      title,
      detail: withRaw(detail, raw),
      actions: [...withRetry, 'dismiss'],
    },
  };
}

/** With the provider's own words below, or what they say beyond our sentence: nothing is said twice. */
function withRaw(detail: string, raw: string): string {
  const said = Object.values(FAILURE_TEXTS).find((text) => raw.startsWith(text) && detail.includes(text)) ?? '';
  const rest = raw.slice(said.length).trim();
  return rest === '' || detail.includes(rest) ? detail : `${detail}\n${rest}`;
}
