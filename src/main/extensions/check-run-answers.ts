import type { EntryDraft, ImageBlock, TextBlock } from '@shared/session/records/entry';
import { isRecord } from '@shared/checks';
import { MAX_RECORD_BYTES } from '@shared/record-limits';
import { flawOf } from '@shared/session/records/check-entry';
import { plainJson } from './check-answers';
import type { CustomMessageDraft, HeardMessage } from './run-events';

/** What begins so is ours: no extension may write it (EX9). */
const OWN_TYPES = 'espalier.';
/** Characters of a customType: it is a name. */
const MAX_TYPE_CHARS = 200;

/** A value that can be used, or the end of a sentence that says why it can't. */
export type Checked<T> = { ok: true; value: T } | { ok: false; problem: string };

const bad = (problem: string): { ok: false; problem: string } => ({ ok: false, problem });

/** A copy of plain data that shares nothing with it; what can't be cloned is copied as JSON. */
export function copyOf<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return JSON.parse(JSON.stringify(value)) as T;
  }
}

/** The name of an extension's own entries (EX9). */
export function checkCustomType(value: unknown): Checked<string> {
  if (typeof value !== 'string' || value.trim() === '') return bad('customType is missing or blank');
  if (value.length > MAX_TYPE_CHARS) return bad(`customType has more than ${MAX_TYPE_CHARS} characters`);
  if (value.trim().toLowerCase().startsWith(OWN_TYPES))
    return bad(`customType begins with “${OWN_TYPES}”, which is kept for Espalier`);
  return { ok: true, value };
}

/** Text, or blocks of text and images, as a message may hold them; a copy. */
export function checkContent(content: unknown): Checked<string | (TextBlock | ImageBlock)[]> {
  if (typeof content === 'string') return { ok: true, value: content };
  if (!Array.isArray(content)) return bad('content is neither text nor a list of blocks');
  const copy: unknown[] = copyOf(content);
  const isKnown = (block: unknown): boolean => isRecord(block) && (block.type === 'text' || block.type === 'image');
  const flaw = flawOf({ type: 'custom_message', content: copy });
  if (flaw || !copy.every(isKnown)) return bad('content holds something that is neither text nor an image');
  return { ok: true, value: copy as (TextBlock | ImageBlock)[] };
}

/** What an extension says in a session, as it will be stored. Never throws. */
export function checkCustomMessage(given: unknown): Checked<EntryDraft & { type: 'custom_message' }> {
  try {
    if (!isRecord(given)) return bad('the message is not an object');
    const { customType, content, display, details } = given as Partial<CustomMessageDraft>;
    const name = checkCustomType(customType);
    const said = checkContent(content);
    const kept = plainJson(details);
    if (!name.ok) return name;
    if (!said.ok) return said;
    if (!kept.ok) return bad(`details ${kept.problem}`);
    const draft = {
      type: 'custom_message' as const,
      customType: name.value,
      content: said.value,
      display: display !== false,
      ...(kept.value === undefined ? {} : { details: kept.value }),
    };
    return isTooLarge(draft) ? bad('the message is larger than an entry may be') : { ok: true, value: draft };
  } catch {
    return bad('the message cannot be read');
  }
}

/**
 * A message that takes the place of another: of the same role and with the same calls, since those are made. Null if it is the
 * same one. Never throws.
 */
export function checkReplacement(given: unknown, original: HeardMessage): Checked<HeardMessage | null> {
  try {
    if (given === undefined || given === null) return { ok: true, value: null };
    if (!isRecord(given)) return bad('message is not an object');
    const copy = copyOf(given) as unknown as HeardMessage;
    if (copy.role !== original.role) return bad(`the role of a message can't change: it is ${String(original.role)}`);
    const flaw = flawOf({ type: 'message', message: copy });
    if (flaw) return bad(`${['message', flaw.path].filter(Boolean).join('.')} is ${flaw.found}`);
    if (identityOf(copy) !== identityOf(original)) return bad('what a message calls or answers can’t change');
    if (isTooLarge(copy)) return bad('the message is larger than an entry may be');
    return { ok: true, value: copy };
  } catch {
    return bad('the message cannot be read');
  }
}

/** What ties a message to others: the calls of a reply and how it ended, the call of a result. */
function identityOf(message: HeardMessage): string {
  if (message.role === 'toolResult') return JSON.stringify([message.toolCallId, message.toolName]);
  if (message.role !== 'assistant') return '';
  const calls = message.content.filter((block) => block.type === 'toolCall');
  return JSON.stringify([message.stopReason, message.provider, message.model, message.api, calls]);
}

/** The messages of one request. Never throws. */
export function checkMessages(given: unknown): Checked<HeardMessage[]> {
  try {
    if (!Array.isArray(given)) return bad('messages is not a list');
    const copy: unknown[] = copyOf(given);
    for (const [at, message] of copy.entries()) {
      const flaw =
        isRecord(message) && typeof message.role === 'string'
          ? flawOf({ type: 'message', message })
          : { path: '', found: 'no message' };
      if (flaw) return bad(`messages[${at}]${flaw.path.replace(/^message/, '')} is ${flaw.found}`);
    }
    return { ok: true, value: copy as HeardMessage[] };
  } catch {
    return bad('messages cannot be read');
  }
}

/** The arguments of a call as they will be used. Never throws. */
export function checkInput(given: unknown): Checked<Record<string, unknown>> {
  if (!isRecord(given)) return bad('input is not an object');
  const copy = plainJson(given);
  if (!copy.ok) return bad(`input ${copy.problem}`);
  return { ok: true, value: copy.value as Record<string, unknown> };
}

function isTooLarge(value: unknown): boolean {
  // As for messages of a person: with room for what stands beside it.
  return Buffer.byteLength(JSON.stringify(value)) + 64 * 1024 > MAX_RECORD_BYTES;
}
