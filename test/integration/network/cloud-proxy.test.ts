import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import dns from 'node:dns';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isTransient } from '../../../src/main/agent/classify-error';
import type { ProviderOutcome } from '../../../src/main/agent/stream/types';
import { NO_PROXIES, type Proxies } from '../../../src/main/network/proxy-fetch';
import { loadPiAi } from '../../../src/main/pi/pi';
import type { Api, Model } from '../../../src/main/pi/pi-types';
import { readProxyAddress } from '@shared/policy/addresses';
import { createInlineTransport } from '../../support/inline-transport';
import { ask } from '../../support/model-server';
import { startProxyServer, type ProxyServer } from '../../support/proxy-server';
import { startTlsServer } from '../../support/tls-server';

/** Clouds whose libraries ask by the way without `fetch`, through the real ones, over real proxies (WN25). */
const transport = createInlineTransport();
const dir = mkdtempSync(path.join(tmpdir(), 'espalier-cloud-'));
const VARIABLES: Record<string, string> = {
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  GOOGLE_APPLICATION_CREDENTIALS: path.join(dir, 'credentials.json'),
  GOOGLE_CLOUD_PROJECT: 'garden',
  GOOGLE_CLOUD_LOCATION: 'us-central1',
  AWS_ACCESS_KEY_ID: 'AKIATEST',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'us-east-1',
};
const before = { ...process.env };
const lookUp = dns.lookup;
let looked: string[];
let vertex: Model<Api>;
let bedrock: Model<Api>;
let proxies: ProxyServer[] = [];

beforeAll(async () => {
  const account = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
  writeFileSync(VARIABLES.GOOGLE_APPLICATION_CREDENTIALS!, JSON.stringify(account));
  Object.assign(process.env, VARIABLES);
  const pi = await loadPiAi();
  vertex = pi.getModels('google-vertex')[0] as Model<Api>;
  bedrock = pi.getModels('amazon-bedrock').find(({ baseUrl }) => baseUrl.includes('us-east-1')) as Model<Api>;
});
beforeEach(() => {
  looked = [];
  // Whatever goes around the proxy ends on this computer.
  dns.lookup = ((host: string, ...rest: unknown[]) => {
    if (host !== '127.0.0.1') looked.push(host);
    (lookUp as (...all: unknown[]) => void)('127.0.0.1', ...rest);
  }) as typeof dns.lookup;
});
afterEach(async () => {
  dns.lookup = lookUp;
  delete process.env.HTTPS_PROXY;
  await Promise.all(proxies.map((proxy) => proxy.close()));
  proxies = [];
});
afterAll(async () => {
  await transport.close();
  for (const name of Object.keys(VARIABLES)) {
    delete process.env[name];
    if (before[name] !== undefined) process.env[name] = before[name];
  }
  rmSync(dir, { recursive: true, force: true });
});

async function proxyTo(port: number, refuses?: number): Promise<ProxyServer> {
  const proxy = await startProxyServer({ port, ...(refuses ? { refuses } : {}) });
  proxies.push(proxy);
  return proxy;
}
const linesOf = ({ asked }: ProxyServer): string[] => asked.map(({ line }) => line);
const over = ({ url }: ProxyServer): Proxies => ({ model: readProxyAddress(url), library: readProxyAddress(url) });
async function askOver(model: Model<Api>, ways: Proxies): Promise<ProviderOutcome> {
  return (await ask(transport, model, { options: { apiKey: '<authenticated>', maxTokens: 10 }, proxies: ways }))
    .outcome;
}

/** Gives out a token, and a reply to who brings it. */
function google(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume().on('end', () => {
    if (incoming.url?.endsWith('/token')) {
      outgoing.setHeader('content-type', 'application/json');
      return outgoing.end(JSON.stringify({ access_token: 'given', expires_in: 3600, token_type: 'Bearer' }));
    }
    const isKnown = incoming.headers.authorization === 'Bearer given';
    const part = { candidates: [{ content: { parts: [{ text: 'From afar.' }] }, finishReason: 'STOP' }] };
    outgoing.writeHead(isKnown ? 200 : 401, { 'content-type': 'text/event-stream' });
    outgoing.end(`data: ${JSON.stringify(part)}\n\n`);
  });
}

describe('WN25: Vertex AI', () => {
  const TOKEN = 'CONNECT oauth2.googleapis.com:443';
  const MODEL = 'CONNECT us-central1-aiplatform.googleapis.com:443';

  it('gets its token and its reply over the proxy, and this computer looks no name up', async () => {
    const server = await startTlsServer(google);
    const proxy = await proxyTo(server.port);
    const { message } = await askOver(vertex, over(proxy));
    expect(message).toMatchObject({ stopReason: 'stop', content: [{ text: 'From afar.' }] });
    expect(linesOf(proxy)).toEqual([TOKEN, MODEL]);
    expect(looked).toEqual([]);
    await server.close();
  });

  it('may be asked directly while its token is not, and the other way round', async () => {
    const server = await startTlsServer(google);
    const proxy = await proxyTo(server.port);
    const { library } = over(proxy);
    await askOver(vertex, { model: null, library });
    expect([linesOf(proxy), looked]).toEqual([[TOKEN], ['us-central1-aiplatform.googleapis.com']]);
    looked = [];
    await askOver(vertex, { model: library, library: null });
    expect(linesOf(proxy)).toEqual([TOKEN]);
    expect(new Set(looked)).toEqual(new Set(['oauth2.googleapis.com']));
    await server.close();
  });
});

describe('WN25: what stands in the environment', () => {
  it.each(['vertex', 'bedrock'] as const)('%s: requests at once go each its own way, “none” included', async (name) => {
    const model = name === 'vertex' ? vertex : bedrock;
    const ofEnvironment = await proxyTo(9, 403);
    const [one, two] = [await proxyTo(9, 403), await proxyTo(9, 403)];
    process.env.HTTPS_PROXY = ofEnvironment.url;
    const outcomes = await Promise.all([
      askOver(model, over(one)),
      askOver(model, NO_PROXIES),
      askOver(model, over(two)),
      askOver(model, NO_PROXIES),
    ]);
    expect(outcomes.map(({ message }) => message.stopReason)).toEqual(Array.from({ length: 4 }, () => 'error'));
    expect([linesOf(one).length, linesOf(two).length]).toEqual([1, 1]);
    expect(linesOf(ofEnvironment)).toEqual([]);
    expect(new Set(looked).size).toBe(1);
    expect(process.env.HTTPS_PROXY).toBe(ofEnvironment.url);
  });

  it.each(['vertex', 'bedrock'] as const)('%s: a proxy that answers itself, or is down, is named', async (name) => {
    const model = name === 'vertex' ? vertex : bedrock;
    for (const status of [407, 403]) {
      const proxy = await proxyTo(9, status);
      const withName = { ...proxy, url: proxy.url.replace('//', '//me:wr0ng-word@') };
      const { message, wire } = await askOver(model, over(withName));
      expect(message.errorMessage).toBe(
        `The connection through the proxy could not be made. ${proxy.url} answered in the provider’s place. If it asks for a name and a password, set HTTPS_PROXY with both.`,
      );
      expect([wire.failure?.kind, isTransient(message, wire), linesOf(proxy).length]).toEqual(['proxy', false, 1]);
      expect(isTransient(message)).toBe(false);
    }
    const gone = await startProxyServer({ port: 9 });
    await gone.close();
    const { message, wire } = await askOver(model, over(gone));
    expect(message.errorMessage).toContain(`It is ${gone.url} (ECONNREFUSED).`);
    expect(isTransient(message, wire)).toBe(true);
  });
});
