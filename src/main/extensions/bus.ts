import type {
  AskedEvents,
  ChainedEvents,
  EventName,
  ExtensionError,
  Handler,
  HandlerMoment,
  Payload,
  ToldEvents,
} from './events';

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

/** Whose event it is. */
export interface Moment {
  sessionId: string;
  /** Of the job: when it aborts nothing is waited for any more. */
  signal?: AbortSignal;
}

/** Who registers a handler. */
export interface HandlerOrigin {
  extensionPath: string;
  /** The one session that it hears of; absent: all of them. */
  sessionId?: string;
}

/** What an extension answered: nothing of it is checked yet. */
interface Answer {
  extensionPath: string;
  result: unknown;
  /** It ends what was asked about; only of `session_before_…` events. */
  cancels: boolean;
}

/** What one handler made of an event: an answer, nothing, or a failure that is reported already. */
export interface Reply<P> {
  extensionPath: string;
  /** The payload as the handler left it. Its own: nobody else has it. */
  given: P;
  result: unknown;
  /** Why it has no answer, in words. */
  failure?: string;
}

interface Registration {
  extensionPath: string;
  sessionId: string | undefined;
  handler: (payload: unknown, moment: HandlerMoment) => unknown;
}

/**
 * The one place where extensions take part in what the engine does (EX1, EX2). Handlers are called one after the other, in the
 * order in which their extensions came and then in that of their registration. One that throws or takes too long is reported and
 * counts as one without an answer: no method here rejects. Code that never gives the thread back can't be stopped here.
 */
export class ExtensionBus {
  /** By event, in the order of calling. A list is replaced at each change, never changed: a dispatch under way sees a stable one. */
  private readonly registrations = new Map<EventName, readonly Registration[]>();
  private readonly timeouts: HandlerTimeouts;

  constructor(private readonly options: BusOptions) {
    this.timeouts = options.timeouts ?? TIMEOUTS;
  }

  /** Registers a handler. Returns the function that takes it away again; it is not called from then on. */
  on<E extends EventName>(event: E, handler: Handler<E>, { extensionPath, sessionId }: HandlerOrigin): () => void {
    const registration: Registration = {
      extensionPath,
      sessionId,
      handler: handler as Registration['handler'],
    };
    const known = this.registrations.get(event) ?? [];
    const last = known.map((other) => other.extensionPath === extensionPath && other.sessionId === sessionId);
    const at = last.lastIndexOf(true) < 0 ? known.length : last.lastIndexOf(true) + 1;
    this.registrations.set(event, [...known.slice(0, at), registration, ...known.slice(at)]);
    return () => {
      const left = this.registrations.get(event)?.filter((other) => other !== registration) ?? [];
      if (left.length > 0) this.registrations.set(event, left);
      else this.registrations.delete(event);
    };
  }

  /** Somebody listens: only then is a payload worth making (EX7). Costs next to nothing where nobody does. */
  has(event: EventName, sessionId: string): boolean {
    return this.registrations.get(event)?.some((it) => isMeant(it, sessionId)) ?? false;
  }

  /**
   * Asks the handlers of an event. The last truthy answer wins; one that cancels (`session_before_…` only) returns at once.
   * When the signal aborts the answer is null.
   */
  async ask<E extends keyof AskedEvents>(
    event: E,
    payload: Omit<Payload<E>, 'signal'>,
    moment: Moment,
  ): Promise<Answer | null> {
    let answer: Answer | null = null;
    for (const registration of this.handlersOf(event, moment.sessionId)) {
      const reply = await this.call(event, registration, (signal) => ({ ...payload, signal }), moment);
      if (moment.signal?.aborted) return null;
      if (!reply?.result) continue;
      const { extensionPath, result, cancels } = reply;
      answer = { extensionPath, result, cancels };
      if (cancels) return answer;
    }
    return answer;
  }

  /**
   * Tells the handlers of an event. All of them hear of it; resolves when they are done, or when the signal aborts: then they are
   * not waited for.
   * @param heard what the handlers hear of the job by, where it does not end the waiting
   */
  async tell<E extends keyof ToldEvents>(
    event: E,
    payload: Payload<E>,
    moment: Moment,
    heard = moment.signal,
  ): Promise<void> {
    const told = { sessionId: moment.sessionId, signal: heard };
    const tellAll = async (): Promise<void> => {
      for (const registration of this.handlersOf(event, moment.sessionId))
        await this.call(event, registration, () => ({ ...payload }), told, false);
    };
    if (this.has(event, moment.sessionId)) await unlessAborted(tellAll(), moment.signal);
  }

