import type { ExtensionBus } from '../bus';
import type { ExtensionProvider } from '../../models/extension-providers';
import type { EventName, HandlerMoment } from '../events';
import type { WireCommand, WireExtension, WireRegistrations, WireTool } from '../process/wire';

/** A call of the n-th handler that an extension has for an event. */
type CallHandler = (
  nth: { event: EventName; n: number },
  payload: Record<string, unknown>,
  moment: HandlerMoment,
) => Promise<unknown>;

/** One extension in one session, as main knows it: what it has registered, and its place on the bus. It outlives its process. */
export class SessionExtension {
  tools: readonly WireTool[] = [];
  commands: readonly WireCommand[] = [];
  providers: readonly ExtensionProvider[] = [];
  draws: WireRegistrations['draws'] = { tools: [], types: [] };
  /** Its handlers in the process that runs now, by event, in their order. */
  private handlers = new Map<string, number[]>();
  /** Registrations on the bus, by event. */
  private readonly slots = new Map<string, (() => void)[]>();
  /** What is being handled. */
  private readonly moments = new Set<HandlerMoment>();
  private isEnded = false;

  constructor(
    readonly sessionId: string,
    readonly extension: WireExtension,
    private readonly bus: ExtensionBus,
    private readonly callHandler: CallHandler,
  ) {}

  /** Takes over what it has registered, on the bus too. Places that it had there stay its. One that was let go of takes nothing. */
  take(
    { handlers, tools, commands, draws }: Omit<WireRegistrations, 'providers'>,
    providers: readonly ExtensionProvider[] = [],
  ): void {
    if (this.isEnded) return;
    this.providers = providers;
    this.draws = draws;
    this.tools = tools;
    this.commands = commands;
    this.handlers = new Map();
    for (const { id, event } of handlers) this.handlers.set(event, [...(this.handlers.get(event) ?? []), id]);
    for (const event of new Set([...this.handlers.keys(), ...this.slots.keys()])) this.fit(event);
  }

  handlerId({ event, n }: { event: string; n: number }): number | undefined {
    return this.handlers.get(event)?.[n];
  }

  /** Its process is gone: it has nothing until it is loaded again, but for its places on the bus. */
  rest(): void {
    this.handlers = new Map();
  }

  /** It is let go of. */
  end(): void {
    this.isEnded = true;
    for (const offs of this.slots.values()) for (const off of offs) off();
    this.slots.clear();
    this.handlers.clear();
    this.tools = [];
    this.commands = [];
    this.providers = [];
    this.draws = { tools: [], types: [] };
  }

  /** The person is asked something: the time of what is being handled stands still until the returned function is called. */
  waitForPerson(): () => void {
    const goOn = [...this.moments].map((moment) => moment.waitForPerson());
    return () => goOn.forEach((each) => each());
  }

  private fit(event: string): void {
    const slots = this.slots.get(event) ?? [];
    const wanted = this.handlers.get(event)?.length ?? 0;
    for (const off of slots.splice(wanted)) off();
    while (slots.length < wanted) slots.push(this.register(event as EventName, slots.length));
    this.slots.set(event, slots);
  }

  /** An event that there is not is never told: that is pi's way too. */
  private register(event: EventName, n: number): () => void {
    const { extension, sessionId } = this;
    const handler = async (payload: object, moment: HandlerMoment): Promise<never> => {
      this.moments.add(moment);
      try {
        return (await this.callHandler({ event, n }, payload as Record<string, unknown>, moment)) as never;
      } finally {
        this.moments.delete(moment);
      }
    };
    return this.bus.on(event, handler as never, { extensionPath: extension.path, sessionId });
  }
}
