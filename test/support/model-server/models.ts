import type { Api, Model } from '../../../src/main/pi/pi-types';
import type { ModelServer, Wire } from './types';

export interface LoopbackModelOptions {
  /** Tokens; default 200000. */
  contextWindow?: number;
  /** Tokens; default 8192. */
  maxTokens?: number;
  reasoning?: boolean;
  id?: string;
  input?: ('text' | 'image')[];
  cost?: Model<Api>['cost'];
}

const WIRES: Record<Wire, { api: Api; provider: string; base: string }> = {
  completions: { api: 'openai-completions', provider: 'loopback-openai', base: '/v1' },
  responses: { api: 'openai-responses', provider: 'loopback-responses', base: '/v1' },
  messages: { api: 'anthropic-messages', provider: 'loopback-anthropic', base: '' },
};

/** The key that every loopback request is sent with. */
export const LOOPBACK_KEY = 'sk-loopback';

/** pi-ai models of all three wires on a loopback server (or on any base address). */
export function modelsFor(
  server: Pick<ModelServer, 'url'>,
  options: LoopbackModelOptions = {},
): Record<Wire, Model<Api>> {
  const make = (wire: Wire): Model<Api> => ({
    id: options.id ?? 'loopback',
    name: `Loopback ${wire}`,
    api: WIRES[wire].api,
    provider: WIRES[wire].provider,
    baseUrl: server.url + WIRES[wire].base,
    reasoning: options.reasoning ?? false,
    input: options.input ?? ['text', 'image'],
    cost: options.cost ?? { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    contextWindow: options.contextWindow ?? 200_000,
    maxTokens: options.maxTokens ?? 8_192,
  });
  return { completions: make('completions'), responses: make('responses'), messages: make('messages') };
}
