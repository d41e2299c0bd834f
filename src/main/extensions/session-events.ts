import { copyOf } from './check-run-answers';
import type { ExtensionBus, Reply } from './bus';
import type { ChainedEvents, EventName, Payload, ToldEvents } from './events';

/**
 * What the extensions of one session hear, in order. What is only told does not hold up the run: it waits in a line of its own,
 * and what is asked waits for that line, so that an extension never hears of a call before the reply that makes it. Without a
 * handler nothing is made (EX7).
 */
export class SessionEvents {
  private told: Promise<void> = Promise.resolve();
  /** What grew and is told when its turn comes, by what it is of. */
  private readonly waiting = new Map<string, () => object>();

  constructor(
    private readonly bus: ExtensionBus,
    private readonly sessionId: string,
  ) {}

  has(event: EventName): boolean {
    return this.bus.has(event, this.sessionId);
  }

  /** The payload is copied as it is now: nothing that an extension does to it reaches the session. Of a call's output so far the last is told. */
  tell<E extends keyof ToldEvents>(event: E, payload: () => Payload<E>, signal?: AbortSignal): void {
    if (!this.has(event)) return;
    const copy = copyOf(payload());
    if (event === 'tool_execution_update' && 'toolCallId' in copy)
      return this.latest(event, `call ${String(copy.toolCallId)}`, () => copy, signal);
    this.queue(() => this.bus.tell(event, copy, { sessionId: this.sessionId }, signal));
  }

  /** A reply has grown. One is told at a time; what comes meanwhile is one more, as the reply is by then. */
  update(payload: () => Payload<'message_update'>, signal?: AbortSignal): void {
    if (this.has('message_update')) this.latest('message_update', 'reply', () => copyOf(payload()), signal);
  }

  private latest<E extends keyof ToldEvents>(
    event: E,
    what: string,
    payload: () => Payload<E>,
    signal: AbortSignal | undefined,
  ): void {
    const isQueued = this.waiting.has(what);
    this.waiting.set(what, payload);
    if (isQueued) return;
    this.queue(async () => {
      const newest = this.waiting.get(what) as () => Payload<E>;
      this.waiting.delete(what);
      await this.bus.tell(event, newest(), { sessionId: this.sessionId }, signal);
    });
  }

  /** Resolves when everything that was told so far was heard. */
  async heard(): Promise<void> {
    for (let last: Promise<void> | null = null; last !== this.told;) await (last = this.told);
  }

  /** Calls the handlers of an event one by one (`ExtensionBus.each`), after what was told before. */
  async *each<E extends keyof ChainedEvents>(
    event: E,
    payload: () => Payload<E>,
    signal?: AbortSignal,
  ): AsyncGenerator<Reply<Payload<E>>> {
    if (!this.has(event)) return;
    await this.heard();
    yield* this.bus.each(event, payload, { sessionId: this.sessionId, signal });
  }

  report(extensionPath: string, event: EventName, problem: unknown): void {
    this.bus.report(extensionPath, event, problem);
  }

  private queue(tell: () => Promise<void>): void {
    this.told = this.told.then(tell).catch(() => undefined);
  }
}
