import type { Failure, FailureAction } from '@shared/types';
import type { AssistantMessage } from '../pi/pi-types';
import { classifyReply, isTransient, learnWindow, retryAfterOf, type ReplyClass } from './classify-error';
import { isWaitable } from './retry-policy';
import { explainFailure, type FailureAction as Remedy } from './explain-failure';
import { FAILURE_TEXTS } from './stream/failure-texts';
import { wireOf } from './stream/assistant-stream';

/** Limits of the model that replied, in tokens; a window of 0 and an absent threshold are unknown. */
export interface ReplyLimits {
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

/** Dropping images comes with a later issue; until then it has no button. */
const ACTIONS: Readonly<Record<Remedy, FailureAction | null>> = {
  retry: 'retry',
  'check-key': 'settings',
  'check-endpoint': 'settings',
  'switch-model': 'model',
  'compact-and-retry': 'compact',
  'drop-images': null,
};

/** Everything that the run needs to know of a stored reply (TG9). Pure but for the wire's facts of this reply. */
export function judgeReply(
  message: AssistantMessage,
  limits: ReplyLimits,
  provider: { name: string; baseUrl?: string },
): ReplyJudgement {
  const wire = wireOf(message);
  const { title, detail, actions, raw } = explainFailure(message, wire, provider);
  const buttons = actions.flatMap((remedy) => ACTIONS[remedy] ?? []);
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
