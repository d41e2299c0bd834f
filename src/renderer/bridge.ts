/**
 * The window's one way to main: typed requests that throw plain-language errors, bulk streams, and the event stream
 * with gap detection. Only this file reads `window.espalier`.
 */
import type {
  AppEvent,
  BulkChunks,
  BulkName,
  EspalierBridge,
  RequestName,
  RequestParams,
  RequestResult,
} from '@shared/ipc/contract';
import { isEvent, isEventBatch } from '@shared/ipc/event-batch';
import type { AppFailure, ChosenFile, IpcResult, ModelRef } from '@shared/types';

declare global {
  interface Window {
    espalier?: EspalierBridge;
  }
}

/** A request that main refused or could not carry out. `message` is written for the person. */
export class AppError extends Error {
  readonly code: AppFailure['code'];
  /** Nobody could write a summary: these were asked, others can be offered. */
  readonly tried: readonly ModelRef[] | null;
  constructor(failure: AppFailure) {
    super(failure.message);
    this.name = 'AppError';
    this.code = failure.code;
    this.tried = failure.tried ?? null;
  }
}

export interface BulkHandle {
  done: Promise<void>;
  cancel(): void;
}

export interface Client {
  /** Resolves with the result; rejects with `AppError` only. */
  request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N>>;
  bulk<N extends BulkName>(
    name: N,
    params: BulkChunks[N]['params'],
    onChunk: (chunk: BulkChunks[N]['chunk']) => void | Promise<void>,
  ): BulkHandle;
  /** Batches in order. `onGap` is called before a batch that does not follow the one before it. */
  onEvents(listener: (events: AppEvent[], batch: number) => void, onGap: () => void): () => void;
  /** Handles of dropped files that have a path, for `sessions.import`. Rejects with `AppError` only. */
  offerFiles(files: readonly File[]): Promise<ChosenFile[]>;
}

/** The bridge that the preload exposed. Throws when the page runs outside Espalier. */
export function windowBridge(): EspalierBridge {
  if (!window.espalier)
    throw new Error('Espalier’s bridge is missing: this page runs only inside the Espalier window.');
  return window.espalier;
}

/** Wraps a bridge into a typed client. */
export function createClient(bridge: EspalierBridge): Client {
  return {
    async request(name, params) {
      return unwrap(await callBridge(() => bridge.request(name, params))) as never;
    },
    bulk(name, params, onChunk) {
      // What a chunk does to the window may fail: then the stream ends, or the next chunk would be waited for for ever.
      let failure: { cause: unknown } | null = null;
      const fail = (cause: unknown): void => {
        failure ??= { cause };
        handle.cancel();
      };
      const take = (chunk: unknown): void | Promise<void> => {
        if (failure) return undefined;
        try {
          const taken = onChunk((typeof chunk === 'string' ? JSON.parse(chunk) : chunk) as never);
          return taken?.catch(fail);
        } catch (cause) {
          fail(cause);
          return undefined;
        }
      };
      const handle = bridge.bulk(name, params, take);
      const done = handle.done.then(
        () => (failure ? Promise.reject(toAppError(failure.cause)) : undefined),
        (cause: unknown) => Promise.reject(toAppError(cause)),
      );
      return { done, cancel: handle.cancel };
    },
    onEvents: eventStream(bridge),
    async offerFiles(files) {
      return unwrap(await callBridge(() => bridge.offerFiles(files))) as ChosenFile[];
    },
  };
}

interface EventListener {
  onBatch: (events: AppEvent[], batch: number) => void;
  onGap: () => void;
}

/** One subscription to main for all who listen: a batch crosses the bridge, and is parsed, once. */
function eventStream(bridge: EspalierBridge): Client['onEvents'] {
  const listeners = new Set<EventListener>();
  let end: (() => void) | undefined;
  let lastSeq: number | null = null;

  function receive(text: string): void {
    const batch = parse(text);
    if (!isEventBatch(batch)) return tellAll(({ onGap }) => onGap());
    const { seq } = batch;
    const events = batch.events.filter(isEvent);
    // A number at or below the last one means that main counts again, which is a gap as well.
    if (lastSeq !== null && seq !== lastSeq + 1) tellAll(({ onGap }) => onGap());
    lastSeq = seq;
    tellAll(({ onBatch }) => onBatch(events, seq));
  }

  /** What goes wrong with one of them is not the others' loss. */
  function tellAll(tell: (listener: EventListener) => void): void {
    for (const listener of [...listeners]) {
      try {
        tell(listener);
      } catch (cause) {
        reportError(cause);
      }
    }
  }

  return (onBatch, onGap) => {
    const listener = { onBatch, onGap };
    listeners.add(listener);
    end ??= bridge.onEvents(receive);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      end?.();
      end = undefined;
      lastSeq = null;
    };
  };
}

/** Any thrown value as an `AppError`, so that callers show one kind of message. */
export function toAppError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const detail = cause instanceof Error && cause.message ? cause.message : 'Something went wrong.';
  return new AppError({ code: 'internal', message: detail });
}

async function callBridge(call: () => Promise<string>): Promise<unknown> {
  try {
    return parse(await call());
  } catch (cause) {
    throw toAppError(cause);
  }
}

/** Undefined for what is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unwrap(answer: unknown): unknown {
  const result = answer as IpcResult<unknown> | null | undefined;
  if (result && result.ok === true) return result.value;
  if (result && result.ok === false) throw new AppError(result.error);
  throw new AppError({ code: 'internal', message: 'This window couldn’t understand Espalier’s response.' });
}
