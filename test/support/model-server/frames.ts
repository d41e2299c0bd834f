import type { ModelReply, ReplyBlock, ReplyStop, ReplyToolCall, ReplyUsage, Wire } from './types';
import { completionsFrames } from './frames-completions';
import { messagesFrames } from './frames-messages';
import { responsesFrames } from './frames-responses';
import { argumentText } from './pieces';

/** A reply with every default filled in; what the wires render. */
export interface RenderInput {
  id: string;
  model: string;
  blocks: ReplyBlock[];
  stop: ReplyStop;
  usage: Required<ReplyUsage> | 'none';
  chunkChars: number;
  omitEnd: ModelReply['omitEnd'];
  callId(block: ReplyToolCall, index: number): string;
}

let serial = 0;

/** The frames of a reply in a wire's real format; each ends with a blank line. */
export function renderFrames(wire: Wire, reply: ModelReply, request: { model: string; promptChars: number }): string[] {
  const blocks = [
    ...(reply.text === undefined ? [] : [{ type: 'text' as const, text: reply.text }]),
    ...(reply.content ?? []),
  ];
  const stop = reply.stop ?? (blocks.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop');
  const n = ++serial;
  const input: RenderInput = {
    id: `${n}`.padStart(8, '0'),
    model: request.model,
    blocks,
    stop,
    usage: fillUsage(reply.usage, blocks, request.promptChars),
    chunkChars: reply.chunkChars ?? 12,
    omitEnd: reply.omitEnd,
    callId: (block, index) => block.id ?? `call_${n}_${index}`,
  };
  const render = { completions: completionsFrames, responses: responsesFrames, messages: messagesFrames }[wire];
  const frames = render(input);
  return reply.frames ? reply.frames(frames) : frames;
}

function fillUsage(usage: ModelReply['usage'], blocks: ReplyBlock[], promptChars: number): RenderInput['usage'] {
  if (usage === 'none') return 'none';
  if (usage === 'zero') return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  if (usage) return { cacheRead: 0, cacheWrite: 0, ...usage };
  const chars = blocks.reduce((sum, block) => {
    if (block.type === 'text') return sum + block.text.length;
    if (block.type === 'thinking') return sum + block.thinking.length;
    return sum + block.name.length + argumentText(block).length;
  }, 0);
  return { input: Math.ceil(promptChars / 4), output: Math.ceil(chars / 4), cacheRead: 0, cacheWrite: 0 };
}
