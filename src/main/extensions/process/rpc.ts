import { isRecord } from '@shared/checks';

/** What was thrown on the other side. */
export interface WireError {
  message: string;
  stack?: string;
}

type Message =
  | { kind: 'call'; id: number; method: string; params: unknown }
  | { kind: 'tell'; method: string; params: unknown }
  | { kind: 'stop'; id: number }
  | { kind: 'done'; id: number; value: unknown }
  | { kind: 'fail'; id: number; error: WireError };

/** What one side answers. A throw is the answer's failure. */
export interface RpcSide {
  /** @param signal aborts when the asker waits no longer */
  call(method: string, params: unknown, signal: AbortSignal): unknown;
  tell(method: string, params: unknown): void;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds; without it the call waits for as long as the other side lives. */
  timeoutMs?: number;
}

/** The call ended before an answer: the other side is gone. */
export class GoneError extends Error {}

/**
 * Calls and messages over a port that copies what it carries; the same on both sides (EX12). The order of what is sent is the order in
 * which it arrives. Nothing that comes in throws here: what is no message of ours is ignored.
 */
export class Rpc {
  private lastId = 0;
  private readonly waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  private readonly answering = new Map<number, AbortController>();
  private ended: Error | null = null;

  constructor(
    private readonly post: (message: unknown) => void,
    private readonly side: RpcSide,
  ) {}

  /** How many calls wait for an answer. */
  get pending(): number {
    return this.waiting.size;
  }

  async call(method: string, params: unknown, { signal, timeoutMs }: CallOptions = {}): Promise<unknown> {
    if (this.ended) throw this.ended;
    signal?.throwIfAborted();
    const id = ++this.lastId;
    let timer: NodeJS.Timeout | undefined;
    let stop = (): void => undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.set(id, { resolve, reject });
        const giveUp = (error: Error): void => {
          this.send({ kind: 'stop', id });
          reject(error);
        };
        stop = () => giveUp(new Error('It was stopped.'));
        signal?.addEventListener('abort', stop, { once: true });
        if (timeoutMs !== undefined) {
          const late = new Error(`There was no answer within ${timeoutMs / 1000} s.`);
          timer = setTimeout(() => giveUp(late), timeoutMs);
        }
        // What can't be copied is the caller's failure.
        this.post({ kind: 'call', id, method, params });
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.waiting.delete(id);
    }
  }

  tell(method: string, params: unknown): void {
    if (!this.ended) this.send({ kind: 'tell', method, params });
  }

  /** A message has arrived. */
  take(message: unknown): void {
    if (!isRecord(message) || this.ended) return;
    const { kind, id, method } = message;
    if (kind === 'tell' && typeof method === 'string') return this.side.tell(method, message.params);
    if (typeof id !== 'number') return;
    if (kind === 'call' && typeof method === 'string') void this.answer(id, method, message.params);
    if (kind === 'stop') this.answering.get(id)?.abort();
    if (kind === 'done') this.waiting.get(id)?.resolve(message.value);
    if (kind === 'fail') this.waiting.get(id)?.reject(errorOf(message.error));
  }

  /** The other side is gone: all that waits fails, and nothing is sent any more. */
  end(reason: Error): void {
    this.ended ??= reason;
    for (const { reject } of this.waiting.values()) reject(reason);
    for (const controller of this.answering.values()) controller.abort();
  }

  private async answer(id: number, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.answering.set(id, controller);
    try {
      const value = await this.side.call(method, params, controller.signal);
      this.post({ kind: 'done', id, value });
    } catch (error) {
      this.send({ kind: 'fail', id, error: wireError(error) });
    } finally {
      this.answering.delete(id);
    }
  }

  /** Of plain parts only: never fails but where the port is closed. */
  private send(message: Message): void {
    try {
      this.post(message);
    } catch {
      // It is closed; whoever watches the process hears of it.
    }
  }
}

const MAX_MESSAGE = 4_000;
const MAX_STACK = 8_000;

/** Words for anything that can be thrown, also for what can't be looked at. Never throws. */
export function wireError(thrown: unknown): WireError {
  try {
    if (!(thrown instanceof Error) && !isErrorLike(thrown)) return { message: String(thrown).slice(0, MAX_MESSAGE) };
    const { message, name, stack } = thrown as Error;
    const words = String(message || name || 'It failed without a message.').slice(0, MAX_MESSAGE);
    return { message: words, ...(typeof stack === 'string' ? { stack: stack.slice(0, MAX_STACK) } : {}) };
  } catch {
    return { message: 'It threw something that cannot be read.' };
  }
}

/** An error of another realm. */
function isErrorLike(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown && 'stack' in thrown;
}

function errorOf(sent: unknown): Error {
  const { message, stack } = isRecord(sent) ? sent : {};
  const error = new Error(typeof message === 'string' ? message : 'It failed without a message.');
  if (typeof stack === 'string') error.stack = stack;
  return error;
}
