/** Reads a draft as the database has it: that may be anything. */
import { isOwnId } from '@shared/session/ids';
import type { Draft, DraftAttachment, SentMessage } from './local-store';

/** What a message takes of a file (`session.prompt`): a longer one could not be sent. Characters. */
const MAX_DATA_CHARS = 30_000_000;
const MAX_NAME_CHARS = 300;
const MAX_TYPE_CHARS = 100;

/** The pictures that models take. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The sound part of it, each file once; `dropped`: what else lay there as a file. */
export function readDraft(stored: unknown): Required<Draft> & { dropped: number } {
  const { text, attachments, aside, sent } = (stored ?? {}) as Record<keyof Draft, unknown>;
  const files: unknown[] = Array.isArray(attachments) ? attachments : [];
  const texts: unknown[] = Array.isArray(aside) ? aside : [];
  // Not bounded in number: a message on its way lies here beside the next one.
  const sound = [...new Map(files.filter(isAttachment).map((file) => [file.id, file])).values()];
  return {
    text: typeof text === 'string' ? text : '',
    attachments: sound.map(({ id, kind, name, mimeType, data }) => ({ id, kind, name, mimeType, data })),
    aside: texts.filter((other) => typeof other === 'string'),
    sent: Array.isArray(sent)
      ? sent.filter(isSent).map(({ itemId, text: said, fileIds }) => ({ itemId, text: said, fileIds }))
      : [],
    dropped: files.length - sound.length,
  };
}

function isSent(message: unknown): message is SentMessage {
  const { itemId, text, fileIds } = (message ?? {}) as Record<keyof SentMessage, unknown>;
  return typeof itemId === 'string' && isOwnId(itemId) && typeof text === 'string' && Array.isArray(fileIds);
}

/** Its bytes are not gone through: with eight pictures that alone would be a long task. */
function isAttachment(file: unknown): file is DraftAttachment {
  const { id, kind, name, mimeType, data } = (file ?? {}) as Record<keyof DraftAttachment, unknown>;
  const isKind =
    kind === 'text' || (kind === 'image' && typeof mimeType === 'string' && IMAGE_TYPES.includes(mimeType));
  if (!isKind || !isText(id, MAX_NAME_CHARS) || !isText(name, MAX_NAME_CHARS) || !isText(data, MAX_DATA_CHARS))
    return false;
  return isText(mimeType, MAX_TYPE_CHARS) && (kind === 'text' || data !== '');
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most;
}
