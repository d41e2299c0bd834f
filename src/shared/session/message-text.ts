import { isRecord } from '../own';
import type { ContentBlock, ImageBlock, TextBlock } from './entry';

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
export type MissingImage = ImageBlock & { data: `blob:${string}` };

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
