import { isDeeper, MAX_DEPTH } from '@shared/session/check-entry';
import { isRecord } from '@shared/own';
import { MAX_RECORD_BYTES } from '@shared/record-limits';
import type { AssistantMessage, ToolCall } from '../../pi/pi-types';

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
