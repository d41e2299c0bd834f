import { isRecord } from '@shared/checks';
import { ranInstead } from '@shared/edited-command';
import { textsForPerson } from '@shared/policy/call-outcome';
import { type Author, writerOf, WRITERS } from '@shared/search/types';
import { isOfExtension } from '@shared/session/records/message-text';
import { type EntryFacts, isShown } from '@shared/session/records/facts';

/** Fields of an entry that a person reads; ids, models and pictures are no words of the session. */
const READ = new Set(['text', 'thinking', 'content', 'summary', 'command', 'output', 'message', 'arguments', 'name']);
/** Characters of an entry that are searched: more is output that nobody wrote. */
const MAX_ENTRY_CHARS = 400_000;
/** Values of an entry that are looked at: a hostile one may have nothing but brackets. */
const MAX_VALUES = 200_000;

/** All that a person reads of an entry, in order, as one text. Never recursive: a hostile file may nest without end. */
export function textOfEntry(entry: unknown): string {
  const texts: string[] = [];
  const left: unknown[] = [asDrawn(entry)];
  let chars = 0;
  for (let count = 0; left.length > 0 && count < MAX_VALUES && chars < MAX_ENTRY_CHARS; count++) {
    const next = left.pop();
    if (typeof next === 'string') {
      const text = next.slice(0, MAX_ENTRY_CHARS - chars);
      chars += text.length;
      texts.push(text);
    } else if (Array.isArray(next)) for (let at = next.length - 1; at >= 0; at--) left.push(next[at]);
    else if (isRecord(next)) addFields(next, left);
  }
  return texts.join('\n');
}

/**
 * An entry as its card draws it: without the words of an edit that went well, whose changes stand in its call, and what the model is told
 * of how a command ended; with the command that the person put in the place of the call's.
 */
function asDrawn(entry: unknown): unknown {
  const message = isRecord(entry) ? entry.message : undefined;
  if (!isRecord(message) || message.role !== 'toolResult') return entry;
  const { toolName, isError, details, content } = message;
  if (isError !== true && (toolName === 'edit' || toolName === 'write')) return null;
  if (!Array.isArray(content)) return entry;
  const isWords = (part: unknown): part is { text: string } => isRecord(part) && typeof part.text === 'string';
  const texts = content.filter(isWords).map(({ text }) => text);
  const ran = ranInstead(details) ?? [];
  return [ran, ...textsForPerson(texts, { isError, details, content }), ...content.filter((part) => !isWords(part))];
}

function addFields(value: Record<string, unknown>, left: unknown[]): void {
  const { type } = value;
  if (type === 'image') return;
  const read = Object.entries(value).filter(([key]) => READ.has(key));
  for (const [key, field] of read.reverse()) {
    if (type === 'toolCall' && key === 'arguments')
      left.push(...(isRecord(field) ? Object.values(field).slice(0, 200) : []));
    else left.push(field);
  }
}

/** Whose words an entry has. */
export function authorOf(entry: unknown): Author {
  const { type, message, customType } = isRecord(entry) ? entry : {};
  const { role, model, toolName, customType: inner } = isRecord(message) ? message : {};
  const named = (name: unknown): string => (typeof name === 'string' ? name.slice(0, 200) : '');
  if (type === 'compaction' || type === 'branch_summary') return { kind: 'summary', name: named(type) };
  if (type !== 'message') return { kind: 'note', name: named(customType) };
  if (isOfExtension(message)) return { kind: 'note', name: 'extension' };
  if (role === 'user') return { kind: 'person', name: '' };
  if (role === 'assistant') return { kind: 'model', name: named(model) };
  if (role === 'toolResult') return { kind: 'tool', name: named(toolName) };
  if (role === 'bashExecution') return { kind: 'command', name: '' };
  return { kind: 'note', name: named(inner ?? role) };
}

/** Who wrote an entry, as a filter asks: a number of `WRITERS`, -1 for none of them. */
export function writerNumber(entry: unknown): number {
  const writer = writerOf(authorOf(entry));
  return writer === null ? -1 : WRITERS.indexOf(writer);
}

/** Whether the words of an entry are looked for: those that the transcript shows. */
export const isSearched = (facts: EntryFacts): boolean => !facts.side && !facts.silent && isShown(facts);

/** Whether it is shown, and no context ever has it: a `!!` command. */
export const isUnsent = (facts: EntryFacts): boolean => isSearched(facts) && !facts.visible && facts.type === 'message';
