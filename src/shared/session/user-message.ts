import type { Attachment, QueueItem } from '../types';
import type { ImageBlock, SessionEntry, TextBlock, UserMessage } from './entry';
import { isImage, isMissingImage, isText, textAndImagesOf } from './message-text';
import { isRecord } from '../own';

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

const ATTACHMENT = /^<attachment name="([^"]*)">\n([\s\S]*)\n<\/attachment>$/;

/** What a message that is said again gives back to the composer: its text, and its files and images as attachments. */
export function toComposer(entry: SessionEntry | undefined): { text: string; attachments: Attachment[] } {
  const { message, content } = (entry ?? {}) as { message?: unknown; content?: unknown };
  const blocks = textAndImagesOf(isRecord(message) ? message.content : content);
  const attachments: Attachment[] = [];
  let text = '';
  for (const block of blocks) {
    const file = isText(block) ? ATTACHMENT.exec(block.text) : null;
    if (file) {
      const [, name = '', data = ''] = file;
      attachments.push({ kind: 'text', name: unescapeAttribute(name), mimeType: 'text/plain', data });
    } else if (isText(block)) text += block.text;
    else if (isImage(block) && !isMissingImage(block)) {
      const name = `image ${attachments.length + 1}.${block.mimeType.split('/')[1] ?? 'png'}`;
      attachments.push({ kind: 'image', name, mimeType: block.mimeType, data: block.data });
    }
  }
  return { text, attachments };
}

function unescapeAttribute(name: string): string {
  return name.replace(/&#(\d+);/g, (_match, code: string) => String.fromCharCode(Number(code)));
}

function escapeAttribute(name: string): string {
  return name.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
