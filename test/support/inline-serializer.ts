import { activityOfLines, Conversation, filesOfLine } from '../../src/main/compaction/conversation';
import type { Serializer } from '../../src/main/compaction/serializer';

/** The worker's own code in this thread. */
export function inlineSerializer(): Serializer {
  return {
    begin(options) {
      const conversation = new Conversation(options);
      return {
        add: async (section, lines) => conversation.add(section, lines),
        texts: async (budget) => conversation.texts(budget),
        end: () => undefined,
      };
    },
    filesOf: async (lines) => lines.map(filesOfLine),
    activityOf: async (lines) => activityOfLines(lines),
    close: async () => undefined,
  };
}
