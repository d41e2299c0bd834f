import { beginningOf } from '@shared/cut-text';
import { visibleString } from '@shared/policy/visible-text';
import type { Log } from '../ports';
import { classifyReply, errorWords, isQuota, statusOf } from './classify-error';
import { hideKeys } from './stream/failed-reply';
import type { ProviderOutcome, ProviderRequest, StreamTransport } from './stream/types';

/** Characters of one value: ids of requests and models are shorter. */
const MAX_VALUE_CHARS = 120;

/**
 * The way to the providers, with one line in the log for each request that failed (WN19): enough to ask a provider about it, and
 * nothing of what was said. It stands here because every request passes here: replies, retries, summaries, titles.
 */
export function logFailures(transport: StreamTransport, log: Pick<Log, 'warn'>): StreamTransport {
  return {
    stream(request, signal) {
      const stream = transport.stream(request, signal);
      void stream.result().then((outcome) => {
        if (outcome.message.stopReason === 'error') log.warn(failureLine(request, outcome));
      });
      return stream;
    },
    noteFailure({ provider, modelId }, { status, kind, code }) {
      log.warn(
        [
          `A request to a model failed: provider ${quoted(provider)}`,
          `model ${quoted(modelId)}`,
          `status ${status ?? 'none'}`,
          `kind ${kind}`,
          ...(code ? [`code ${quoted(code)}`] : []),
        ].join(', '),
      );
    },
    close: () => transport.close(),
  };
}

/** Never the provider's words: they may repeat the question or the key. */
function failureLine(request: ProviderRequest, { message, wire }: ProviderOutcome): string {
  const { provider, id } = request.model;
  const { requestId, failure } = wire;
  const show = (value: string): string => shown(value, request);
  return [
    `A request to a model failed: provider ${show(provider)}`,
    `model ${show(id)}`,
    `status ${statusOf(message, wire) ?? 'none'}`,
    ...(requestId ? [`request ${show(requestId)}`] : []),
    `kind ${kindOf({ message, wire })}`,
    ...(failure?.code ? [`code ${show(failure.code)}`] : []),
  ].join(', ');
}

function kindOf({ message, wire }: Pick<ProviderOutcome, 'message' | 'wire'>): string {
  if (wire.failure) return wire.failure.kind;
  if (isQuota(errorWords(message, wire))) return 'quota';
  const status = statusOf(message, wire) ?? 0;
  if (status === 401 || status === 403) return 'unauthorized';
  const kind = classifyReply({ message, wire, sessionFigure: 0 });
  if (kind !== 'other') return kind;
  return status >= 500 ? 'server-error' : 'error';
}

/**
 * A value from outside on one line, in quotation marks that it can't end itself. The key is cut out before the rest is cut off: a
 * part of it would not be known for one.
 */
function shown(value: string, request: ProviderRequest): string {
  return quoted(hideKeys(value, request));
}

function quoted(clean: string): string {
  const cut = beginningOf(clean, MAX_VALUE_CHARS);
  return JSON.stringify(visibleString(cut) + (cut.length < clean.length ? '…' : ''));
}
