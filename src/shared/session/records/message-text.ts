import { isRecord } from '../../checks';
import type { Attachment, QueueItem } from '../../types';
import type { ContentBlock, ImageBlock, SessionEntry, TextBlock, UserMessage } from './entry';
import { escapeAttachment, unescapeAttachment } from './own-marks';

/** A string as it is, anything else as an empty one: missing content is empty (CX1). */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The content blocks of a message, whatever its writer left out: a string becomes one text block, no content none. */
export function blocksOf(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  const blocks: unknown = content.every(isRecord) ? content : content.filter(isRecord);
  return blocks as ContentBlock[];
}

/** The text and image blocks of a content, as they are stored. */
export function textAndImagesOf(content: unknown): (TextBlock | ImageBlock)[] {
  return blocksOf(content).filter((block): block is TextBlock | ImageBlock => isText(block) || isImage(block));
}

/** What is sent, weighed and summarised in the place of a picture that is not in the file (SF22). */
export const MISSING_IMAGE = '[image missing]';

/** A picture that oh-my-pi keeps beside its session files; the file names it: `blob:sha256:<hex>`. */
type MissingImage = ImageBlock & { data: `blob:${string}` };

/** True for an image block without data of its own. No base64 has a colon. */
export function isMissingImage(block: ContentBlock): block is MissingImage {
  return isImage(block) && block.data.startsWith('blob:');
}

/** The block as a provider can take it: a picture that is only named becomes a text that says so. */
export function sendable<T extends ContentBlock>(block: T): T | TextBlock {
  return isMissingImage(block) ? { type: 'text', text: MISSING_IMAGE } : block;
}

/** True for a text block that holds a string. */
export function isText(block: ContentBlock): block is TextBlock {
  return block.type === 'text' && typeof block.text === 'string';
}

/** True for an image block that holds data, or the name of a picture that is missing. */
export function isImage(block: ContentBlock): block is ImageBlock {
  return block.type === 'image' && typeof block.data === 'string';
}

/** The text of an oh-my-pi `fileMention`: each file's path and content. */
export function fileMentionText(files: unknown): string {
  if (!Array.isArray(files)) return '';
  return files
    .filter(isRecord)
    .map((file) => `${textOf(file.path)}\n${textOf(file.content)}`)
    .join('\n\n');
}

/**
 * The user message that a queued or typed item becomes: its text, then text attachments each in a named block, then the
 * images. `timestamp` is the time of sending, Unix milliseconds.
 */
export function toUserMessage(item: Pick<QueueItem, 'text' | 'attachments'>, timestamp: number): UserMessage {
  const texts: TextBlock[] = item.text ? [{ type: 'text', text: item.text }] : [];
  const images: ImageBlock[] = [];
  for (const { kind, name, mimeType, data } of item.attachments) {
    if (kind === 'image') images.push({ type: 'image', data, mimeType });
    else texts.push({ type: 'text', text: attachedText(name, data) });
  }
  return { role: 'user', content: [...texts, ...images], timestamp };
}

/** How pi sends a skill that the person called by its name, at the beginning of their message. */
export const SKILL = '<skill name="';
const SKILL_END = '\n</skill>';

/** The skill that the text of a message begins with, the person's own words behind it left out; empty: there is none. O(length). */
export function skillIn(text: string): string {
  if (!text.startsWith(SKILL)) return '';
  const end = text.lastIndexOf(SKILL_END);
  return end < 0 ? text : text.slice(0, end + SKILL_END.length);
}

/** The block of a text file: nothing in the file ends it (CM5). */
function attachedText(name: string, data: string): string {
  return `<attachment name="${escapeAttribute(name)}">\n${escapeAttachment(data)}\n</attachment>`;
}

const ATTACHMENT = /^<attachment name="([^"]*)">\n([\s\S]*)\n<\/attachment>$/;

/** The file that a text block of a message of the person is, or null for their own words. O(length). */
export function attachedFile(text: string): { name: string; data: string } | null {
  const [, name, data] = ATTACHMENT.exec(text) ?? [];
  return name === undefined ? null : { name: unescapeAttribute(name), data: unescapeAttachment(data ?? '') };
}

/** What a message that is said again gives back to the composer: its text, and its files and images as attachments. */
export function toComposer(entry: SessionEntry | undefined): { text: string; attachments: Attachment[] } {
  const { message, content } = (entry ?? {}) as { message?: unknown; content?: unknown };
  const blocks = textAndImagesOf(isRecord(message) ? message.content : content);
  const attachments: Attachment[] = [];
  let text = '';
  for (const block of blocks) {
    const file = isText(block) ? attachedFile(block.text) : null;
    if (file) attachments.push({ kind: 'text', ...file, mimeType: 'text/plain' });
    else if (isText(block)) text += block.text;
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
