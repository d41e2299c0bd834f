import type { ImageBlock, SessionEntry, TextBlock } from '@shared/session/entry';

/** Text and pictures of a message's `content`, whatever shape it has. */
export interface MessageParts {
  texts: string[];
  images: ImageBlock[];
}

/** Reads `content` as a string or as blocks; unknown blocks are left out. */
export function partsOf(content: unknown): MessageParts {
  if (typeof content === 'string') return { texts: content === '' ? [] : [content], images: [] };
  const parts: MessageParts = { texts: [], images: [] };
  if (!Array.isArray(content)) return parts;
  for (const block of content as unknown[]) {
    if (block === null || typeof block !== 'object') continue;
    const typed = block as Partial<TextBlock> | Partial<ImageBlock>;
    if (typed.type === 'text' && typeof typed.text === 'string') parts.texts.push(typed.text);
    if (typed.type === 'image' && typeof typed.data === 'string') parts.images.push(typed as ImageBlock);
  }
  return parts;
}

/** The message of an entry, or null. */
export function messageOf(entry: SessionEntry | undefined): { role: string; [key: string]: unknown } | null {
  if (entry?.type !== 'message' || !('message' in entry)) return null;
  const { message } = entry;
  return message !== null && typeof message === 'object' ? (message as { role: string }) : null;
}

/** A property of an object that may be anything. */
export function fieldOf(value: unknown, key: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined;
}

export function numberField(value: unknown, key: string): number | null {
  const found = fieldOf(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

export function textField(value: unknown, key: string): string | null {
  const found = fieldOf(value, key);
  return typeof found === 'string' && found !== '' ? found : null;
}
