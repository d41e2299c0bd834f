import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainFailure } from '../../../src/main/agent/explain-failure';
import { isTransient } from '../../../src/main/agent/classify-error';
import { defaultLimits, type ProviderOutcome } from '../../../src/main/agent/stream/types';
import { callRemote, remoteSummarizer } from '../../../src/main/compaction/remote';
import { testEndpoint } from '../../../src/main/models/endpoint-test';
import type { Proxies } from '../../../src/main/network/proxy-fetch';
import type { Route } from '../../../src/main/network/proxy-route';
import type { Api, Model } from '../../../src/main/pi/pi-types';
import { readProxyAddress } from '@shared/policy/addresses';
import type { EndpointDraft } from '../../../src/shared/types';
import { createInlineTransport } from '../../support/inline-transport';
import { LOOPBACK_KEY, modelsFor, startModelServer, type ModelServer } from '../../support/model-server';
import { startProxyServer, type ProxyOptions, type ProxyServer } from '../../support/proxy-server';

/** Requests over a real proxy, through the real pi-ai, to a host that nobody but the proxy knows (WN25). */
const HOST = 'http://models.test';
const transport = createInlineTransport();
const opened: { close(): Promise<unknown> }[] = [];
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await transport.close();
  await Promise.all(opened.map((one) => one.close()));
  await server.close();
});

async function proxyTo(port: number, options: Omit<ProxyOptions, 'port'> = {}): Promise<ProxyServer> {
  const proxy = await startProxyServer({ port, ...options });
  opened.push(proxy);
  return proxy;
}
const portOf = (url: string): number => Number(new URL(url).port);
const proxyToModels = (options: Omit<ProxyOptions, 'port'> = {}): Promise<ProxyServer> =>
  proxyTo(portOf(server.url), options);

const over = (url: string): Proxies => ({ model: readProxyAddress(url)!, library: readProxyAddress(url)! });

function ask(model: Model<Api>, proxyUrl: string): Promise<ProviderOutcome> {
  const messages = [{ role: 'user' as const, content: 'Hello', timestamp: 0 }];
  const options = { maxTokens: 100, apiKey: LOOPBACK_KEY };
  const context = { systemPrompt: 'Be brief.', messages };
  return transport.stream({ model, context, options, limits: defaultLimits(100), proxies: over(proxyUrl) }).result();
}
const wordsOf = ({ message }: ProviderOutcome): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const shown = (outcome: ProviderOutcome): string => {
  const { title, detail } = explainFailure(outcome.message, outcome.wire, { name: 'Models', baseUrl: HOST });
  return `${title}. ${detail}`;
};

