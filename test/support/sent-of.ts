import type { LlmMessage, ProjectedMessage } from '@shared/session/records/entry';
import type { SummaryFrames } from '@shared/session/messages/projection';
import { toProviderParts } from '@shared/session/messages/sanitizer';

/** What a provider is sent for any list of messages, by the app's own pass. */
export function sentOf(messages: readonly ProjectedMessage[], frames: SummaryFrames): LlmMessage[] {
  const items = messages.map((message, at) => ({ sourceId: String(at), message }));
  return toProviderParts(items, frames).map(({ message }) => message);
}
