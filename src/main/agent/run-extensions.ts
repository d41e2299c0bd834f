import type { BlockedCall } from '@shared/policy/call-outcome';
import { isRecord } from '@shared/checks';
import { loadPiAi } from '../pi/pi';
import type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentEvent,
  BeforeToolCallContext,
  ToolResultMessage,
} from '../pi/pi-types';
import type { HeardMessage } from '../extensions/run-events';
import { askMessageEnd, askToolCall, askToolResult } from '../extensions/run-hooks';
import type { SessionEvents } from '../extensions/session-events';
import type { RunTool } from './run-scope';

/** What stands for a model in a reply that nobody gave. */
const NO_API = 'none';

/** What extensions hear of one run of the loop, in pi's order, and what they make of it. */
export class RunExtensions {
  private turnIndex = -1;
  private readonly startedAt = new Map<string, number>();
  /** Calls that an extension blocked and that end the run, and those of the reply. */
  private terminated = 0;

  constructor(
    private readonly events: SessionEvents,
    private readonly signal: AbortSignal,
  ) {}

  /** Before the engine deals with an event of the loop. Costs next to nothing without a handler. */
  before(event: AgentEvent): void {
    const { events, signal } = this;
    switch (event.type) {
      case 'agent_start':
        return events.tell('agent_start', () => ({}), signal);
      case 'turn_start': {
        this.terminated = 0;
        const turnIndex = ++this.turnIndex;
        return events.tell('turn_start', () => ({ turnIndex, timestamp: Date.now() }), signal);
      }
      case 'message_start':
        if (isMadeUp(event.message)) return;
        return events.tell('message_start', () => ({ message: event.message }), signal);
      case 'message_update': {
        const { message, assistantMessageEvent } = event;
        return events.update(() => ({ message, assistantMessageEvent }), signal);
      }
      case 'tool_execution_start': {
        const { toolCallId, toolName, args } = event;
        if (events.has('tool_execution_end')) this.startedAt.set(toolCallId, Date.now());
        return events.tell('tool_execution_start', () => ({ toolCallId, toolName, args: args as unknown }), signal);
      }
      case 'tool_execution_update': {
        const { toolCallId, toolName, args, partialResult } = event as Record<string, unknown> & typeof event;
        return events.tell(event.type, () => ({ toolCallId, toolName, args, partialResult }), signal);
      }
      case 'tool_execution_end': {
        const { toolCallId, toolName, result, isError } = event as Record<string, unknown> & typeof event;
        const began = this.startedAt.get(toolCallId);
        this.startedAt.delete(toolCallId);
        const took = began === undefined ? {} : { durationMs: Date.now() - began };
        return events.tell(event.type, () => ({ toolCallId, toolName, result, isError, ...took }), signal);
      }
      default:
        return;
    }
  }

  /** After the engine has stored what an event of the loop brings. */
  after(event: AgentEvent): void {
    const { events, signal, turnIndex } = this;
    if (event.type === 'turn_end') {
      const { message, toolResults } = event;
      if (!isMadeUp(message)) events.tell('turn_end', () => ({ turnIndex, message, toolResults }), signal);
    } else if (event.type === 'agent_end') {
      const { messages } = event;
      events.tell('agent_end', () => ({ messages: messages.filter((message) => !isMadeUp(message)) }), signal);
    }
  }

  /** What is stored in place of a message. */
  messageEnd<T extends HeardMessage>(message: T): Promise<T> {
    return isMadeUp(message) ? Promise.resolve(message) : askMessageEnd(this.events, message, this.signal);
  }

  /** Every call of the reply was blocked by an extension that wants the run to end. */
  endsRun(results: readonly ToolResultMessage[]): boolean {
    return results.length > 0 && this.terminated === results.length;
  }

  /**
   * Before the person is asked: an extension may block a call, or change what it is made with. What is asked about and what runs
   * is what all of them left of it.
   */
  async beforeCall(
    { toolCall, args }: Pick<BeforeToolCallContext, 'toolCall' | 'args'>,
    tool: RunTool | undefined,
    signal?: AbortSignal,
  ): Promise<BlockedCall | undefined> {
    if (!this.events.has('tool_call') || !isRecord(args)) return undefined;
    const call = { toolName: toolCall.name, toolCallId: toolCall.id, input: args };
    const answer = await askToolCall(this.events, call, signal);
    if ('blocked' in answer) {
      if (answer.terminate) this.terminated += 1;
      return { block: true, reason: answer.blocked, outcome: 'notRun' };
    }
    if (answer.changedBy.length === 0) return undefined;
    const refusal = await refusalOfInput(tool, toolCall, answer.input);
    if (refusal !== null) return { block: true, reason: refusal, outcome: 'notRun' };
    // In place: the loop runs the call with this very object.
    for (const key of Object.keys(args)) delete args[key];
    Object.assign(args, answer.input);
    return undefined;
  }

  /** What extensions make of a result. What is ours in its details stays. */
  async afterCall(
    context: AfterToolCallContext,
    ours: AfterToolCallResult | undefined,
  ): Promise<AfterToolCallResult | undefined> {
    if (!this.events.has('tool_result')) return ours;
    const { toolCall, args, result } = context;
    const { espalier, ...theirs } = isRecord(result.details) ? result.details : {};
    const details: unknown = isRecord(result.details) ? theirs : result.details;
    const isError = ours?.isError ?? context.isError;
    const { name: toolName, id: toolCallId } = toolCall;
    const input = isRecord(args) ? args : {};
    const told = { toolName, toolCallId, input, content: result.content, details, isError };
    const patch = await askToolResult(this.events, told, this.signal);
    if (!patch) return ours;
    const kept =
      'details' in patch && espalier !== undefined ? { ...asRecord(patch.details), espalier } : patch.details;
    return { ...ours, ...patch, ...('details' in patch ? { details: kept } : {}) };
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : { value };
}

function isMadeUp(message: HeardMessage): boolean {
  return message.role === 'assistant' && message.api === NO_API;
}

/** Why a call can't be made with these arguments, for the model; null: it can. */
async function refusalOfInput(
  tool: RunTool | undefined,
  toolCall: BeforeToolCallContext['toolCall'],
  input: Record<string, unknown>,
): Promise<string | null> {
  if (!tool) return null;
  const { validateToolArguments } = await loadPiAi();
  try {
    validateToolArguments(
      { ...tool, parameters: tool.checkedBy ?? tool.parameters },
      { ...toolCall, arguments: input },
    );
    return null;
  } catch {
    return 'An extension made the arguments of this call invalid, so it was not made.';
  }
}
