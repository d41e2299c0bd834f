import type { Api, AssistantMessage, Model } from './pi-types';

/** Usage of nothing: tokens and US dollars. */
export function noUsage(): AssistantMessage['usage'] {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** A reply of this model without content, as an error: the shape that pi-ai starts from. */
export function emptyReply(model: Model<Api>): AssistantMessage {
  return {
    role: 'assistant',
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: noUsage(),
    stopReason: 'error',
    timestamp: Date.now(),
  };
}
