import { PROXY_FAILED } from '../../network/proxy-fetch';
import { emptyReply } from '../../pi/pi';
import type { ProviderOutcome, ProviderRequest, WireFailureKind } from './types';
import { hideSecrets, secretHeaderValues } from '@shared/policy/keys';

/** What a person reads for each failure that only the wire shows. Stored as the reply's `errorMessage`. */
export const FAILURE_TEXTS: Record<WireFailureKind, string> = {
  connection: 'The connection to the model could not be made.',
  proxy: PROXY_FAILED,
  'cut-stream': "The connection ended before the model's reply was complete.",
  'first-byte-timeout': 'The model did not begin to answer in time.',
  'idle-timeout': 'The model stopped sending in the middle of its reply.',
  'total-timeout': "The model's reply took longer than the limit and was stopped.",
  'line-too-long': 'The endpoint sent a single line over the size limit; the reply was stopped.',
  'too-many-bytes': 'The reply grew over the size limit and was stopped.',
  redirect: 'The endpoint redirects to another address. Check the base URL.',
  'web-page': "The endpoint answered with a web page, not with a model's stream. Check the base URL.",
  'not-a-stream': "The endpoint did not answer with a model's stream. Check the base URL and the kind of endpoint.",
  'content-filter': "The provider's content filter ended the reply.",
  'bad-reply': "The endpoint sent something that is no model's reply, so it was stopped.",
  'reply-fault': 'The part of the app that talks to models could not read this reply, so it was stopped.',
  'worker-crash': 'The part of the app that talks to models stopped unexpectedly and was restarted.',
  'worker-crash-again':
    'The part of the app that talks to models stopped twice at this request, so it is not sent again by itself.',
};

/** The outcome of a reply that never got as far as a message. `detail` is appended to the plain text. */
export function failedOutcome(
  request: ProviderRequest,
  kind: WireFailureKind | 'aborted',
  detail?: string,
): ProviderOutcome {
  const message = emptyReply(request.model);
  const wire = {
    used: false,
    status: null,
    contentType: null,
    retryAfterMs: null,
    endSeen: false,
    bytes: 0,
    longestLine: 0,
  };
  if (kind === 'aborted') {
    return { message: { ...message, stopReason: 'aborted', errorMessage: 'Request was aborted' }, wire, sealed: {} };
  }
  const text = FAILURE_TEXTS[kind];
  const errorMessage = detail ? `${text} (${detail})` : text;
  return { message: { ...message, errorMessage }, wire: { ...wire, failure: { kind, text } }, sealed: {} };
}

/**
 * A provider's words without the key that it was sent: some repeat it when they refuse it, and what is stored must not
 * hold it (QS6).
 */
export function hideKeys(text: string, { model, options }: ProviderRequest): string {
  return hideSecrets(text, [options.apiKey, ...secretHeaderValues({ ...model.headers, ...options.headers })]);
}

/** What was thrown, in words; whatever it is, this does not throw. */
export function wordsOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return 'an unknown error';
  }
}