  /**
   * Calls the handlers of an event one by one, each with what the caller makes of the replies before: a chain. Ends when the signal
   * aborts.
   * @param payload is asked for anew for each handler: an object that is its own, with all that it may change
   */
  async *each<E extends keyof ChainedEvents>(
    event: E,
    payload: () => Payload<E>,
    moment: Moment,
  ): AsyncGenerator<Reply<Payload<E>>> {
    for (const registration of this.handlersOf(event, moment.sessionId)) {
      const given = payload();
      const reply = await this.call(event, registration, () => given, moment);
      if (moment.signal?.aborted || !reply) return;
      const { extensionPath, result, failure } = reply;
      yield { extensionPath, given, result, ...(failure === undefined ? {} : { failure }) };
    }
  }

  /** Tells the listener of an answer that can't be used, or of anything else that an extension did wrong. */
  report(extensionPath: string, event: EventName, thrown: unknown): void {
    this.options.onError({ extensionPath, event, ...describeThrown(thrown) });
  }

  private *handlersOf(event: EventName, sessionId: string): Generator<Registration> {
    for (const registration of this.registrations.get(event) ?? []) {
      if (isMeant(registration, sessionId) && this.registrations.get(event)?.includes(registration)) yield registration;
    }
  }

  /** Calls one handler. Null if the job ended; where that does not end the call, the handler still hears of it. */
  private async call(
    event: EventName,
    { extensionPath, handler }: Registration,
    payload: (signal: AbortSignal) => object,
    { sessionId, signal }: Moment,
    endsWithJob = true,
  ): Promise<(Answer & { failure?: string }) | null> {
    if (endsWithJob && signal?.aborted) return null;
    const own = new AbortController();
    const end = (): void => own.abort();
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    const limit = new TimeLimit(isBefore(event) ? this.timeouts.before : this.timeouts.other, end);
    const moment: HandlerMoment = { sessionId, signal: own.signal, waitForPerson: () => limit.stop() };
    const work = (async () => {
      const result = await handler(Object.assign(payload(own.signal), { type: event }), moment);
      // Looked at while a throwing getter is still the handler's own failure.
      const cancels = Boolean(result) && isBefore(event) && Boolean((result as { cancel?: unknown }).cancel);
      return { extensionPath, result, cancels };
    })();
    try {
      return (await unlessAborted(Promise.race([work, limit.passed]), endsWithJob ? signal : undefined)) ?? null;
    } catch (error) {
      this.report(extensionPath, event, error);
      return { extensionPath, result: undefined, cancels: false, failure: describeThrown(error).error };
    } finally {
      limit.end();
      signal?.removeEventListener('abort', end);
    }
  }
}

/** The time that a handler has. It stands still while the handler waits for the person. */
class TimeLimit {
  /** Rejects when the time is up. */
  readonly passed: Promise<never>;
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;
  private left: number;
  private stops = 0;
  private isOver = false;
  private pass: () => void = () => undefined;

  constructor(ms: number, onPassed: () => void) {
    this.left = ms;
    this.passed = new Promise<never>((_resolve, reject) => {
      this.pass = () => {
        reject(new Error(`The handler did not answer within ${ms / 1000} s.`));
        onPassed();
      };
    });
    this.start();
  }

  /** Returns the function that lets the time run on. */
  stop(): () => void {
    if (this.stops++ === 0 && !this.isOver) {
      clearTimeout(this.timer);
      this.left -= Date.now() - this.startedAt;
    }
    let isStopped = true;
    return () => {
      if (!isStopped) return;
      isStopped = false;
      if (--this.stops === 0 && !this.isOver) this.start();
    };
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  private start(): void {
    this.startedAt = Date.now();
    this.timer = setTimeout(this.pass, Math.max(0, this.left));
  }
}

function isMeant({ sessionId }: Registration, of: string): boolean {
  return sessionId === undefined || sessionId === of;
}

/** Events that ask before something happens have more time, and those named so may cancel. */
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
