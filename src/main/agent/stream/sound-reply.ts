import { randomUUID } from 'node:crypto';
import { emptyReply } from '../../pi/pi';
import type { Api, AssistantMessage, Model, ToolCall } from '../../pi/pi-types';
import { MAX_ID_CHARS } from './frame-check';
import { isRecord } from '@shared/checks';
import { MAX_RECORD_BYTES } from '@shared/record-limits';
import { isDeeper, MAX_DEPTH } from '@shared/session/records/check-entry';

/** Room for what an entry has beside its message. */
const ENVELOPE_BYTES = 64 * 1024;
/** Characters of a reply's text that stay of one that is too large for a session. */
const KEPT_CHARS = 200_000;

/** Arguments as a session keeps them: what is not an object, or nested without end, is none. Their call is never run. */
export function soundArguments(value: unknown): ToolCall['arguments'] {
  return isRecord(value) && !isDeeper(value, MAX_DEPTH / 2) ? value : {};
}

/** Cuts a reply that is larger than a record may be (docs/specs/safety.md A7). True if it was. O(size of a large reply). */
export function cutToRecord(message: AssistantMessage): boolean {
  if (Buffer.byteLength(JSON.stringify(message)) + ENVELOPE_BYTES <= MAX_RECORD_BYTES) return false;
  const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  message.content = [{ type: 'text', text: text.slice(0, KEPT_CHARS) }];
  return true;
}

/** Providers take names of 64 letters, digits, `_` and `-`, and refuse every later request that has another one in it. */
const MAX_NAME_CHARS = 64;
const NOT_IN_NAMES = /[^A-Za-z0-9_-]/g;
const MOST_TOKENS = Number.MAX_SAFE_INTEGER;
const STOP_REASONS = new Set<unknown>(['stop', 'length', 'toolUse', 'error', 'aborted']);

type Block = AssistantMessage['content'][number];

/**
 * The one door that a reply passes on its way out of pi-ai, whatever the server sent: everything behind it has the type that
 * it says it has. pi-ai and the SDKs hand on what the JSON held.
 */
export class ReplyDoor {
  /** Ids made up for calls that came without one, by content index. */
  private readonly ownIds = new Map<number, string>();
  /** Calls that came without a name, by content index: nobody knows what they ask for. */
  readonly nameless = new Set<number>();

  constructor(
    private readonly model: Model<Api>,
    private readonly toolNames: ReadonlySet<string>,
  ) {}

  /** The message with fields of the right types only; blocks keep their places. */
  message(from: AssistantMessage): AssistantMessage {
    const empty = emptyReply(this.model);
    const content: unknown = from.content;
    const { errorMessage, responseId, responseModel, diagnostics, timestamp } = from;
    return {
      ...empty,
      content: Array.isArray(content) ? content.map((block: unknown, index) => this.block(block, index)) : [],
      usage: soundUsage(from.usage),
      stopReason: STOP_REASONS.has(from.stopReason) ? from.stopReason : 'error',
      timestamp: Number.isFinite(timestamp) ? timestamp : empty.timestamp,
      ...(isId(responseId) ? { responseId } : {}),
      ...(isId(responseModel) ? { responseModel } : {}),
      ...(Array.isArray(diagnostics) ? { diagnostics } : {}),
      ...(typeof errorMessage === 'string' ? { errorMessage } : {}),
    };
  }

  /** A call whose id is a text that is not empty, and whose name providers take. */
  call(from: Readonly<Record<string, unknown>>, index: number): ToolCall {
    const { thoughtSignature } = from;
    return {
      type: 'toolCall',
      id: this.id(from.id, index),
      name: this.name(from.name, index),
      arguments: soundArguments(from.arguments),
      ...(typeof thoughtSignature === 'string' ? { thoughtSignature } : {}),
    };
  }

  private block(from: unknown, index: number): Block {
    if (!isRecord(from)) return { type: 'text', text: '' };
    if (from.type === 'toolCall') return this.call(from, index);
    if (from.type === 'thinking') {
      return {
        type: 'thinking',
        thinking: textOf(from.thinking),
        ...(typeof from.thinkingSignature === 'string' ? { thinkingSignature: from.thinkingSignature } : {}),
        ...(from.redacted === true ? { redacted: true } : {}),
      };
    }
    return {
      type: 'text',
      text: textOf(from.text),
      ...(typeof from.textSignature === 'string' ? { textSignature: from.textSignature } : {}),
    };
  }

  /** The wire's id; one of our own where it is none, or where a part of it that pi-ai joined was none. */
  private id(value: unknown, index: number): string {
    const [callId, itemId] = typeof value === 'string' ? value.split('|') : [];
    if (isId(callId) && isId(value)) return itemId === 'undefined' || itemId === 'null' ? callId : value;
    const own = this.ownIds.get(index) ?? `call_${randomUUID().replaceAll('-', '')}`;
    this.ownIds.set(index, own);
    return own;
  }

  /** What the model called the tool, never by accident the name of one that there is. */
  private name(value: unknown, index: number): string {
    const said = typeof value === 'string' ? value : wordOf(value);
    if (said === '') this.nameless.add(index);
    // A name may come after the rest.
    else this.nameless.delete(index);
    if (said === value && this.toolNames.has(said)) return said;
    let name = said.slice(0, MAX_NAME_CHARS).replace(NOT_IN_NAMES, '_') || 'unnamed';
    while (this.toolNames.has(name)) name = `${name}_`;
    return name;
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function wordOf(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Tokens and dollars that are no numbers, or not of this world, count as none. */
export function soundUsage(from: unknown): AssistantMessage['usage'] {
  const usage = isRecord(from) ? from : {};
  const cost = isRecord(usage.cost) ? usage.cost : {};
  return {
    input: count(usage.input),
    output: count(usage.output),
    cacheRead: count(usage.cacheRead),
    cacheWrite: count(usage.cacheWrite),
    totalTokens: count(usage.totalTokens),
    cost: {
      input: count(cost.input),
      output: count(cost.output),
      cacheRead: count(cost.cacheRead),
      cacheWrite: count(cost.cacheWrite),
      total: count(cost.total),
    },
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? value : 0;
}
