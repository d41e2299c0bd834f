import type {
  Api,
  AssistantMessage,
  AssistantMessageEventStream,
  Context,
  Model,
  SimpleStreamOptions,
} from '../../pi/pi-types';
import { emptyReply, type PiAi } from '../../pi/pi';
import { DEMO_API } from '../demo-model';
import { nextReply, type DemoReply } from './script';

/** Characters a second: about as fast as a person reads along; of a summary, which nobody reads along, as fast as a quick model. */
const DEFAULT_SPEED = 320;
const SUMMARY_SPEED = 4_000;
const TICK_MS = 25;
const CHARS_PER_TOKEN = 4;

type NextReply = (context: Context) => DemoReply;

/**
 * Registers the demo model as an api of pi-ai, built on its own provider interface, so that chat, retries, sealing and
 * summaries take the same path as for any model. `ESPALIER_DEMO_SPEED` (characters a second) is for tests.
 * @param next what it says; the tour was recorded with a script of its own
 */
export function registerDemoProvider(pi: PiAi, next: NextReply = nextReply): void {
  const stream = (model: Model<Api>, context: Context, options?: SimpleStreamOptions): AssistantMessageEventStream => {
    const events = pi.createAssistantMessageEventStream();
    void play(events, next, model, context, options, pi);
    return events;
  };
  pi.registerApiProvider({ api: DEMO_API, stream, streamSimple: stream });
}

async function play(
  events: AssistantMessageEventStream,
  next: NextReply,
  model: Model<Api>,
  context: Context,
  options: SimpleStreamOptions | undefined,
  pi: PiAi,
): Promise<void> {
  const reply = next(context);
  const speed = Number(process.env.ESPALIER_DEMO_SPEED ?? (reply.isSummary ? SUMMARY_SPEED : DEFAULT_SPEED));
  const message: AssistantMessage = { ...emptyReply(model), stopReason: 'stop' };
  message.usage.input = contextTokens(context);
  try {
    events.push({ type: 'start', partial: message });
    if (reply.thinking && options?.reasoning)
      await streamThinking(events, message, reply.thinking, speed, options.signal);
    await streamText(events, message, reply.text, speed, options?.signal);
    if (reply.call) await streamCall(events, message, reply.call, context.messages.length, speed, options?.signal);
    const used = reply.text.length + (reply.call ? JSON.stringify(reply.call.arguments).length : 0);
    message.usage.output = Math.ceil(used / CHARS_PER_TOKEN);
    message.usage.totalTokens = message.usage.input + message.usage.output;
    message.usage.cost = pi.calculateCost(model, message.usage);
    message.stopReason = reply.call ? 'toolUse' : 'stop';
    events.push({ type: 'done', reason: message.stopReason, message });
  } catch {
    message.stopReason = 'aborted';
    message.errorMessage = 'Request was aborted';
    events.push({ type: 'error', reason: 'aborted', error: message });
  }
}

async function streamThinking(
  events: AssistantMessageEventStream,
  message: AssistantMessage,
  thinking: string,
  speed: number,
  signal?: AbortSignal,
): Promise<void> {
  const contentIndex = message.content.length;
  const block = { type: 'thinking' as const, thinking: '' };
  message.content.push(block);
  events.push({ type: 'thinking_start', contentIndex, partial: message });
  await type(thinking, speed, signal, (delta) => {
    block.thinking += delta;
    events.push({ type: 'thinking_delta', contentIndex, delta, partial: message });
  });
  events.push({ type: 'thinking_end', contentIndex, content: thinking, partial: message });
}

async function streamText(
  events: AssistantMessageEventStream,
  message: AssistantMessage,
  text: string,
  speed: number,
  signal?: AbortSignal,
): Promise<void> {
  const contentIndex = message.content.length;
  const block = { type: 'text' as const, text: '' };
  message.content.push(block);
  events.push({ type: 'text_start', contentIndex, partial: message });
  await type(text, speed, signal, (delta) => {
    block.text += delta;
    events.push({ type: 'text_delta', contentIndex, delta, partial: message });
  });
  events.push({ type: 'text_end', contentIndex, content: text, partial: message });
}

async function streamCall(
  events: AssistantMessageEventStream,
  message: AssistantMessage,
  call: NonNullable<DemoReply['call']>,
  turn: number,
  speed: number,
  signal?: AbortSignal,
): Promise<void> {
  const contentIndex = message.content.length;
  const toolCall = {
    type: 'toolCall' as const,
    id: `demo-${turn}`,
    name: call.name,
    arguments: {} as Record<string, unknown>,
  };
  message.content.push(toolCall);
  events.push({ type: 'toolcall_start', contentIndex, partial: message });
  await type(JSON.stringify(call.arguments), speed, signal, (delta) =>
    events.push({ type: 'toolcall_delta', contentIndex, delta, partial: message }),
  );
  toolCall.arguments = call.arguments;
  events.push({ type: 'toolcall_end', contentIndex, toolCall, partial: message });
}

/** Hands out `text` at so many characters a second; rejects when aborted. Never cuts a surrogate pair. */
async function type(
  text: string,
  speed: number,
  signal: AbortSignal | undefined,
  emit: (delta: string) => void,
): Promise<void> {
  const step = Math.max(1, Math.round((speed * TICK_MS) / 1000));
  const characters = [...text];
  for (let at = 0; at < characters.length; at += step) {
    if (signal?.aborted) throw new Error('aborted');
    emit(characters.slice(at, at + step).join(''));
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  if (signal?.aborted) throw new Error('aborted');
}

function contextTokens(context: Context): number {
  const characters =
    (context.systemPrompt ?? '').length +
    JSON.stringify(context.messages).length +
    JSON.stringify(context.tools ?? []).length;
  return Math.ceil(characters / CHARS_PER_TOKEN);
}
