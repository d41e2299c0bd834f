import type { Api, AssistantMessage, Model } from './pi-types';

let piAi: Promise<typeof import('@mariozechner/pi-ai')> | undefined;

/**
 * The one place that loads pi-ai and pi-agent-core at run time (docs/decisions/0003): lazily, because the unbundled
 * import costs over half a second (QA7) and nothing before the first run needs it. Kept, because every request asks for it.
 */
export function loadPiAi(): Promise<typeof import('@mariozechner/pi-ai')> {
  return (piAi ??= import('@mariozechner/pi-ai'));
}

/** The agent loop functions of pi-agent-core. Loaded with the first run. */
export async function loadAgentCore(): Promise<typeof import('@mariozechner/pi-agent-core')> {
  return import('@mariozechner/pi-agent-core');
}

/** The loaded pi-ai module. */
export type PiAi = Awaited<ReturnType<typeof loadPiAi>>;

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
