import { isRecord } from '@shared/checks';
import type { ContextParts, InstanceParts } from './instance-parts';
import { Completions } from './completions';
import { contextOf, commandContextOf, toolContextOf } from './context';
import { makeApi, type Registered } from './api';
import { InstanceTerminal } from './instance-terminal';
import type { Factory } from './load';
import { checkArguments } from './check-arguments';
import { noticing } from './notifications';
import { promptOptions, withPromptOptions } from './prompt-options';
import { Renderers } from './renderers';
import { toWire } from './to-wire';
import { runStream } from './streams';
import type { WireDraw, WireRegistrations, WireReply, WireStream } from './wire';

/** Fields of an event that a handler may change in place, and that go back (EX13). */
const MUTABLE = new Map<string, readonly string[]>([
  ['tool_call', ['input']],
  ['tool_result', ['content', 'details', 'isError']],
  ['context', ['messages']],
  ['before_provider_request', ['payload']],
  ['before_agent_start', ['systemPrompt']],
  ['message_end', ['message']],
]);

/** One extension in one session: its registrations, and calls of them. */
export class Instance {
  private readonly registered: Registered = {
    handlers: new Map(),
    tools: new Map(),
    commands: new Map(),
    flags: new Map(),
    providers: new Map(),
    streams: new Map(),
    renderers: new Map(),
  };
  readonly terminal: InstanceTerminal;
  readonly completions: Completions;
  private readonly renderers: Renderers;
  readonly parts: ContextParts;

  constructor(parts: InstanceParts) {
    const { link, facts, extension } = parts;
    this.completions = new Completions();
    const { completions } = this;
    this.terminal = new InstanceTerminal(link, facts, extension.mode, completions);
    this.parts = { ...parts, terminal: this.terminal, completions, signal: () => this.signal };
    this.renderers = new Renderers(this.parts, this.registered);
  }

  /** Of the event that is being handled while the agent is at work; what `ctx.signal` is. */
  private signal: AbortSignal | undefined;

  /** Runs the extension's factory. Rejects with what it throws. */
  async run(factory: Factory): Promise<void> {
    await noticing(this.parts.link, () => factory(makeApi(this.parts, this.registered)));
  }

  has(handlerId: number): boolean {
    return this.registered.handlers.has(handlerId);
  }

  registrations(): WireRegistrations {
    const { handlers, tools, commands, providers, renderers } = this.registered;
    const draws = ({ definition }: { definition: object }): boolean =>
      'renderCall' in definition || 'renderResult' in definition;
    return {
      handlers: [...handlers].map(([id, { event }]) => ({ id, event })),
      tools: [...tools.values()].map(({ wire }) => wire),
      commands: [...commands].map(([name, { description }]) => ({ name, description })),
      providers: [...providers.values()],
      draws: {
        tools: [...tools].flatMap(([name, tool]) => (draws(tool) ? [name] : [])),
        types: [...renderers.keys()],
      },
    };
  }

  async handle(handlerId: number, payload: Record<string, unknown>, signal: AbortSignal): Promise<WireReply> {
    const handler = this.registered.handlers.get(handlerId);
    if (!handler) return { result: undefined };
    const { event } = handler;
    const given: Record<string, unknown> = { ...payload, type: event };
    if (event.startsWith('session_before_') || event === 'session.compacting') given.signal = signal;
    if (event === 'before_agent_start') given.systemPromptOptions = promptOptions(given.systemPromptOptions);
    const mutable = MUTABLE.get(event) ?? [];
    const before = new Map(mutable.map((field) => [field, fingerprint(given[field])]));
    const { systemPrompt } = given;
    const answered = await this.within(signal, () => handler.handle(given, contextOf(this.parts))).finally(() => {
      // Its session is closed behind it: what was said last is told.
      if (event === 'session_shutdown') this.parts.link.settle();
    });
    const result = event === 'before_agent_start' ? withPrompt(answered, given, systemPrompt) : answered;
    const changed = mutable.filter((field) => fingerprint(given[field]) !== before.get(field));
    const sent: WireReply = { result: toWire(result) };
    if (changed.length > 0) sent.changed = Object.fromEntries(changed.map((field) => [field, toWire(given[field])]));
    return sent;
  }

  async runTool(
    name: string,
    call: { callId: string; args: unknown; signal: AbortSignal; onUpdate: (partial: unknown) => void },
  ): Promise<unknown> {
    const tool = this.registered.tools.get(name);
    if (!tool) throw new Error(`The tool “${name}” is gone.`);
    const { prepareArguments, execute } = tool.definition;
    const given = prepareArguments ? prepareArguments.call(tool.definition, call.args) : call.args;
    const args = await checkArguments(name, tool.definition.parameters, given);
    const update = (partial: unknown): void => call.onUpdate(toWire(partial));
    const run = (): unknown =>
      execute.call(tool.definition, call.callId, args, call.signal, update, toolContextOf(this.parts));
    return toWire(await this.within(call.signal, run));
  }

  async runCommand(name: string, args: string): Promise<void> {
    const command = this.registered.commands.get(name);
    if (!command) throw new Error(`The command “/${name}” is gone.`);
    await noticing(this.parts.link, () => command.handler(args, commandContextOf(this.parts)));
  }

  /** A request to a model of a provider that streams by code of its own. */
  async stream(request: WireStream, tell: (events: unknown) => void, signal: AbortSignal): Promise<unknown> {
    const streamSimple = this.registered.streams.get(request.provider);
    if (!streamSimple) throw new Error(`The provider “${request.provider}” is gone.`);
    return runStream(streamSimple, request, tell, signal);
  }

  draw(what: WireDraw): Promise<unknown> {
    return this.renderers.draw(what);
  }

  private async within(signal: AbortSignal, work: () => unknown): Promise<unknown> {
    const before = this.signal;
    this.signal = signal;
    try {
      return await noticing(this.parts.link, work);
    } finally {
      this.signal = before;
    }
  }
}

/** What a handler has put into the prompt's options, or into the event, is in the prompt that it answers. */
function withPrompt(result: unknown, given: Record<string, unknown>, before: unknown): unknown {
  const answer = isRecord(result) ? result : {};
  const own = typeof answer.systemPrompt === 'string' ? answer.systemPrompt : given.systemPrompt;
  if (typeof own !== 'string') return result;
  const systemPrompt = withPromptOptions(own, given.systemPromptOptions);
  return systemPrompt === before ? result : { ...answer, systemPrompt };
}

/** Equal for what is equal as JSON; what can't be written is never equal, so it is sent and fails there. */
function fingerprint(value: unknown): unknown {
  try {
    return JSON.stringify(value);
  } catch {
    return Symbol('unreadable');
  }
}