describe('WN25: a reply over a proxy', () => {
  it('comes whole and streaming on each wire, and the proxy alone was asked', async () => {
    const proxy = await proxyToModels();
    for (const model of Object.values(modelsFor({ url: HOST }))) {
      let goOn = (): void => undefined;
      const until = new Promise<void>((resolve) => (goOn = resolve));
      server.script([
        { text: 'Over the hills and far away.', chunkChars: 4, holdAt: { frame: 6, until } },
        'Beside it.',
      ]);
      const stream = transport.stream({
        ...{ model, context: { messages: [{ role: 'user', content: 'Hello', timestamp: 0 }] } },
        ...{ options: { maxTokens: 100, apiKey: LOOPBACK_KEY }, limits: defaultLimits(100) },
        proxies: over(proxy.url),
      });
      // The rest is not sent before the beginning is here, and another one is not kept waiting by it.
      let hasBegun = false;
      for await (const event of stream) {
        if (event.type !== 'text_delta' || hasBegun) continue;
        hasBegun = true;
        expect(wordsOf(await ask(model, proxy.url))).toBe('Beside it.');
        goOn();
      }
      expect(hasBegun).toBe(true);
      const outcome = await stream.result();
      expect(wordsOf(outcome), model.api).toBe('Over the hills and far away.');
      expect(outcome.wire).toMatchObject({ used: true, status: 200, endSeen: true });
      expect(server.requests.at(-1)!.headers.host).toBe('models.test');
    }
    expect(proxy.asked.map(({ line }) => line.replace(/^POST http:\/\/models\.test\//, ''))).toEqual([
      ...['v1/chat/completions', 'v1/chat/completions', 'v1/responses', 'v1/responses', 'v1/messages', 'v1/messages'],
    ]);
  });

  it('brings the name and password that the proxy wants, and shows them nowhere', async () => {
    const proxy = await proxyToModels({ password: 'me:s3cret-word' });
    const { completions } = modelsFor({ url: HOST });
    server.script('Let in.');
    expect(wordsOf(await ask(completions, proxy.url.replace('//', '//me:s3cret-word@')))).toBe('Let in.');
    const refused = await ask(completions, proxy.url.replace('//', '//me:wr0ng-word@'));
    expect(refused.wire.failure).toMatchObject({ kind: 'proxy', code: 'PROXY_AUTHENTICATION' });
    expect(JSON.stringify(refused)).not.toContain('wr0ng-word');
    expect(shown(refused)).toContain(`${proxy.url} asks for a name and a password: set HTTPS_PROXY with both.`);
  });

  it('to https goes through a tunnel: the proxy learns host and port alone', async () => {
    const proxy = await proxyToModels();
    const { completions } = modelsFor({ url: 'https://models.test' });
    const outcome = await ask(completions, proxy.url);
    expect(proxy.asked).toEqual([{ line: 'CONNECT models.test:443', authorization: undefined }]);
    // The server at its end speaks no TLS.
    expect(outcome.wire.failure?.kind).toBe('proxy');
    for (const status of [403, 407, 502]) {
      const closed = await proxyToModels({ refuses: status });
      const failed = await ask(completions, closed.url);
      const code = status === 407 ? 'PROXY_AUTHENTICATION' : `HTTP_${status}`;
      expect(failed.wire.failure).toMatchObject({ kind: 'proxy', code });
      expect(shown(failed)).toContain(closed.url);
    }
  });

  it('where the proxy is down says so, names it, and is tried again', async () => {
    const { url, close } = await startProxyServer({ port: 9 });
    await close();
    const outcome = await ask(modelsFor({ url: HOST }).completions, url);
    expect(shown(outcome)).toBe(
      `The proxy did not let the request through. The connection through the proxy could not be made. It is ${url} (ECONNREFUSED). Check it in Settings › Providers. Nothing is lost.`,
    );
    expect(isTransient(outcome.message, outcome.wire)).toBe(true);
  });

  it('is stopped like any other', async () => {
    const proxy = await proxyToModels();
    let open = (): void => undefined;
    const until = new Promise<void>((resolve) => (open = resolve));
    server.script({ text: 'A long story begins here', holdAt: { frame: 2, until } });
    const controller = new AbortController();
    const stream = transport.stream(
      {
        ...{ model: modelsFor({ url: HOST }).completions, limits: defaultLimits(100) },
        context: { messages: [{ role: 'user', content: 'Hello', timestamp: 0 }] },
        ...{ options: { maxTokens: 100, apiKey: LOOPBACK_KEY }, proxies: over(proxy.url) },
      },
      controller.signal,
    );
    for await (const event of stream) if (event.type === 'text_delta') controller.abort();
    expect((await stream.result()).message.stopReason).toBe('aborted');
    open();
  });
});

describe('WN25: what else goes to an address', () => {
  const routeOver =
    (url: string): (() => Promise<Route>) =>
    () =>
      Promise.resolve({ kind: 'proxy', proxy: readProxyAddress(url)! });
  const endpoint: EndpointDraft = {
    ...{ id: 'lab', name: 'Lab', baseUrl: `${HOST}/v1`, api: 'openai-completions', headers: {} },
    models: [
      { id: 'loopback', name: 'Loopback', contextWindow: 100_000, maxTokens: 1_000, images: false, reasoning: false },
    ],
  } as unknown as EndpointDraft;

  it('the test of an endpoint goes the same way, and says what is wrong with it', async () => {
    const proxy = await proxyToModels();
    expect(await testEndpoint(endpoint, LOOPBACK_KEY, {}, routeOver(proxy.url))).toMatchObject({ ok: true });
    expect(proxy.asked[0]!.line).toBe(`GET ${HOST}/v1/models`);
    const gone = await startProxyServer({ port: 9 });
    await gone.close();
    const failed = await testEndpoint(endpoint, LOOPBACK_KEY, {}, routeOver(gone.url));
    expect(failed).toMatchObject({ ok: false, message: expect.stringContaining(`It is ${gone.url}`) as unknown });
    const refused = await testEndpoint(endpoint, LOOPBACK_KEY, {}, () =>
      Promise.resolve({ kind: 'refused', detail: 'A SOCKS proxy can’t be used.' }),
    );
    expect(refused).toEqual({ ok: false, message: 'A SOCKS proxy can’t be used.', models: [] });
  });

  it('a summary by the person’s own endpoint does too', async () => {
    const bodies: string[] = [];
    const own: Server = createServer((incoming, outgoing) => {
      let body = '';
      incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
      incoming.on('end', () => {
        bodies.push(`${incoming.headers.authorization} ${body}`);
        outgoing.end(JSON.stringify({ summary: 'All of it.' }));
      });
    });
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const proxy = await proxyTo((own.address() as AddressInfo).port);
    const settings = { 'compaction.remoteEndpoint': 'http://127.0.0.1:9/s', 'compaction.remoteTimeoutMs': 10_000 };
    const summarizer = (await remoteSummarizer(settings, 'key', routeOver(proxy.url)))!;
    const reply = await callRemote({ systemPrompt: 'Sum up', body: 'words' }, summarizer, new AbortController().signal);
    expect(reply.text).toBe('All of it.');
    expect(bodies).toEqual(['Bearer key {"systemPrompt":"Sum up","prompt":"words"}']);
    expect(proxy.asked[0]!.line).toBe('POST http://127.0.0.1:9/s');
    const socks = await remoteSummarizer(settings, 'key', () => Promise.resolve({ kind: 'refused', detail: 'SOCKS.' }));
    await expect(callRemote({ systemPrompt: '', body: '' }, socks!, new AbortController().signal)).rejects.toThrow(
      'SOCKS.',
    );
    own.closeAllConnections();
    own.close();
  });
});
