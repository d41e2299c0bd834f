import type { AssistantMessage } from '../pi/pi-types';
import { classifyReply, errorWords, isQuota, isTransient, retryAfterOf, statusOf } from './classify-error';
import { FAILURE_TEXTS } from './stream/failed-reply';
import type { WireFacts, WireFailureKind } from './stream/types';

/** What a person can do about a failed reply; the card has a button for each. */
export type FailureAction =
  'retry' | 'check-key' | 'check-endpoint' | 'switch-model' | 'compact-and-retry' | 'drop-images';

/** A failure in plain words: what happened, what to do. `raw` is the provider's own text for those who want it. */
export interface FailureExplanation {
  title: string;
  detail: string;
  actions: FailureAction[];
  raw: string;
}

/** The provider as the person knows it. */
export interface FailingProvider {
  name: string;
  baseUrl?: string;
}

type Explanation = Omit<FailureExplanation, 'raw'>;

/** What became of what came before a reply broke off. */
const KEPT = 'What was received is kept. Nothing from the incomplete reply was run.';
/** The same of a summary: a part of one is never stored. */
export const SUMMARY_DROPPED = 'What was received of the summary is not used.';

/** Explains an `error` reply. Never shows a status or code alone. @param kept what became of a part that came; empty: nothing is to be said of it */
export function explainFailure(
  message: AssistantMessage,
  wire: WireFacts | undefined,
  provider: FailingProvider,
  kept = KEPT,
): FailureExplanation {
  const explained = explainWire(message, wire, provider, kept) ?? explainAnswer(message, wire, provider);
  return { ...explained, detail: explained.detail.trimEnd(), raw: message.errorMessage ?? '' };
}

function explainWire(
  message: AssistantMessage,
  wire: WireFacts | undefined,
  provider: FailingProvider,
  kept: string,
): Explanation | null {
  const kind = wire?.failure?.kind ?? storedKind(message.errorMessage ?? '');
  switch (kind) {
    case 'connection':
      return explainConnection(wire?.failure?.code ?? codeIn(message.errorMessage ?? ''), provider);
    case 'proxy':
      return {
        title: 'The proxy did not let the request through',
        detail: `${wire?.failure?.text ?? message.errorMessage ?? ''} Check it in Settings › Providers. Nothing is lost.`,
        actions: ['retry', 'check-endpoint'],
      };
    case 'web-page':
    case 'redirect':
    case 'not-a-stream':
      return {
        title: `${provider.name} is not a model endpoint`,
        detail: `${FAILURE_TEXTS[kind]}${provider.baseUrl ? ` The base URL is ${provider.baseUrl}.` : ''}`,
        actions: ['check-endpoint', 'switch-model'],
      };
    case 'cut-stream':
      return {
        title: 'The reply was cut off',
        detail: `${FAILURE_TEXTS[kind]} ${kept}`,
        actions: ['retry', 'switch-model'],
      };
    case 'first-byte-timeout':
    case 'idle-timeout':
    case 'total-timeout':
      return {
        title: `${provider.name} took too long`,
        detail: `${FAILURE_TEXTS[kind]} ${kept}`,
        actions: ['retry', 'switch-model'],
      };
    case 'line-too-long':
    case 'too-many-bytes':
      return {
        title: 'The reply was too large',
        detail: `${FAILURE_TEXTS[kind]} ${kept}`,
        actions: ['retry', 'switch-model'],
      };
    case 'content-filter':
      return { title: 'The reply was filtered', detail: FAILURE_TEXTS[kind], actions: ['switch-model'] };
    case 'bad-reply':
      return {
        title: `${provider.name} sent an unreadable reply`,
        detail: `${FAILURE_TEXTS[kind]} ${kept}`,
        actions: ['retry', 'check-endpoint', 'switch-model'],
      };
    case 'reply-fault':
      return {
        title: 'The reply could not be read',
        detail: `${FAILURE_TEXTS[kind]} ${kept}`,
        actions: ['retry', 'switch-model'],
      };
    case 'worker-crash-again':
      return {
        title: 'The reply was interrupted twice',
        detail: `${FAILURE_TEXTS[kind]} ${kept}`,
        actions: ['retry', 'switch-model'],
      };
    case 'worker-crash':
      return { title: 'The reply was interrupted', detail: `${FAILURE_TEXTS[kind]} ${kept}`, actions: ['retry'] };
    case undefined:
      return null;
  }
}

