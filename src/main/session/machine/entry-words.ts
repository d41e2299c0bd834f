import type { SessionLog } from '../../ports';
import { rowKindOf } from './rows';
import { type PinAt, pinsAt, tokensOfPins } from '@shared/compaction/pin-list';
import { beginningOf } from '@shared/cut-text';
import { excerptOf } from '@shared/excerpt';
import type { FoundEntry } from '@shared/ipc/tree-types';
import { rawOfPin } from '@shared/session/messages/plan-item';
import { listedWords } from '@shared/session/records/message-text';
import type { SessionEntry } from '@shared/session/records/entry';

const MAX_PREVIEW = 140;
const MAX_TITLE = 48;
const MAX_TITLE_WORDS = 7;
/** Characters of a message or a summary that are looked at. */
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
  if (role === 'user') return listedWords(content).slice(0, MAX_READ);
  if (typeof content === 'string') return content.slice(0, MAX_READ);
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((block: unknown) => {
    const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
    return type === 'text' && typeof text === 'string' ? [text.slice(0, MAX_READ / 2)] : [];
  });
  return texts.join('\n').slice(0, MAX_READ);
}

const ROLES = ['user', 'assistant', 'toolResult', 'custom', 'hookMessage'];

/** What a reference to an entry shows; null if the session has no such entry. Reads one body. */
export async function describeEntry(log: SessionLog, entryId: string, title: string): Promise<FoundEntry | null> {
  const { tree, sessionId } = log;
  const node = tree.node(entryId);
  if (!node) return null;
  const [entry] = await log.loadBodies([entryId]);
  const { summary } = (entry ?? {}) as { summary?: unknown };
  const text = typeof summary === 'string' ? summary : entry ? wordsOfMessage(entry, ROLES) : '';
  return {
    sessionId,
    sessionTitle: title,
    entryId,
    kind: rowKindOf(node.facts),
    preview: beginningOf(excerptOf(text.slice(0, MAX_READ)), MAX_PREVIEW),
    isOnPath: tree.commonAncestor(entryId, tree.leafId) === entryId,
  };
}

/** So many are named, the largest ones. */
const MOST_NAMED = 3;
const MAX_WORDS = 60;

/**
 * The pins of the path in a sentence or two, for a request that does not fit (PN3): what they take, and the largest by their first
 * words. Null: nothing is pinned. Where they can't be read the figures alone are told.
 * @param ratio tokens that one raw token is for the model
 */
export async function namePins(log: SessionLog, ratio: number): Promise<string | null> {
  const { tree } = log;
  const pins = pinsAt(tree, tree.leafId);
  if (pins.length === 0) return null;
  const figure = `Pinned messages are ${tokensOfPins(pins, ratio).toLocaleString('en-US')} tokens of it`;
  const names = await namesOf(log, pins).catch(() => []);
  const more = pins.length - names.length;
  const listed = names.length === 0 ? '' : `: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`;
  return `${figure}${listed}. Unpinning them makes room; the meter lists them.`;
}

async function namesOf(log: SessionLog, pins: readonly PinAt[]): Promise<string[]> {
  const largest = [...pins].sort((a, b) => rawOfPin(b.node) - rawOfPin(a.node)).slice(0, MOST_NAMED);
  const names: string[] = [];
  // One after the other: each can be megabytes.
  for (const { node } of largest) {
    const found = await describeEntry(log, node.id, '');
    if (!found) continue;
    const { preview } = found;
    const words = preview.length > MAX_WORDS ? `${beginningOf(preview, MAX_WORDS).trimEnd()}…` : preview;
    names.push(words === '' ? 'a message without words' : `“${words}”`);
  }
  return names;
}
