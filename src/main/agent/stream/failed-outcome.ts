import { emptyReply } from '../../pi/empty-reply';
import { FAILURE_TEXTS } from './failure-texts';
import type { ProviderOutcome, ProviderRequest, WireFailureKind } from './types';

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