function explainConnection(code: string | undefined, provider: FailingProvider): Explanation {
  const where = provider.baseUrl ? ` at ${provider.baseUrl}` : '';
  const actions: FailureAction[] = ['retry', 'check-endpoint'];
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENETUNREACH') {
    return {
      title: `${provider.name} can't be reached`,
      detail: `The address${where} was not found. Check the network connection and the base URL.`,
      actions,
    };
  }
  if (code === 'ECONNREFUSED') {
    return {
      title: `${provider.name} is not running`,
      detail: `Nothing answers${where}. Start the server, or check the base URL.`,
      actions,
    };
  }
  if (code && /CERT|TLS|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    return {
      title: `${provider.name} has an invalid certificate`,
      detail: `The security certificate${where} is not valid (${code}). Nothing was sent.`,
      actions: ['check-endpoint'],
    };
  }
  return {
    title: `${provider.name} can't be reached`,
    detail: `The connection${where} failed${code ? ` (${code})` : ''}. Check the network connection.`,
    actions,
  };
}

function explainAnswer(message: AssistantMessage, wire: WireFacts | undefined, provider: FailingProvider): Explanation {
  const text = errorWords(message, wire);
  const status = statusOf(message, wire);
  if (status === 401 || /invalid[_ ](?:x-)?api[_-]?key|incorrect api key|no api key|authentication_error/i.test(text)) {
    return {
      title: `${provider.name} refused the key`,
      detail: 'The API key is missing, wrong or no longer valid. Enter it again in the provider settings.',
      actions: ['check-key', 'switch-model'],
    };
  }
  if (isQuota(text) || status === 402) {
    return {
      title: `No credit left at ${provider.name}`,
      detail: 'The account has used up its quota or credit. Add credit, or continue with another model.',
      actions: ['switch-model', 'retry'],
    };
  }
  if (status === 403) {
    return {
      title: `${provider.name} denied access`,
      detail: 'The key is valid, but it can’t use this model, or your region is not supported.',
      actions: ['check-key', 'switch-model'],
    };
  }
  if (/model_not_found|not_found_error|model .{0,80}(?:not found|does not exist)/is.test(text)) {
    return {
      title: 'The model is not available',
      detail: `${provider.name} doesn't know the model “${message.model}”. It may have been removed or renamed. Choose another model; the session stays unchanged.`,
      actions: ['switch-model'],
    };
  }
  if (status === 404) {
    return {
      title: `${provider.name} was not found at this address`,
      detail: 'The endpoint answered "not found". Check the base URL.',
      actions: ['check-endpoint', 'switch-model'],
    };
  }
  return explainClass(message, wire, provider);
}

function explainClass(message: AssistantMessage, wire: WireFacts | undefined, provider: FailingProvider): Explanation {
  switch (classifyReply({ message, wire, sessionFigure: 0 })) {
    case 'overflow':
      return {
        title: 'The session is too long for this model',
        detail:
          'The request did not fit the context window. Compact the session or choose a model with a larger window.',
        actions: ['compact-and-retry', 'switch-model'],
      };
    case 'payload':
      return {
        title: 'The request is too large',
        detail: `${provider.name} rejected the request because it has too many bytes. Images and large outputs take the most space.`,
        actions: ['drop-images', 'switch-model'],
      };
    case 'throttle':
      return {
        title: `${provider.name} is limiting requests`,
        detail: `Too many requests in a short time.${waitWords(retryAfterOf(message, wire))}`,
        actions: ['retry', 'switch-model'],
      };
    default:
      if (isTransient(message, wire)) {
        return {
          title: `${provider.name} is overloaded or has a problem`,
          detail: `The provider couldn’t answer right now.${waitWords(retryAfterOf(message, wire))} Nothing is lost.`,
          actions: ['retry', 'switch-model'],
        };
      }
      return {
        title: `${provider.name} reported an error`,
        detail: firstSentence(message.errorMessage ?? '') || 'The provider gave no reason.',
        actions: ['retry', 'switch-model'],
      };
  }
}

function waitWords(ms: number | null): string {
  if (ms === null || ms <= 0) return '';
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return ` It asks you to wait ${seconds} seconds.`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120
    ? ` It asks you to wait ${minutes} minutes.`
    : ` It asks you to wait ${Math.ceil(minutes / 60)} hours.`;
}

/** The kind behind a stored text, for replies read back from the file. */
function storedKind(text: string): WireFailureKind | undefined {
  const kinds = Object.keys(FAILURE_TEXTS) as WireFailureKind[];
  return kinds.find((kind) => text.startsWith(FAILURE_TEXTS[kind]));
}

function codeIn(text: string): string | undefined {
  return /\(([A-Z][A-Z0-9_]+)\)$/.exec(text)?.[1];
}

function firstSentence(text: string): string {
  const line = text.replace(/^\d{3}\s+/, '').split('\n')[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
