import type { ImageBlock, SessionEntry, TextBlock, UserMessage } from './entry';
import { escapeSectionTags } from './escape-tags';
import {
  blocksOf,
  fileMentionText,
  isMissingImage,
  isText,
  MISSING_IMAGE,
  textAndImagesOf,
  textOf,
} from './message-text';
import { isRecord } from '../own';

/** The one user message that carries hidden pinned entries word for word, images too (PN2). */
export function pinnedMessage(entries: readonly SessionEntry[], timestamp: number): UserMessage {
  const content: (TextBlock | ImageBlock)[] = [];
  let text = '<pinned>\nEarlier messages, word for word: what the person pinned, and the newest of what they said.';
  for (const entry of entries) {
    text += `\n\n[entry:${entry.id}] ${speakerOf(entry)}:\n`;
    for (const block of pinnedBlocks(entry)) {
      if (block.type === 'text') text += escapeSectionTags(block.text);
      else if (isMissingImage(block)) text += MISSING_IMAGE;
      else {
        content.push({ type: 'text', text }, block);
        text = '';
      }
    }
  }
  content.push({ type: 'text', text: `${text}\n</pinned>` });
  return { role: 'user', content, timestamp };
}

function speakerOf(entry: SessionEntry): string {
  if (entry.type !== 'message') return entry.type.replace('_', ' ');
  const { message } = entry as { message?: unknown };
  if (!isRecord(message)) return 'message';
  const { role } = message;
  if (role === 'toolResult') return `result of ${textOf(message.toolName)}`;
  if (role === 'bashExecution') return 'command of the user';
  return textOf(role);
}

function pinnedBlocks(entry: SessionEntry): (TextBlock | ImageBlock)[] {
  if (entry.type === 'branch_summary') return [asText(textOf((entry as { summary?: unknown }).summary))];
  if (entry.type === 'custom_message') return textAndImagesOf((entry as { content?: unknown }).content);
  const { message } = entry as { message?: unknown };
  if (!isRecord(message)) return [];
  switch (message.role) {
    case 'assistant':
      return replyBlocks(message.content);
    case 'bashExecution':
      return [asText(`${textOf(message.command)}\n${textOf(message.output)}`)];
    case 'pythonExecution':
      return [asText(`${textOf(message.code)}\n${textOf(message.output)}`)];
    case 'fileMention':
      return [asText(fileMentionText(message.files))];
    default:
      return textAndImagesOf(message.content);
  }
}

/** Text and calls of a reply; thinking is not a part of what was said. */
function replyBlocks(content: unknown): TextBlock[] {
  const blocks: TextBlock[] = [];
  for (const block of blocksOf(content)) {
    if (isText(block)) blocks.push(block);
    else if (block.type === 'toolCall')
      blocks.push(asText(`\n[call] ${textOf(block.name)}(${JSON.stringify(block.arguments)})`));
  }
  return blocks;
}

function asText(text: string): TextBlock {
  return { type: 'text', text };
}
