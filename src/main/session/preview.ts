import { beginningOf } from '@shared/beginning';
import { excerptOf } from '@shared/excerpt';
import type { SessionEntry } from '@shared/session/entry';

const MAX_PREVIEW = 140;
const MAX_TITLE = 48;
const MAX_TITLE_WORDS = 7;
/** Characters of a message that are looked at. */
const MAX_READ = 8000;
const CODE = /```[\s\S]*?(?:```|$)/g;

/** First words of a message for the sessions list, on one line; null for entries that show nothing there. */
export function previewOf(entry: SessionEntry): string | null {
  const text = excerptOf(wordsOfMessage(entry, ['user', 'assistant']));
  return text ? beginningOf(text, MAX_PREVIEW) : null;
}

/** A title made of the first words of the first message: what a session is called until it has a better name. */
export function titleFromWords(text: string): string {
  // Of a message that is nothing but code, the code.
  const plain = excerptOf(text.replace(CODE, '\n')) || excerptOf(text);
  const words = plain.split(' ').slice(0, MAX_TITLE_WORDS).join(' ');
  const cut = words.length < plain.length || words.length > MAX_TITLE;
  return cut ? `${beginningOf(words, MAX_TITLE).replace(/[\s,;:.…-]+$/, '')}…` : words;
}

/** The text of a message entry of one of the roles, blanks collapsed; empty if it has none. */
export function textOfMessage(entry: SessionEntry, roles: readonly string[]): string {
  return wordsOfMessage(entry, roles).replace(/\s+/g, ' ').trim();
}

/** The same in its lines, which tell what is a mark of Markdown. */
export function wordsOfMessage(entry: SessionEntry, roles: readonly string[]): string {
  if (entry.type !== 'message' || !('message' in entry)) return '';
  const { role, content } = entry.message as { role: string; content?: unknown };
  if (!roles.includes(role)) return '';
  if (typeof content === 'string') return content.slice(0, MAX_READ);
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((block: unknown) => {
    const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
    return type === 'text' && typeof text === 'string' ? [text.slice(0, MAX_READ / 2)] : [];
  });
  return texts.join('\n').slice(0, MAX_READ);
}
