import type { QueueItem } from '@shared/ipc/types';
import type { ImageBlock, TextBlock, UserMessage } from '@shared/session/entry';

/**
 * The user message that a queued or typed item becomes: its text, then text attachments each in a named block, then the
 * images. `timestamp` is the time of sending, Unix milliseconds.
 */
export function toUserMessage(item: Pick<QueueItem, 'text' | 'attachments'>, timestamp: number): UserMessage {
  const texts: TextBlock[] = item.text ? [{ type: 'text', text: item.text }] : [];
  const images: ImageBlock[] = [];
  for (const { kind, name, mimeType, data } of item.attachments) {
    if (kind === 'image') images.push({ type: 'image', data, mimeType });
    else texts.push({ type: 'text', text: `<attachment name="${escapeAttribute(name)}">\n${data}\n</attachment>` });
  }
  return { role: 'user', content: [...texts, ...images], timestamp };
}

function escapeAttribute(name: string): string {
  return name.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
