import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@shared/checks';
import { contextWithPrompt } from './modules/transcript';
import { toWire } from './to-wire';
import type { WireStream } from './wire';

export type StreamSimple = (model: unknown, context: unknown, options: object) => unknown;

/** What streams is told at most so often. Milliseconds. */
const BATCH_MS = 16;
/** So long a stream that has ended is waited for. Milliseconds. */
const RESULT_MS = 1_000;

/**
 * A reply of a provider that streams by code of its own (EX25). What streams is told without the growing message, the whole of it once
 * at the end. Rejects with what that code throws, and where its stream ends without a message.
 */
export async function runStream(
  streamSimple: StreamSimple,
  { model, context, options }: WireStream,
  tell: (events: unknown) => void,
  signal: AbortSignal,
): Promise<unknown> {
  let batch: unknown[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (batch.length > 0) tell(toWire(batch));
    batch = [];
  };
  let final: unknown;
  try {
    const events: unknown = await streamSimple(model, contextWithPrompt(context), { ...options, signal });
    if (!isIterable(events)) throw new TypeError('Its streamSimple returned no stream of events.');
    for await (const event of events) {
      if (!isRecord(event)) continue;
      if (event.type === 'done' || event.type === 'error') {
        final = event.type === 'done' ? event.message : event.error;
        break;
      }
      batch.push(slim(event));
      timer ??= setTimeout(flush, BATCH_MS);
    }
    // One that was ended without a message says no more.
    final ??= await Promise.race([resultOf(events), sleep(RESULT_MS)]);
  } finally {
    flush();
  }
  if (!isRecord(final)) throw new Error('Its stream ended without a message.');
  return toWire(final);
}

/** What is new in an event. */
function slim({ type, contentIndex, delta, toolCall, partial }: Record<string, unknown>): object {
  const told = { type, contentIndex, ...(typeof delta === 'string' ? { delta } : {}) };
  if (type === 'toolcall_end') return { ...told, toolCall };
  if (type !== 'toolcall_start') return told;
  const content: unknown = isRecord(partial) ? partial.content : undefined;
  const block: unknown = Array.isArray(content) ? content[Number(contentIndex)] : undefined;
  return { ...told, ...(isRecord(block) ? { id: block.id, name: block.name } : {}) };
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

async function resultOf(events: object): Promise<unknown> {
  const { result } = events as { result?: unknown };
  return typeof result === 'function' ? result.call(events) : undefined;
}
