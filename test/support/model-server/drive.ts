import type { Api, Context, Model } from '../../../src/main/pi/pi-types';
import {
  defaultLimits,
  type DeltaEvent,
  type ProviderOptions,
  type ProviderOutcome,
  type StreamLimits,
  type StreamTransport,
} from '../../../src/main/agent/stream/types';
import { NO_PROXIES, type Proxies } from '../../../src/main/network/proxy-fetch';
import { LOOPBACK_KEY } from './models';

export interface AskOptions {
  context?: Partial<Context>;
  options?: ProviderOptions;
  limits?: Partial<StreamLimits>;
  signal?: AbortSignal;
  /** Default: none. */
  proxies?: Proxies;
  onDelta?: (event: DeltaEvent) => void;
}

/** Asks a model over a transport and waits for the end. */
export async function ask(
  transport: StreamTransport,
  model: Model<Api>,
  ask: AskOptions = {},
): Promise<{ outcome: ProviderOutcome; deltas: DeltaEvent[] }> {
  const context: Context = { messages: [{ role: 'user', content: 'Hello', timestamp: 1 }], ...ask.context };
  const stream = transport.stream(
    {
      model,
      context,
      options: { apiKey: LOOPBACK_KEY, ...ask.options },
      limits: { ...defaultLimits(), ...ask.limits },
      proxies: ask.proxies ?? NO_PROXIES,
    },
    ask.signal,
  );
  const deltas: DeltaEvent[] = [];
  for await (const event of stream) {
    deltas.push(event);
    ask.onDelta?.(event);
  }
  return { outcome: await stream.result(), deltas };
}

/** The text that streamed, as a person would have seen it. */
export function streamedText(
  deltas: DeltaEvent[],
  type: 'text_delta' | 'thinking_delta' | 'toolcall_delta' = 'text_delta',
): string {
  return deltas.map((event) => (event.type === type && 'delta' in event ? event.delta : '')).join('');
}
