import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_PROXIES } from '../../../src/main/network/proxy-fetch';
import { readProxyAddress } from '@shared/policy/addresses';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { openStoreBench, type StoreBench } from '../../support/journal';
import { sentContext, type CapturedRequest } from '../../support/model-server';
import { startProxyServer, type ProxyServer } from '../../support/proxy-server';

/** All that a session sends, to a host that nobody but the proxy knows (WN25). */
const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
let harness: Harness;
let bench: StoreBench;
let host: SessionHost;
let proxy: ProxyServer;

const systemOf = (request: CapturedRequest): string => sentContext(request).system;
const isSummary = (request: CapturedRequest): boolean => systemOf(request).startsWith('You write summaries');
const isTitle = (request: CapturedRequest): boolean => /\btitle\b/i.test(systemOf(request)) && !isSummary(request);

beforeEach(async () => {
  harness = await startHarness({ settings: { 'compaction.keepRecentTokens': 500, 'retry.maxRetries': 3 } });
  bench = await openStoreBench();
  host = new SessionHost({ ...harness.ports, store: bench.store, sessionsDir: bench.dir, scratchDir: bench.dir });
  harness.server.script((request) =>
    isTitle(request) ? 'Walks in the garden' : isSummary(request) ? '## Goal\nWalk.' : WORDS,
  );
  proxy = await startProxyServer({ port: Number(new URL(harness.server.url).port), password: 'me:s3cret-word' });
  for (const model of harness.models.all)
    model.baseUrl = model.baseUrl.replace(harness.server.url, 'http://models.test');
});
afterEach(async () => {
  await host.dispose();
  await bench.dispose();
  await harness.close();
  await proxy.close();
});

function goOver(password: string): void {
  const address = readProxyAddress(proxy.url.replace('//', `//me:${password}@`));
  harness.models.proxies = { model: address, library: address };
}

/** Three turns, and the title that was made of them. */
async function talk() {
  const { id } = await host.create({ workspace: harness.dir });
  const session = await host.session(id);
  for (let turn = 0; turn < 3; turn++) {
    await session.prompt(promptOf(`Question ${turn}: ${WORDS}`));
    await harness.settled(turn + 1);
  }
  await expect.poll(() => host.summary(id).title).toBe('Walks in the garden');
  return session;
}

describe('WN25: a session behind a proxy', () => {
  it('sends replies, its title and its summary over it', async () => {
    goOver('s3cret-word');
    const session = await talk();
    await session.compact();
    const end = await harness.until('compaction_end');
    expect(end).not.toHaveProperty('failure');
    const { requests } = harness.server;
    expect([requests.filter(isTitle).length, requests.filter(isSummary).length > 0]).toEqual([1, true]);
    expect(requests.length).toBeGreaterThanOrEqual(5);
    expect(proxy.asked).toHaveLength(requests.length);
  });

  it('asks a proxy that refuses its password once, and names it, not the password', async () => {
    goOver('wr0ng-word');
    const { id } = await host.create({ workspace: harness.dir });
    await (await host.session(id)).prompt(promptOf('Are you there?'));
    await harness.settled();
    expect(proxy.asked).toHaveLength(1);
    expect(JSON.stringify(harness.events)).toContain(`${proxy.url} asks for a name and a password`);
    expect(JSON.stringify(harness.events)).not.toContain('wr0ng-word');
    expect(harness.server.requests).toEqual([]);
  });

  it('asks it once for a summary too, however many models could write one; one that needs no proxy still does', async () => {
    goOver('s3cret-word');
    const session = await talk();
    const [first, ...others] = harness.models.all.map(({ provider, id: modelId }) => ({ provider, modelId }));
    harness.settings['compaction.fallbackModels'] = others.map(({ provider, modelId }) => `${provider}/${modelId}`);
    goOver('wr0ng-word');
    const before = [proxy.asked.length, harness.server.requests.length];
    await session.compact();
    const end = await harness.until('compaction_end');
    expect(JSON.stringify(end)).toContain(`${proxy.url} asks for a name and a password`);
    expect([proxy.asked.length, harness.server.requests.length]).toEqual([before[0]! + 1, before[1]]);
    const resolve = harness.models.resolve.bind(harness.models);
    harness.models.resolve = async (ref) => {
      const found = await resolve(ref);
      if (!found.ok || ref.provider === first!.provider) return found;
      const baseUrl = found.model.baseUrl.replace('http://models.test', harness.server.url);
      return { ...found, model: { ...found.model, baseUrl }, proxies: NO_PROXIES };
    };
    await session.compact();
    await harness.until('compaction_end', (event) => event !== end);
    expect(harness.server.requests.filter(isSummary)).toHaveLength(1);
    expect(proxy.asked).toHaveLength(before[0]! + 2);
  });
});
