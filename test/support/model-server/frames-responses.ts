import type { RenderInput } from './frames';
import { argumentText, pieces } from './pieces';
import type { ReplyBlock } from './types';

/** OpenAI responses events, from response.created to response.completed or response.incomplete. */
export function responsesFrames(input: RenderInput): string[] {
  let sequence = 0;
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  const response = (status: string, extra: object = {}): object => ({
    id: `resp_${input.id}`,
    object: 'response',
    created_at: 1_760_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: input.model,
    output: [],
    usage: null,
    ...extra,
  });

  const frames = [
    event('response.created', { response: response('in_progress') }),
    event('response.in_progress', { response: response('in_progress') }),
  ];
  const output: object[] = [];
  input.blocks.forEach((block, index) => {
    const last = input.omitEnd === 'all' && index === input.blocks.length - 1;
    frames.push(...blockFrames(input, block, index, event, output, last));
  });
  if (input.omitEnd) return frames;
  frames.push(endFrame(input, response, event, output));
  return frames;
}

type EventOf = (type: string, fields: object) => string;

function blockFrames(
  input: RenderInput,
  block: ReplyBlock,
  index: number,
  event: EventOf,
  output: object[],
  unfinished: boolean,
): string[] {
  const frames: string[] = [];
  const at = { output_index: index };
  if (block.type === 'text') {
    const id = `msg_${input.id}_${index}`;
    const part = { type: 'output_text', text: '', annotations: [] };
    const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] as object[] };
    const where = { item_id: id, ...at, content_index: 0 };
    frames.push(
      event('response.output_item.added', { ...at, item }),
      event('response.content_part.added', { ...where, part }),
    );
    for (const delta of pieces(block.text, input.chunkChars))
      frames.push(event('response.output_text.delta', { ...where, delta }));
    const done = { ...item, status: 'completed', content: [{ ...part, text: block.text }] };
    output.push(done);
    if (unfinished) return frames;
    frames.push(
      event('response.output_text.done', { ...where, text: block.text }),
      event('response.content_part.done', { ...where, part: { ...part, text: block.text } }),
      event('response.output_item.done', { ...at, item: done }),
    );
  } else if (block.type === 'thinking') {
    const id = `rs_${input.id}_${index}`;
    const where = { item_id: id, ...at, summary_index: 0 };
    frames.push(
      event('response.output_item.added', { ...at, item: { id, type: 'reasoning', summary: [] } }),
      event('response.reasoning_summary_part.added', { ...where, part: { type: 'summary_text', text: '' } }),
    );
    for (const delta of pieces(block.thinking, input.chunkChars)) {
      frames.push(event('response.reasoning_summary_text.delta', { ...where, delta }));
    }
    const done = {
      id,
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: block.thinking }],
      encrypted_content: block.signature ?? 'ZW5j',
    };
    output.push(done);
    if (unfinished) return frames;
    frames.push(
      event('response.reasoning_summary_text.done', { ...where, text: block.thinking }),
      event('response.output_item.done', { ...at, item: done }),
    );
  } else {
    const id = `fc_${input.id}_${index}`;
    const text = argumentText(block);
    const item = {
      id,
      type: 'function_call',
      status: 'in_progress',
      call_id: input.callId(block, index),
      name: block.name,
      arguments: '',
    };
    const where = { item_id: id, ...at };
    frames.push(event('response.output_item.added', { ...at, item }));
    for (const delta of pieces(text, input.chunkChars)) {
      frames.push(event('response.function_call_arguments.delta', { ...where, delta }));
    }
    const done = { ...item, status: 'completed', arguments: text };
    output.push(done);
    if (unfinished) return frames;
    frames.push(
      event('response.function_call_arguments.done', { ...where, arguments: text }),
      event('response.output_item.done', { ...at, item: done }),
    );
  }
  return frames;
}

function endFrame(
  input: RenderInput,
  response: (status: string, extra?: object) => object,
  event: EventOf,
  output: object[],
): string {
  const usage = input.usage === 'none' ? null : responsesUsage(input.usage);
  if (input.stop === 'length' || input.stop === 'contentFilter') {
    const reason = input.stop === 'length' ? 'max_output_tokens' : 'content_filter';
    const extra = { output, usage, incomplete_details: { reason } };
    return event('response.incomplete', { response: response('incomplete', extra) });
  }
  return event('response.completed', { response: response('completed', { output, usage }) });
}

function responsesUsage(usage: Exclude<RenderInput['usage'], 'none'>): object {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt + usage.output,
  };
}
