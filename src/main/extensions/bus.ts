import type { AskedEvents, EventName, ExtensionError, Handler, Payload, ToldEvents } from './events';

/** Characters of a message that the log file takes: what an extension says may quote the session. */
const LOGGED_CHARS = 200;

/** Words for anything that can be thrown, also for what can't be looked at. Never throws. */
function describeThrown(thrown: unknown): { error: string; stack?: string } {
  try {
    if (typeof thrown === 'string') return { error: thrown };
    if (!(thrown instanceof Error)) return { error: String(thrown) };
    const { message, name, stack } = thrown;
    return { error: String(message || name), ...(typeof stack === 'string' ? { stack } : {}) };
  } catch {
    return { error: 'It threw something that cannot be read.' };
  }
}

/** One report for the log file: the beginning of the message, and where it came from. */
export function logTextOf({ extensionPath, event, error, stack = '' }: ExtensionError): string {
  const [message = ''] = error.slice(0, LOGGED_CHARS).split('\n');
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [`Extension ${extensionPath}, ${event}: ${message}`, ...frames].join('\n');
}

/** How long a handler may take (EX2). Milliseconds. */
export interface HandlerTimeouts {
  /** Of an event that asks before something happens. */
  before: number;
  other: number;
}

const TIMEOUTS: HandlerTimeouts = { before: 180_000, other: 10_000 };

interface BusOptions {
  /** Hears of everything that an extension did wrong. Must not throw. */
  onError: (error: ExtensionError) => void;
  timeouts?: HandlerTimeouts;
}

/** What an extension answered: nothing of it is checked yet. */
interface Answer {
  extensionPath: string;
  result: unknown;
  /** It ends what was asked about; only of `session_before_…` events. */
  cancels: boolean;
}

interface Registration {
  event: EventName;
  extensionPath: string;
  handler: (payload: unknown) => unknown;
}

/**
 * The one place where extensions take part in what the engine does (EX1, EX2). Handlers are called one after the other, in the
 * order in which their extensions came and then in that of their registration. One that throws or takes too long is reported and
 * counts as one without an answer: no method here rejects. Code that never gives the thread back can't be stopped here.
 */
export class ExtensionBus {
  /** Replaced at each change, never changed: a dispatch under way sees a stable list. In the order of calling. */
  private registrations: readonly Registration[] = [];
  private readonly timeouts: HandlerTimeouts;

  constructor(private readonly options: BusOptions) {
    this.timeouts = options.timeouts ?? TIMEOUTS;
  }

  /** Registers a handler. Returns the function that takes it away again; it is not called from then on. */
  on<E extends EventName>(event: E, handler: Handler<E>, { extensionPath }: { extensionPath: string }): () => void {
    const registration = { event, extensionPath, handler: handler as Registration['handler'] };
    const last = this.registrations.map((other) => other.extensionPath).lastIndexOf(extensionPath);
    const at = last < 0 ? this.registrations.length : last + 1;
    this.registrations = [...this.registrations.slice(0, at), registration, ...this.registrations.slice(at)];
    return () => {
      this.registrations = this.registrations.filter((other) => other !== registration);
    };
  }

  /** Somebody listens: only then is a payload worth making. */
  has(event: EventName): boolean {
    return this.registrations.some((registration) => registration.event === event);
  }

  /**
   * Asks the handlers of an event. The last truthy answer wins; one that cancels (`session_before_…` only) returns at once.
   * @param signal of the job: when it aborts nothing is waited for any more, and the answer is null
   */
  async ask<E extends keyof AskedEvents>(
    event: E,
    payload: Omit<Payload<E>, 'signal'>,
    signal: AbortSignal,
  ): Promise<Answer | null> {
    let answer: Answer | null = null;
    for (const registration of this.handlersOf(event)) {
      const reply = await this.call(registration, (own) => ({ ...payload, signal: own }), signal);
      if (signal.aborted) return null;
      if (!reply) continue;
      answer = reply;
      if (answer.cancels) return answer;
    }
    return answer;
  }

  /**
   * Tells the handlers of an event. All of them hear of it; resolves when they are done.
   * @param signal of the job: when it aborts the handlers are not waited for
   */
  async tell<E extends keyof ToldEvents>(event: E, payload: Payload<E>, signal: AbortSignal): Promise<void> {
    const tellAll = async (): Promise<void> => {
      for (const registration of this.handlersOf(event)) await this.call(registration, () => ({ ...payload }));
    };
    await unlessAborted(tellAll(), signal);
  }

  /** Tells the listener of an answer that can't be used, or of anything else that an extension did wrong. */
  report(extensionPath: string, event: EventName, thrown: unknown): void {
    this.options.onError({ extensionPath, event, ...describeThrown(thrown) });
  }

  private *handlersOf(event: EventName): Generator<Registration> {
    for (const registration of this.registrations.filter((other) => other.event === event)) {
      if (this.registrations.includes(registration)) yield registration;
    }
  }

  /** Calls one handler. Null if it has no answer, failed, was too slow or the job ended. */
  private async call(
    registration: Registration,
    payload: (signal: AbortSignal) => unknown,
    signal?: AbortSignal,
  ): Promise<Answer | null> {
    if (signal?.aborted) return null;
    const { event, extensionPath, handler } = registration;
    const own = new AbortController();
    const end = (): void => own.abort();
    signal?.addEventListener('abort', end, { once: true });
    const ms = isBefore(event) ? this.timeouts.before : this.timeouts.other;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`The handler did not answer within ${ms / 1000} s.`));
        end();
      }, ms);
    });
    const work = (async () => answerOf(registration, await handler(payload(own.signal))))();
    try {
      return (await unlessAborted(Promise.race([work, tooLate]), signal)) ?? null;
    } catch (error) {
      this.report(extensionPath, event, error);
      return null;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}

/** Looks at an answer while a throwing getter is still the handler's own failure. Null for a falsy one. */
function answerOf({ event, extensionPath }: Registration, result: unknown): Answer | null {
  if (!result) return null;
  return { extensionPath, result, cancels: isBefore(event) && Boolean((result as { cancel?: unknown }).cancel) };
}

/** Events that ask before something happens: they have more time, and may cancel. */
function isBefore(event: EventName): boolean {
  return event.startsWith('session_before_');
}

/** What the work comes to, or undefined as soon as the signal aborts; then nobody hears how the work ends. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(undefined);
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
    if (signal.aborted) end();
  });
}
