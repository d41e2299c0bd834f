import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logFailures } from '../../../src/main/agent/log-failures';
import type { FailedRequest, StreamTransport } from '../../../src/main/agent/stream/types';
import { callRemote, remoteSummarizer } from '../../../src/main/compaction/remote';
import type { Route } from '../../../src/main/network/proxy-route';
import { readProxyAddress } from '@shared/policy/addresses';
import { startProxyServer, type ProxyOptions, type ProxyServer } from '../../support/proxy-server';
import { startTlsServer } from '../../support/tls-server';

/** The person's own summary endpoint behind a proxy: over a tunnel, as it is in earnest, and in the clear (WN25). */
/** In the clear it can be on this computer alone. */
const ENDPOINTS = ['https://models.test/s', 'http://127.0.0.1:9/s'];
const checksCertificates = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
let opened: { close(): Promise<void> }[] = [];
let noted: FailedRequest[] = [];

beforeEach(() => {
  noted = [];
});
afterEach(async () => {
  if (checksCertificates === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = checksCertificates;
  await Promise.all(opened.map((one) => one.close()));
  opened = [];
});

async function proxyWith(options: Partial<ProxyOptions>): Promise<ProxyServer> {
  const proxy = await startProxyServer({ port: 9, ...options });
  opened.push(proxy);
  return proxy;
}

async function summarize(endpoint: string, proxyUrl: string, signal = new AbortController().signal): Promise<string> {
  const route: Route = { kind: 'proxy', proxy: readProxyAddress(proxyUrl)! };
  const settings = { 'compaction.remoteEndpoint': endpoint, 'compaction.remoteTimeoutMs': 10_000 };
  const summarizer = (await remoteSummarizer(settings, 'rk-secret-key', () => Promise.resolve(route)))!;
  const note = (_model: unknown, facts: FailedRequest): void => void noted.push(facts);
  return (await callRemote({ systemPrompt: 'Sum up', body: 'words' }, summarizer, signal, note)).text;
}
const failureOf = (endpoint: string, proxyUrl: string): Promise<string> =>
  summarize(endpoint, proxyUrl).then(
    () => 'none',
    (error: Error) => error.message,
  );

describe('WN25: a summary endpoint behind a proxy', () => {
  it('with https is reached through a tunnel, in which the proxy reads nothing', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const keys: unknown[] = [];
    const server = await startTlsServer((incoming, outgoing) => {
      keys.push(incoming.headers.authorization);
      incoming.resume().on('end', () => outgoing.end('{"summary":"All of it."}'));
    });
    opened.push(server);
    const proxy = await proxyWith({ port: server.port });
    expect(await summarize('https://models.test/s', proxy.url)).toBe('All of it.');
    expect(keys).toEqual(['Bearer rk-secret-key']);
    expect(proxy.asked).toEqual([{ line: 'CONNECT models.test:443', authorization: undefined }]);
  });

  it.each(ENDPOINTS)('%s: a proxy that wants a password is named, without the one it got', async (endpoint) => {
    const proxy = await proxyWith({ password: 'me:s3cret-word' });
    const said = await failureOf(endpoint, proxy.url.replace('//', '//me:wr0ng-word@'));
    expect(said).toBe(
      `Remote compaction failed. The connection through the proxy could not be made. ${proxy.url} asks for a name and a password: set HTTPS_PROXY with both.`,
    );
    expect(noted).toEqual([{ kind: 'proxy', code: 'PROXY_AUTHENTICATION' }]);
    expect(proxy.asked).toHaveLength(1);
  });

  it('one that opens no tunnel, or is down, is named too, and stands in the log as one', async () => {
    for (const status of [403, 502]) {
      const proxy = await proxyWith({ refuses: status });
      expect(await failureOf('https://models.test/s', proxy.url)).toContain(`It is ${proxy.url} (HTTP_${status}).`);
    }
    const gone = await startProxyServer({ port: 9 });
    await gone.close();
    for (const endpoint of ENDPOINTS)
      expect(await failureOf(endpoint, gone.url)).toContain(`It is ${gone.url} (ECONNREFUSED).`);
    expect(noted.map(({ kind, code }) => `${kind} ${code}`)).toEqual([
      ...['proxy HTTP_403', 'proxy HTTP_502', 'proxy ECONNREFUSED', 'proxy ECONNREFUSED'],
    ]);
    const lines: string[] = [];
    const log = { warn: (line: string) => void lines.push(line) };
    logFailures({} as StreamTransport, log).noteFailure!({ provider: 'remote', modelId: 'models.test' }, noted[0]!);
    expect(lines[0]).toContain('kind proxy, code "HTTP_403"');
  });

  it('what the endpoint itself answers is its own, and a cancel is none of the proxy’s', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const server = await startTlsServer((incoming, outgoing) => {
      incoming.resume().on('end', () => outgoing.writeHead(503).end('Busy.'));
    });
    opened.push(server);
    const proxy = await proxyWith({ port: server.port });
    expect(await failureOf('https://models.test/s', proxy.url)).toBe('Remote compaction failed (503)');
    const controller = new AbortController();
    const summary = summarize('https://models.test/s', proxy.url, controller.signal);
    controller.abort();
    await expect(summary).rejects.toMatchObject({ name: 'SummaryAborted' });
    expect(noted).toEqual([{ status: 503, kind: 'server-error' }]);
  });
});
