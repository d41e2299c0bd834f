import { shownCallId } from '@shared/cut-text';
import type { LiveReply } from '@shared/types';
import type { AssistantMessage } from '@shared/session/entry';
import { fieldOf, MOST_UNKNOWN, unknownBlock } from './message-text';

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
