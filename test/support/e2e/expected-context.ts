import { readFileSync } from 'node:fs';
import { buildContext } from '../oracle/context';
import type { LlmMessage, UserMessage } from '@shared/session/records/entry';
import { readSession } from '../read-session';
import { toProviderMessages } from '../oracle/sanitize';
import type { SentMessage } from '../model-server/sent-messages';

/**
 * What CX1, CX8 sends for a session file and one more message, read straight from the file by `src/shared/session`, in
 * the words of the completions wire. The file has no summaries, so their frames do not matter.
 */
export function expectedContext(path: string, prompt: string): SentMessage[] {
  let digits = 0;
  const randomHex = (length: number): string => (digits++).toString(16).padStart(length, '0').slice(-length);
  const { tree } = readSession(readFileSync(path, 'utf8').split('\n'), { randomHex });
  const { messages } = buildContext(tree, tree.leafId);
  const asked: UserMessage = { role: 'user', content: prompt, timestamp: 0 };
  const frames = { compactionFrame: '{{summary}}', branchFrame: '{{summary}}' };
  return toProviderMessages([...messages, asked], frames).map(asSent);
}

/** Another provider's thinking goes as text, blank blocks not at all, the texts of one tool result on lines of their own. */
function asSent(message: LlmMessage): SentMessage {
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text' as const, text: message.content }] : message.content;
  const texts = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'thinking' ? [block.thinking] : [];
  });
  const images = blocks.filter((block) => block.type === 'image').length;
  if (message.role === 'user') return { role: 'user', text: texts.join(''), images };
  if (message.role === 'toolResult') {
    const text = texts.join('\n');
    return { role: 'tool', text: text || '(see attached image)', images: 0, toolCallId: message.toolCallId };
  }
  const toolCalls = blocks.flatMap((block) =>
    block.type === 'toolCall' ? [{ id: block.id, name: block.name, arguments: block.arguments }] : [],
  );
  const text = texts.filter((part) => part.trim() !== '').join('');
  return { role: 'assistant', text, images: 0, ...(toolCalls.length > 0 ? { toolCalls } : {}) };
}
