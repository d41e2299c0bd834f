import { groupMessages } from '../../src/shared/compaction/message-groups';
import { serializeGroup, type SerializeOptions } from '../../src/shared/compaction/serialize';
import type { ProjectedMessage } from '../../src/shared/session/entry';

/** Messages as the text of one summary request (SU15): the app's words for each, joined by a blank line. */
export function serializeConversation(messages: readonly ProjectedMessage[], options: SerializeOptions = {}): string {
  return groupMessages(messages)
    .flatMap((group) => serializeGroup(group, options))
    .filter((part) => part !== '')
    .join('\n\n');
}
