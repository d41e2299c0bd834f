import { MessageGroups } from '@shared/compaction/call-results';
import { Teller, type SerializeOptions } from '../../src/shared/compaction/serialize';
import type { ProjectedMessage } from '@shared/session/records/entry';

/** Messages in their groups. O(messages). */
export function groupMessages(messages: readonly ProjectedMessage[]): ProjectedMessage[][] {
  const groups = new MessageGroups<ProjectedMessage>((message) => message);
  return [...messages.flatMap((message) => groups.add(message)), ...groups.end()];
}

/** Messages as the text of one summary request (SU15): the app's words for each, joined by a blank line. */
export function serializeConversation(messages: readonly ProjectedMessage[], options: SerializeOptions = {}): string {
  const teller = new Teller();
  return groupMessages(messages)
    .flatMap((group) => teller.tell(group, options))
    .filter((part) => part !== '')
    .join('\n\n');
}
