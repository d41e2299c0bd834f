import { isRecord } from '@shared/checks';
import type { RequestHooks } from '../agent/stream/types';
import { copyOf } from './check-run-answers';
import type { SessionEvents } from './session-events';

/** Headers that hold what identifies the person, or the connection; no extension needs them. */
const KEPT_BACK = new Set(['set-cookie', 'authorization', 'proxy-authorization', 'proxy-authenticate']);

/** Where extensions take part in a request on the wire (EX22). Without a handler there is no hook (EX7). */
export function requestHooks(events: SessionEvents, signal?: AbortSignal): RequestHooks {
  return {
    ...(events.has('before_provider_request') && {
      onPayload: (payload: unknown) => askPayload(events, payload, signal),
    }),
    ...(events.has('after_provider_response') && {
      onResponse: ({ status, headers }: Parameters<NonNullable<RequestHooks['onResponse']>>[0]) => {
        const shown = Object.entries(headers).filter(([name]) => !KEPT_BACK.has(name.toLowerCase()));
        events.tell('after_provider_response', () => ({ status, headers: Object.fromEntries(shown) }), signal);
      },
    }),
  };
}

/** `before_provider_request`: what is sent in place of a request; undefined: it is sent as it is. Never rejects. */
async function askPayload(events: SessionEvents, payload: unknown, signal?: AbortSignal): Promise<unknown> {
  const event = 'before_provider_request';
  let current = payload;
  for await (const reply of events.each(event, () => ({ payload: copyOf(current) }), signal)) {
    const { extensionPath, given, result, failure } = reply;
    if (failure !== undefined) continue;
    // As pi's: any answer but undefined, or what it changed where it is.
    const made = asSent(result === undefined ? given.payload : result);
    if (made === null) events.report(extensionPath, event, NOT_SENT);
    else current = made;
  }
  return JSON.stringify(current) === JSON.stringify(payload) ? undefined : current;
}

const NOT_SENT = 'The request can only be replaced by a JSON object of at most 32 MB. It was sent without that change.';
const MAX_SENT_CHARS = 32 * 1024 * 1024;

/** A copy as it is written out; null: it can't be sent. */
function asSent(payload: unknown): Record<string, unknown> | null {
  try {
    const text = JSON.stringify(payload);
    const copy: unknown = text.length > MAX_SENT_CHARS ? null : JSON.parse(text);
    return isRecord(copy) ? copy : null;
  } catch {
    return null;
  }
}
