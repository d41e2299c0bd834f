import { MessageGroups } from '@shared/compaction/call-results';
import { Repeats } from '@shared/compaction/request-body';
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
  const repeats = new Repeats();
  return groupMessages(messages)
    .flatMap((group) => teller.tell(group, options))
    .map(({ pieces, again }) => {
      const text = pieces.join('\n\n');
      const told = again ? { ...again, text: again.pieces.join('\n\n') } : undefined;
      return repeats.next({ text, tokens: 0, isUser: false, isGroupStart: true, ...(told ? { again: told } : {}) })
        .text;
    })
    .filter((part) => part !== '')
    .join('\n\n');
}
