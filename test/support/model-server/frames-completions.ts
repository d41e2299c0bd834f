import type { RenderInput } from './frames';
import { argumentText, pieces } from './pieces';

const STOPS = { stop: 'stop', length: 'length', toolUse: 'tool_calls', contentFilter: 'content_filter' };

/** OpenAI chat completions chunks, with `reasoning_content` for thinking and a usage chunk before [DONE]. */
export function completionsFrames(input: RenderInput): string[] {
  const base = {
    id: `chatcmpl-${input.id}`,
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: input.model,
  };
  const chunk = (delta: object, finish: string | null = null): string =>
    frame({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null });

  const frames = [chunk({ role: 'assistant', content: '', refusal: null })];
  let callIndex = 0;
  input.blocks.forEach((block, index) => {
    if (block.type === 'text') {
      for (const content of pieces(block.text, input.chunkChars)) frames.push(chunk({ content }));
    } else if (block.type === 'thinking') {
      for (const part of pieces(block.thinking, input.chunkChars)) frames.push(chunk({ reasoning_content: part }));
    } else {
      const at = callIndex++;
      const head = {
        index: at,
        id: input.callId(block, index),
        type: 'function',
        function: { name: block.name, arguments: '' },
      };
      frames.push(chunk({ tool_calls: [head] }));
      for (const part of pieces(argumentText(block), input.chunkChars)) {
        frames.push(chunk({ tool_calls: [{ index: at, function: { arguments: part } }] }));
      }
    }
  });
  if (input.omitEnd === 'all') return frames;
  frames.push(chunk({}, STOPS[input.stop]));
  if (input.usage !== 'none') {
    const { input: fresh, output, cacheRead, cacheWrite } = input.usage;
    const prompt = fresh + cacheRead + cacheWrite;
    frames.push(
      frame({
        ...base,
        choices: [],
        usage: {
          prompt_tokens: prompt,
          completion_tokens: output,
          total_tokens: prompt + output,
          prompt_tokens_details: {
            cached_tokens: cacheRead + cacheWrite,
            ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}),
          },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      }),
    );
  }
  if (input.omitEnd !== 'marker') frames.push('data: [DONE]\n\n');
  return frames;
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
