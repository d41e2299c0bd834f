import type { RenderInput } from './frames';
import { argumentText, pieces } from './pieces';
import type { ReplyBlock } from './types';

const STOPS = { stop: 'end_turn', length: 'max_tokens', toolUse: 'tool_use', contentFilter: 'refusal' };

/** Anthropic messages events: message_start, a ping, blocks, message_delta, message_stop. */
export function messagesFrames(input: RenderInput): string[] {
  const usage = input.usage === 'none' ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } : input.usage;
  const frames = [
    event('message_start', {
      message: {
        id: `msg_${input.id}`,
        type: 'message',
        role: 'assistant',
        model: input.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input,
          cache_creation_input_tokens: usage.cacheWrite,
          cache_read_input_tokens: usage.cacheRead,
          output_tokens: input.usage === 'none' || input.usage.output === 0 ? 0 : 1,
        },
      },
    }),
    event('ping', {}),
  ];
  input.blocks.forEach((block, index) => frames.push(...blockFrames(input, block, index)));
  if (input.omitEnd === 'all') return frames;
  frames.push(
    event('message_delta', {
      delta: { stop_reason: STOPS[input.stop], stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
  );
  if (input.omitEnd !== 'marker') frames.push(event('message_stop', {}));
  return frames;
}

function blockFrames(input: RenderInput, block: ReplyBlock, index: number): string[] {
  const delta = (value: object): string => event('content_block_delta', { index, delta: value });
  const frames: string[] = [];
  if (block.type === 'text') {
    frames.push(event('content_block_start', { index, content_block: { type: 'text', text: '' } }));
    for (const text of pieces(block.text, input.chunkChars)) frames.push(delta({ type: 'text_delta', text }));
  } else if (block.type === 'thinking') {
    frames.push(
      event('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } }),
    );
    for (const thinking of pieces(block.thinking, input.chunkChars))
      frames.push(delta({ type: 'thinking_delta', thinking }));
    frames.push(delta({ type: 'signature_delta', signature: block.signature ?? 'c2lnbmF0dXJl' }));
  } else {
    const use = {
      type: 'tool_use',
      id: input.callId(block, index).replace(/^call_/, 'toolu_'),
      name: block.name,
      input: {},
    };
    frames.push(
      event('content_block_start', { index, content_block: use }),
      delta({ type: 'input_json_delta', partial_json: '' }),
    );
    for (const part of pieces(argumentText(block), input.chunkChars)) {
      frames.push(delta({ type: 'input_json_delta', partial_json: part }));
    }
  }
  const unfinished = input.omitEnd === 'all' && index === input.blocks.length - 1;
  if (!unfinished) frames.push(event('content_block_stop', { index }));
  return frames;
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
