import { visibleString } from '@shared/policy/visible-text';
import { beginningOf, MAX_NAME_CHARS } from '@shared/cut-text';
import { type ImageBlock, OPAQUE_TYPE, type SessionEntry, type TextBlock } from '@shared/session/entry';
import { isImage, isMissingImage, isText } from '@shared/session/message-text';
import { nextTask } from '../../state/order';
import { affordable, textCost } from '../markdown/text-cost';

/** Text and pictures of a message's `content`, whatever shape it has. */
export interface MessageParts {
  texts: string[];
  images: ImageBlock[];
  /** Pictures that the file only names, as oh-my-pi's do. */
  missing: number;
  /** Blocks of a type that is not known. */
  unknown: { type: string }[];
}

const BLOCKS = new Set(['text', 'image', 'thinking', 'toolCall']);

/** Unknown parts of a message that have a row each; the others stand in one (TS16). */
export const MOST_UNKNOWN = 20;

/** Part of a message if it has a type that nothing here draws. */
export function unknownBlock(block: object): { type: string } | null {
  const type = textField(block, 'type');
  return type === null || BLOCKS.has(type) ? null : (block as { type: string });
}

/** Reads `content` as a string or as blocks. A block of a known type without what belongs to it is left out. */
export function partsOf(content: unknown): MessageParts {
  if (typeof content === 'string')
    return { texts: content === '' ? [] : [content], images: [], missing: 0, unknown: [] };
  const parts: MessageParts = { texts: [], images: [], missing: 0, unknown: [] };
  if (!Array.isArray(content)) return parts;
  for (const block of content as unknown[]) {
    if (block === null || typeof block !== 'object') continue;
    const typed = block as TextBlock | ImageBlock;
    if (isText(typed)) parts.texts.push(typed.text);
    else if (isMissingImage(typed)) parts.missing += 1;
    else if (isImage(typed)) parts.images.push(typed);
    else {
      const unknown = unknownBlock(block);
      if (unknown) parts.unknown.push(unknown);
    }
  }
  return parts;
}

/** The message of an entry, or null. */
export function messageOf(entry: SessionEntry | undefined): { role: string; [key: string]: unknown } | null {
  if (entry?.type !== 'message' || !('message' in entry)) return null;
  const { message } = entry;
  return message !== null && typeof message === 'object' ? (message as { role: string }) : null;
}

/** Types of entries that are drawn, or that have nothing to draw. Of every other one its row says that it is there. */
const KNOWN_TYPES = new Set([
  ...['message', 'model_change', 'thinking_level_change', 'compaction', 'branch_summary', 'custom', 'custom_message'],
  ...['label', 'session_info', 'context_edit', 'reset_boundary', OPAQUE_TYPE],
]);

export function isUnknownEntry({ type }: SessionEntry): boolean {
  return !KNOWN_TYPES.has(type);
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

/** Characters of JSON that are made in one task. */
const JSON_A_TASK = 300_000;

/** Each part as a line of JSON. A message can hold a million of them: the window is drawn meanwhile. */
export async function jsonLines(parts: readonly object[]): Promise<string> {
  const lines: string[] = [];
  let left = JSON_A_TASK;
  for (const part of parts) {
    const line = JSON.stringify(part);
    lines.push(line);
    left -= line.length;
    if (left > 0) continue;
    await nextTask();
    left = JSON_A_TASK;
  }
  return lines.join('\n');
}

/** Nanoseconds that a name from outside (a model, a label, a kind) may take to lay out. */
const MAX_NAME_NS = 2_000_000;

/** A name from outside as it stands in a line, in visible form (docs/specs/safety.md C1). */
export function shortName(name: string): string {
  return visibleString(cutName(name));
}

/** A name from outside, cut to what stands in a line. */
export function cutName(name: string): string {
  const shown = affordable(beginningOf(name, MAX_NAME_CHARS), 0, MAX_NAME_NS);
  return shown < name.length ? `${name.slice(0, shown)}…` : name;
}

/** Whether a text may stand within a line as it is; others are drawn piece by piece. */
export function isBrief(text: string): boolean {
  return text.length <= 2_000 && textCost(text) <= MAX_NAME_NS;
}
