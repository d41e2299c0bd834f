import { emptyReply, loadPiAi } from '../../pi/pi';
import type { Api, AssistantMessage, AssistantMessageEventStream, Model } from '../../pi/pi-types';
import type { DeltaEvent, ProviderOutcome, ProviderStream, SealVerdict, WireFacts } from './types';

const outcomes = new WeakMap<AssistantMessage, ProviderOutcome>();

/**
 * Whether the arguments of this call are proven complete; asked in `beforeToolCall` with the loop's own message object.
 * A message that didn't come through `toAssistantStream` has no sealed calls.
 */
export function sealVerdict(message: AssistantMessage, callId: string): SealVerdict {
  const sealed = outcomes.get(message)?.sealed ?? {};
  const verdict = Object.hasOwn(sealed, callId) ? sealed[callId] : undefined;
  return verdict ?? { ok: false, reason: 'unknown-call' };
}

/** What was seen on the wire of this reply; undefined for a message that did not come through `toAssistantStream`. */
export function wireOf(message: AssistantMessage): WireFacts | undefined {
  return outcomes.get(message)?.wire;
}

/**
 * Feeds a provider stream to pi-agent-core's loop: `start`, deltas, then `done` or `error`. The `partial` of all events
 * is one object that grows in place; call arguments are only parsed at the end.
 */
export async function toAssistantStream(
  stream: ProviderStream,
  model: Model<Api>,
): Promise<AssistantMessageEventStream> {
  const { createAssistantMessageEventStream } = await loadPiAi();
  const out = createAssistantMessageEventStream();
  void forward(stream, out, { ...emptyReply(model), stopReason: 'stop' });
  return out;
}

async function forward(
  stream: ProviderStream,
  out: AssistantMessageEventStream,
  partial: AssistantMessage,
): Promise<void> {
  for await (const event of stream) pushDelta(out, partial, event);
  const outcome = await stream.result();
  const { message } = outcome;
  outcomes.set(message, outcome);
  if (message.stopReason === 'error' || message.stopReason === 'aborted') {
    out.push({ type: 'error', reason: message.stopReason, error: message });
  } else {
    out.push({ type: 'done', reason: message.stopReason, message });
  }
  out.end();
}

function pushDelta(out: AssistantMessageEventStream, partial: AssistantMessage, event: DeltaEvent): void {
  if (event.type === 'start') return out.push({ type: 'start', partial });
  const { contentIndex } = event;
  const block = partial.content[contentIndex];
  switch (event.type) {
    case 'text_start':
      partial.content[contentIndex] = { type: 'text', text: '' };
      return out.push({ type: event.type, contentIndex, partial });
    case 'thinking_start':
      partial.content[contentIndex] = { type: 'thinking', thinking: '' };
      return out.push({ type: event.type, contentIndex, partial });
    case 'toolcall_start':
      partial.content[contentIndex] = { type: 'toolCall', id: event.id, name: event.name, arguments: {} };
      return out.push({ type: event.type, contentIndex, partial });
    case 'text_delta':
      if (block?.type === 'text') block.text += event.delta;
      return out.push({ type: event.type, contentIndex, delta: event.delta, partial });
    case 'thinking_delta':
      if (block?.type === 'thinking') block.thinking += event.delta;
      return out.push({ type: event.type, contentIndex, delta: event.delta, partial });
    case 'toolcall_delta':
      return out.push({ type: event.type, contentIndex, delta: event.delta, partial });
    case 'text_end':
      return out.push({ type: event.type, contentIndex, content: block?.type === 'text' ? block.text : '', partial });
    case 'thinking_end':
      return out.push({
        type: event.type,
        contentIndex,
        content: block?.type === 'thinking' ? block.thinking : '',
        partial,
      });
    case 'toolcall_end':
      partial.content[contentIndex] = event.toolCall;
      return out.push({ type: event.type, contentIndex, toolCall: event.toolCall, partial });
  }
}
