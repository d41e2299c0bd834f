import { beginningOf, MAX_NAME_CHARS, shownCallId } from '@shared/cut-text';
import { visibleString } from '@shared/policy/visible-text';
import {
  type AssistantMessage,
  type ImageBlock,
  OPAQUE_TYPE,
  type SessionEntry,
  type TextBlock,
} from '@shared/session/records/entry';
import { isImage, isMissingImage, isText } from '@shared/session/records/message-text';
import type { LiveReply } from '@shared/types';
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
function unknownBlock(block: object): { type: string } | null {
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

/** One part of a reply, stored or still growing. */
export interface Part {
  kind: 'text' | 'thinking' | 'toolCall' | 'unknown';
  text: string;
  /** Of an unknown one: all of it. */
  source?: { type: string };
  /** Unknown ones that have no row each. */
  more?: { type: string }[];
  toolName?: string;
  toolCallId?: string;
  args?: Record<string, unknown>;
}

/** Parts of a stored reply. Of unknown ones the first have a place each, the others one together, where the first of them stands. */
export function partsOfMessage({ content }: AssistantMessage): Part[] {
  if (!Array.isArray(content)) return [];
  const parts: Part[] = [];
  const more: { type: string }[] = [];
  let unknown = 0;
  for (const block of content) {
    const source = unknownBlock(block);
    if (!source) parts.push(knownPart(block));
    else if (unknown++ < MOST_UNKNOWN) parts.push({ kind: 'unknown', text: '', source });
    else if (more.push(source) === 1) parts.push({ kind: 'unknown', text: '', more });
  }
  return parts;
}

/** A reply of which nothing can be read: no text, no call, nothing unknown. Its thinking is none of it. */
export function saysNothing(parts: readonly Part[]): boolean {
  return parts.every(({ kind, text }) => kind === 'thinking' || (kind === 'text' && text.trim() === ''));
}

function knownPart(block: AssistantMessage['content'][number]): Part {
  if (block.type === 'thinking')
    return { kind: 'thinking', text: block.redacted ? 'The provider keeps this part to itself.' : block.thinking };
  if (block.type === 'toolCall')
    return {
      kind: 'toolCall',
      text: '',
      toolName: block.name,
      toolCallId: shownCallId(block.id),
      args: block.arguments,
    };
  return { kind: 'text', text: typeof block.text === 'string' ? block.text : '' };
}

/** Parts of a reply that is being written. */
export function partsOfLive(reply: LiveReply | null): Part[] {
  return (reply?.blocks ?? []).map((block) => {
    if (block.kind !== 'toolCall') return block;
    return { ...block, args: readPartialArguments(block.text) };
  });
}

/** The arguments that can already be told from half-written JSON, for the card's words. Display only (WG3). */
function readPartialArguments(json: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const match of json
    .slice(0, 4_000)
    .matchAll(/"(path|command|pattern|query|glob)"\s*:\s*"((?:[^"\\]|\\.)*)("?)/g)) {
    const [, key = '', raw = ''] = match;
    try {
      found[key] = fieldOf(JSON.parse(`{"v":"${raw.replace(/\\$/, '')}"}`), 'v');
    } catch {
      // half an escape at the end: shown with the next token
    }
  }
  return found;
}

/** The parts of a reply, and behind them results that answer none of its calls: nothing of a session stands nowhere. */
export function withOrphans(parts: Part[], results: ReadonlyMap<string, unknown>): Part[] {
  if (results.size === 0) return parts;
  const ids = new Set(parts.map(({ toolCallId }) => toolCallId));
  const orphans = [...results.keys()].filter((id) => !ids.has(id));
  return [...parts, ...orphans.map((toolCallId): Part => ({ kind: 'toolCall', text: '', toolCallId }))];
}
