import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { EndpointDraft, ModelRef } from '../../../src/shared/types';
import type { Wire } from '../model-server/types';

const WIRES: Record<Wire, { api: EndpointDraft['api']; path: string }> = {
  completions: { api: 'openai-completions', path: '/v1' },
  responses: { api: 'openai-responses', path: '/v1' },
  messages: { api: 'anthropic-messages', path: '' },
};

/** A custom endpoint on a loopback server with one model, `loopback`. */
export function endpointOn(url: string, id: string, wire: Wire = 'completions'): EndpointDraft {
  const model = { id: 'loopback', contextWindow: 1_000_000, maxTokens: 8192, images: true, reasoning: false };
  const { api, path } = WIRES[wire];
  return { id, name: `Loopback ${id}`, api, baseUrl: url + path, headers: {}, models: [model] };
}

/** The model of such an endpoint. */
export function modelOf(endpoint: EndpointDraft): ModelRef {
  return { provider: endpoint.id, modelId: endpoint.models[0]?.id ?? '' };
}

/** A promise that the test settles when a held reply may go on. */
export function gate(): { until: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const until = new Promise<void>((resolve) => (open = resolve));
  return { until, open };
}

/** A port of this machine on which nothing listens. */
export async function closedPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
