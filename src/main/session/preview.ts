import { beginningOf } from '@shared/beginning';
import type { SessionEntry } from '@shared/session/entry';

const MAX_PREVIEW = 140;
const MAX_TITLE = 48;
const MAX_TITLE_WORDS = 7;

/** First words of a message for the sessions list, on one line; null for entries that show nothing there. */
export function previewOf(entry: SessionEntry): string | null {
  const text = textOfMessage(entry, ['user', 'assistant']);
  return text ? beginningOf(text, MAX_PREVIEW) : null;
}

/** A title made of the first words of the first message: what a session is called until it has a better name. */
export function titleFromWords(text: string): string {
  const plain = text
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/[`*_#>[\]]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const words = plain.split(' ').slice(0, MAX_TITLE_WORDS).join(' ');
  const cut = words.length < plain.length || words.length > MAX_TITLE;
  return cut ? `${beginningOf(words, MAX_TITLE).replace(/[\s,;:.…-]+$/, '')}…` : words;
}

/** The text of a message entry of one of the roles, blanks collapsed; empty if it has none. */
export function textOfMessage(entry: SessionEntry, roles: readonly string[]): string {
  if (entry.type !== 'message' || !('message' in entry)) return '';
  const { role, content } = entry.message as { role: string; content?: unknown };
  if (!roles.includes(role)) return '';
  if (typeof content === 'string') return collapse(content);
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((block: unknown) => {
    const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
    return type === 'text' && typeof text === 'string' ? [text.slice(0, 4000)] : [];
  });
  return collapse(texts.join(' '));
}

function collapse(text: string): string {
  return text.slice(0, 8000).replace(/\s+/g, ' ').trim();
}
