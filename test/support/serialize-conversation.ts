import { serializeMessage } from '../../src/shared/compaction/serialize';
import type { ProjectedMessage } from '../../src/shared/session/entry';

/** Messages as the text of one summary request (SU15): the app's words for each, joined by a blank line. */
export function serializeConversation(
  messages: readonly ProjectedMessage[],
  options: Parameters<typeof serializeMessage>[1] = {},
): string {
  return messages
    .map((message) => serializeMessage(message, options))
    .filter((part) => part !== '')
    .join('\n\n');
}
