import type { Attachment, QueueItem } from '@shared/types';
import { MAX_PICTURE_BYTES, MAX_PICTURE_CHARS, MAX_PICTURES, MAX_RECORD_BYTES } from '@shared/record-limits';
import { toUserMessage } from '@shared/session/records/message-text';

const MB = 1024 * 1024;
/** Room for what an entry has beside its message. */
const ENVELOPE_BYTES = 64 * 1024;
/** JSON writes a character with six bytes at most. */
const MOST_BYTES_A_CHARACTER = 6;

/**
 * Why a message is not taken (docs/specs/safety.md A7), or null. It must be known before anything is accepted: what is in the
 * file has to be read again. O(size).
 */
export function refusalOfMessage(item: Pick<QueueItem, 'text' | 'attachments'>): string | null {
  const pictures = item.attachments.filter(({ kind }) => kind === 'image');
  if (pictures.length > MAX_PICTURES) {
    return `A message can have ${MAX_PICTURES} pictures, but this one has ${pictures.length}. Remove ${pictures.length - MAX_PICTURES}, or send them in another message.`;
  }
  const large = pictures.find(({ data }) => data.length > MAX_PICTURE_CHARS);
  if (large) {
    const size = megabytes((large.data.length * 3) / 4);
    return `The picture “${large.name}” is ${size}; the limit is ${megabytes(MAX_PICTURE_BYTES)}. Remove it and attach it again to make it smaller.`;
  }
  const bytes = bytesOf(item);
  if (bytes <= MAX_RECORD_BYTES) return null;
  const what = largestOf(item.attachments);
  return `The message is ${megabytes(bytes)}; the limit is ${megabytes(MAX_RECORD_BYTES)}. Remove ${what}, or send it in parts.`;
}

/** What a model reads in place of a tool's result that is larger than a record may be, or null. O(size). */
export function refusalOfResult({ content, details }: { content: unknown; details?: unknown }): string | null {
  const bytes = Buffer.byteLength(JSON.stringify([content, details])) + ENVELOPE_BYTES;
  if (bytes <= MAX_RECORD_BYTES) return null;
  return `The result is ${megabytes(bytes)}; the limit is ${megabytes(MAX_RECORD_BYTES)}. It was left out; ask for a part of it.`;
}

/** Pictures are base64, which JSON writes as it is: writing them out to weigh them would hold main up for each. */
function bytesOf({ text, attachments }: Pick<QueueItem, 'text' | 'attachments'>): number {
  const pictures = attachments.filter(({ kind }) => kind === 'image');
  const texts = attachments.filter(({ kind }) => kind !== 'image');
  const inPictures = pictures.reduce((sum, { data, name }) => sum + data.length + name.length, ENVELOPE_BYTES);
  const characters = texts.reduce((sum, { data, name }) => sum + data.length + name.length, text.length);
  const most = inPictures + characters * MOST_BYTES_A_CHARACTER;
  if (most <= MAX_RECORD_BYTES) return most;
  return inPictures + Buffer.byteLength(JSON.stringify(toUserMessage({ text, attachments: texts }, 0)));
}

function largestOf(attachments: readonly Attachment[]): string {
  const largest = [...attachments].sort((a, b) => b.data.length - a.data.length)[0];
  return largest && largest.data.length > MB ? `“${largest.name}”` : 'a part of it';
}

function megabytes(bytes: number): string {
  return `${Number((bytes / MB).toFixed(1))} MB`;
}
