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
export function toUserMessage(
  item: Pick<QueueItem, 'text' | 'attachments' | 'source'>,
  timestamp: number,
): UserMessage {
  const texts: TextBlock[] = item.text ? [{ type: 'text', text: item.text }] : [];
  const images: ImageBlock[] = [];
  for (const { kind, name, mimeType, data } of item.attachments) {
    if (kind === 'image') images.push({ type: 'image', data, mimeType });
    else texts.push({ type: 'text', text: attachedText(name, data) });
  }
  const content = [...texts, ...images];
  if (item.source !== 'extension') return { role: 'user', content, timestamp };
  return { role: 'user', content, timestamp, details: { espalier: { source: 'extension' } } };
}

/** What those words are called that an extension said as a message of the session. */
export const BY_EXTENSION = 'An extension';

/** Whether a message of role `user` was said by an extension (SU15, PN4): the model answers it, and the words are not the person's. */
export function isOfExtension(message: unknown): boolean {
  const details = isRecord(message) ? message.details : undefined;
  return isRecord(details) && isRecord(details.espalier) && details.espalier.source === 'extension';
}

/** How pi sends a skill that the person called by its name, at the beginning of their message. */
export const SKILL = '<skill name="';
/** Where a skill ends: what the person said with it stands behind a blank line. */
const SKILL_END = /\n<\/skill>(?=\n\n|$)/;

/** The skill that the text of a message begins with, the person's own words behind it left out; empty: there is none. O(length). */
function skillIn(text: string): string {
  if (!text.startsWith(SKILL)) return '';
  const end = SKILL_END.exec(text);
  return end ? text.slice(0, end.index + end[0].length) : text;
}

/** What came with the words of the person: its name, and its text as it was. */
export interface SentWith {
  kind: 'file' | 'skill';
  name: string;
  text: string;
}

/** A text block of a message of the person: their words, and apart from them what came with them (PN4). O(length). */
export function saidIn(text: string): { words: string; sent: SentWith | null } {
  const file = attachedFile(text);
  if (file) return { words: '', sent: { kind: 'file', name: file.name, text: file.data } };
  const skill = skillIn(text);
  if (skill === '') return { words: text, sent: null };
  const name = /^<skill name="([^"]*)"/.exec(skill)?.[1] ?? '';
  return { words: text.slice(skill.length).trimStart(), sent: { kind: 'skill', name, text: skill } };
}

/** Characters of a block in which its words are looked for: files can be megabytes. */
const MOST_LISTED = 64_000;

/**
 * What a message of the person is called where it is one line among others: their words, behind the name of a skill that they called;
 * without any, those of the first file. O(blocks): of each only the beginning is read.
 */
export function listedWords(content: unknown): string {
  const said = blocksOf(content).filter(isText).map(({ text }) => ({ ...saidIn(beginning(text)) })); // prettier-ignore
  const words = said
    .map(({ words, sent }) => (sent?.kind === 'skill' ? `/skill:${sent.name} ${words}`.trimEnd() : words))
    .filter((each) => each.trim() !== '')
    .join('\n');
  const file = said.find(({ sent }) => sent !== null)?.sent;
  return words !== '' || !file ? words : `${file.name}: ${file.text.trimStart()}`;
}

/** The beginning of a long block, in the form of a whole one. */
function beginning(text: string): string {
  if (text.length <= MOST_LISTED) return text;
  const cut = text.slice(0, MOST_LISTED);
  return text.startsWith('<attachment name="') && text.endsWith(ATTACHMENT_END) ? cut + ATTACHMENT_END : cut;
}

/** The block of a text file: nothing in the file ends it (CM5). */
function attachedText(name: string, data: string): string {
  return `<attachment name="${escapeAttribute(name)}">\n${escapeAttachment(data)}${ATTACHMENT_END}`;
}

const ATTACHMENT_END = '\n</attachment>';
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
