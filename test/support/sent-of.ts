import type { LlmMessage, ProjectedMessage } from '../../src/shared/session/entry';
import type { SummaryFrames } from '@shared/session/projection';
import { toProviderParts } from '@shared/session/sanitizer';

/** What a provider is sent for any list of messages, by the app's own pass. */
export function sentOf(messages: readonly ProjectedMessage[], frames: SummaryFrames): LlmMessage[] {
  const items = messages.map((message, at) => ({ sourceId: String(at), message }));
  return toProviderParts(items, frames).map(({ message }) => message);
}
