import type { LlmMessage, ProjectedMessage } from './entry';
import { toLlmMessage } from './project-message';
import type { SummaryFrames } from './project-message';
import { Sanitizer } from './sanitizer';

/** A message that is sent, and the entry that it comes from. */
interface Part {
  sourceId: string;
  /** What it is to the session: a provider is sent a summary in the role of the person. */
  role: ProjectedMessage['role'];
  message: LlmMessage;
}

/**
 * The messages of a context as a provider is sent them, in its words and sanitized, each with the entry that it comes from; a
 * call's missing result comes from its reply. O(messages). What the session itself sends is kept up to date: `SentContext`.
 */
export function toProviderParts(
  items: readonly { sourceId: string; message: ProjectedMessage }[],
  frames: SummaryFrames,
): Part[] {
  const pass = new Sanitizer(true);
  const messages = items.map(({ message }) => toLlmMessage(message, frames));
  const takeAll = (): void => {
    for (const message of messages) {
      if (message) pass.take(message);
      else pass.skip();
    }
  };
  takeAll();
  if (pass.isStale) {
    pass.restart();
    takeAll();
  }
  pass.settle();
  return pass.sent.map((message, at) => {
    const item = items[pass.from[at] as number];
    const role = message.role === 'toolResult' ? message.role : (item?.message.role ?? message.role);
    return { sourceId: item?.sourceId ?? '', role, message };
  });
}
