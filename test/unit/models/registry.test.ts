import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REQUESTS } from '@shared/ipc/contract';
import type { EndpointDraft, ProviderInfo } from '@shared/types';
import { defaultSettings, REMOTE_KEY_NAME, type Settings } from '@shared/settings';
import { openCredentials } from '../../../src/main/models/credentials';
import { testEndpoint } from '../../../src/main/models/endpoint-test';
import { checkEndpoint, openEndpoints } from '../../../src/main/models/endpoints';
import { defaultLocalAddresses, findLocalServers } from '../../../src/main/models/local-servers';
import { createRoutes } from '../../../src/main/network/proxy-route';
import { Registry } from '../../../src/main/models/registry';
import { goDirectly } from '../../support/no-proxy';

const noKeyring = { available: () => false, encrypt: (text: string) => text, decrypt: (text: string) => text };
const NOWHERE = 'http://127.0.0.1:9';
let servers: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
function json(routes: Record<string, unknown>): RequestListener {
  return (request, response) => {
    const found = routes[request.url ?? ''];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { error: 'not found' }));
  };
}
afterEach(() => {
  for (const server of servers) server.close();
  servers = [];
});

const endpoint: EndpointDraft = {
  id: 'lab',
  name: 'Lab',
  api: 'openai-completions',
  baseUrl: 'http://127.0.0.1:4000/v1',
  headers: { 'X-Team': 'tree', Authorization: 'Bearer hidden-value' },
  models: [{ id: 'oak', contextWindow: 8192, maxTokens: 1024, images: false, reasoning: false }],
};

describe('the registry', () => {
  let dir: string;
  let seen: ProviderInfo[] = [];
  async function open(set: Partial<Settings> = {}, environment: Record<string, string> = {}) {
    const credentials = await openCredentials(join(dir, 'credentials.json'), noKeyring);
    const endpoints = await openEndpoints(join(dir, 'endpoints.json'), credentials);
    const settings = { ...defaultSettings(), ...set };
    const registry = new Registry({
      findRoute: createRoutes({
        settings: () => settings,
        environment: {},
        askSystem: () => Promise.resolve('DIRECT'),
      }),
      environment,
      credentials,
      endpoints,
      settings: () => settings,
      localAddresses: { ollama: NOWHERE, lmstudio: NOWHERE, llamacpp: NOWHERE },
      onChange: (providers) => (seen = providers),
    });
    return { registry, settings, endpoints, credentials };
  }
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'espalier-models-'));
  });

  it('MO1, WN3: knows the demo model before anything is loaded, and every provider of pi-ai after', async () => {
    const { registry } = await open();
    expect(registry.providers().map(({ id }) => id)).toEqual(['demo']);
    await registry.load();
    const ids = registry.providers().map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['demo', 'anthropic', 'openai', 'google', 'openrouter', 'amazon-bedrock']),
    );
    const anthropic = registry.providers().find(({ id }) => id === 'anthropic');
    expect(anthropic?.models.find(({ modelId }) => modelId === 'claude-sonnet-4-5')).toMatchObject({
      contextWindow: expect.any(Number),
      cost: { input: 3, output: 15 },
    });
    expect(seen.length).toBe(ids.length);
  });

  it('resolves a key at each call, and says what is missing', async () => {
    const { registry } = await open();
    const ref = { provider: 'deepseek', modelId: '' };
    await registry.load();
    ref.modelId = registry.providers().find(({ id }) => id === 'deepseek')?.models[0]?.modelId ?? '';
    const before = await registry.resolve(ref);
    expect(before).toMatchObject({
      ok: false,
      failure: { title: 'No API key for DeepSeek', actions: ['settings', 'model', 'retry', 'dismiss'] },
    });
    await registry.setKey('deepseek', 'sk-test-key-1', 'session');
    expect(await registry.resolve(ref)).toMatchObject({ ok: true, apiKey: 'sk-test-key-1' });
    await registry.removeKey('deepseek');
    expect(await registry.resolve(ref)).toMatchObject({ ok: false });
    await expect(registry.setKey('deepseek', 'two words', 'session')).rejects.toThrow(/can’t contain spaces/);
  });

  it('WN25: Azure’s address is the environment’s: a request to it goes over the proxy, or not at all', async () => {
    const manual = { 'network.proxy': 'manual', 'network.proxyAddress': 'http://proxy.test:1' } as const;
    const azure = async (set: Partial<Settings>, environment: Record<string, string>) => {
      const { registry } = await open(set, environment);
      await registry.load();
      await registry.setKey('azure-openai-responses', 'az-key-1', 'session');
      const modelId = registry.providers().find(({ id }) => id === 'azure-openai-responses')!.models[0]!.modelId;
      return registry.resolve({ provider: 'azure-openai-responses', modelId });
    };
    const shown = 'http://proxy.test:1';
    expect(await azure(manual, { AZURE_OPENAI_RESOURCE_NAME: 'garden' })).toMatchObject({
      ...{ ok: true, proxies: { model: { shown }, library: { shown } } },
    });
    const except = { ...manual, 'network.noProxy': ['garden.openai.azure.com'] };
    expect(await azure(except, { AZURE_OPENAI_RESOURCE_NAME: 'garden' })).toMatchObject({
      ...{ ok: true, proxies: { model: null, library: null } },
    });
    for (const set of [manual, {}])
      expect(await azure(set, {})).toMatchObject({
        ok: false,
        failure: {
          title: 'No address for Azure OpenAI',
          detail: expect.stringContaining('AZURE_OPENAI_BASE_URL') as unknown,
        },
      });
    const socks = { ...manual, 'network.proxyAddress': 'socks5://s:1' };
    expect(await azure(socks, { AZURE_OPENAI_RESOURCE_NAME: 'garden' })).toMatchObject({
      ...{ ok: false, failure: { title: 'The proxy can’t be used' } },
    });
  });

  it('WN25: what Vertex asks for its token has a way of its own', async () => {
    const set = {
      ...{ 'network.proxy': 'manual', 'network.proxyAddress': 'http://proxy.test:1' },
      'network.noProxy': ['us-central1-aiplatform.googleapis.com'],
    } as const;
    const { registry } = await open(set as unknown as Partial<Settings>, { GOOGLE_CLOUD_LOCATION: 'us-central1' });
    await registry.load();
    const modelId = registry.providers().find(({ id }) => id === 'google-vertex')!.models[0]!.modelId;
    await registry.setKey('google-vertex', 'gcp-vertex-credentials', 'session');
    expect(await registry.resolve({ provider: 'google-vertex', modelId })).toMatchObject({
      ...{ ok: true, proxies: { model: null, library: { shown: 'http://proxy.test:1' } } },
    });
  });

  it('keeps the key of the summary endpoint apart: no provider has it, and no endpoint can take its name', async () => {
    const { registry, settings } = await open();
    await expect(registry.setKey(REMOTE_KEY_NAME, 'rk-secret-1', 'session')).rejects.toThrow(/endpoint’s address/);
    settings['compaction.remoteEndpoint'] = 'https://summaries.example/write';
    expect(registry.remoteKey()).toBeUndefined();
    await registry.setKey(REMOTE_KEY_NAME, ' rk-secret-1 ', 'session');
    expect(registry.remoteKey()).toBe('rk-secret-1');
    expect(JSON.stringify(registry.providers())).not.toMatch(/rk-secret-1|remoteAuth/);
    settings['compaction.remoteEndpoint'] = 'https://other.example/write';
    expect(registry.remoteKey()).toBeUndefined();
    settings['compaction.remoteEndpoint'] = 'https://summaries.example/elsewhere';
    expect(registry.remoteKey()).toBe('rk-secret-1');
    const params = REQUESTS['endpoints.save'].params.safeParse({ endpoint: { id: REMOTE_KEY_NAME } });
    expect(params.error?.issues.map(({ path }) => path.join('.'))).toContain('endpoint.id');
    await registry.removeKey(REMOTE_KEY_NAME);
    expect(registry.remoteKey()).toBeUndefined();
  });

  it('binds a key of an earlier version to the summary endpoint that is set at the start', async () => {
    await writeFile(
      join(dir, 'credentials.json'),
      JSON.stringify({ [REMOTE_KEY_NAME]: { kind: 'plain', value: 'rk' } }),
    );
    const { registry, settings } = await open({ 'compaction.remoteEndpoint': 'https://summaries.example/write' });
    expect(registry.remoteKey()).toBe('rk');
    settings['compaction.remoteEndpoint'] = 'https://other.example/write';
    expect(registry.remoteKey()).toBeUndefined();
  });

  it('sends a key of an earlier version to no summary endpoint if none is set at the start', async () => {
    const file = join(dir, 'credentials.json');
    await writeFile(file, JSON.stringify({ [REMOTE_KEY_NAME]: { kind: 'plain', value: 'rk' } }));
    const { registry, settings } = await open();
    settings['compaction.remoteEndpoint'] = 'https://other.example/write';
    expect(registry.remoteKey()).toBeUndefined();
    await expect.poll(() => readFile(file, 'utf8')).toContain('unknown');
    expect((await open(settings)).registry.remoteKey()).toBeUndefined();
  });

  it('tells of a model that was removed', async () => {
    const { registry } = await open();
    expect(await registry.resolve({ provider: 'anthropic', modelId: 'claude-0' })).toMatchObject({
      ok: false,
      failure: { title: 'claude-0 is not available', actions: ['model', 'retry', 'dismiss'] },
    });
  });

  it('MO2: keeps endpoints over a restart, without secret headers in the file', async () => {
    const first = await open();
    await first.registry.saveEndpoint(endpoint);
    expect(await first.registry.resolve({ provider: 'lab', modelId: 'oak' })).toMatchObject({
      ok: true,
      headers: { 'X-Team': 'tree', Authorization: 'Bearer hidden-value' },
    });
    const again = await open();
    expect(again.endpoints.get('lab')?.headers).toEqual({ 'X-Team': 'tree', Authorization: '' });
    expect(again.registry.find({ provider: 'lab', modelId: 'oak' })).toMatchObject({
      contextWindow: 8192,
      api: 'openai-completions',
    });
    await again.registry.removeEndpoint('lab');
    expect(again.registry.find({ provider: 'lab', modelId: 'oak' })).toBeUndefined();
  });

  it('an endpoint that is removed takes key and headers along, also where an old copy of them can’t be opened', async () => {
    const { registry, credentials, endpoints } = await open();
    await registry.saveEndpoint(endpoint);
    await registry.setKey('lab', 'sk-lab', 'plain');
    await symlink('x'.repeat(300), join(dir, 'credentials.json.bad-1'));
    await expect(registry.removeEndpoint('lab')).rejects.toThrow('credentials.json.bad-1 (ENAMETOOLONG). Remove that');
    expect([endpoints.get('lab'), credentials.source('lab')]).toEqual([undefined, 'none']);
    expect(await readFile(join(dir, 'credentials.json'), 'utf8')).toBe('{}\n');
    expect(registry.find({ provider: 'lab', modelId: 'oak' })).toBeUndefined();
  });

  it('TK8: learns a smaller window and keeps it', async () => {
    const { registry, endpoints } = await open();
    await registry.saveEndpoint(endpoint);
    registry.learnWindow({ provider: 'lab', modelId: 'oak' }, 900);
    expect(registry.effectiveWindow({ provider: 'lab', modelId: 'oak' })).toBe(8192);
    registry.learnWindow({ provider: 'lab', modelId: 'oak' }, 4096);
    // At once: the compaction that makes the session smaller begins before it is on disk.
    expect(registry.effectiveWindow({ provider: 'lab', modelId: 'oak' })).toBe(4096);
    await expect.poll(() => readFile(join(dir, 'endpoints.json'), 'utf8'), { timeout: 30_000 }).toContain('4096');
    expect(endpoints.learned('lab/oak')?.tokens).toBe(4096);
  });

  it('TK8: W is what was learned where nothing is configured, and 0 where nothing is known at all', async () => {
    const { registry, endpoints } = await open();
    const [oak] = endpoint.models;
    await registry.saveEndpoint({ ...endpoint, models: [{ ...oak!, contextWindow: 0, maxTokens: 0 }] });
    const ref = { provider: 'lab', modelId: 'oak' };
    expect(registry.effectiveWindow(ref)).toBe(0);
    registry.learnWindow(ref, 4096);
    await expect.poll(() => endpoints.learned('lab/oak')?.tokens, { timeout: 30_000 }).toBe(4096);
    expect(registry.effectiveWindow(ref)).toBe(4096);
    expect(registry.effectiveWindow({ provider: 'no', modelId: 'such' })).toBe(0);
  });

  it('finds a model as it is now: nothing stays of an endpoint that was changed or removed', async () => {
    const { registry } = await open();
    const ref = { provider: 'lab', modelId: 'oak' };
    expect(registry.find(ref)).toBeUndefined();
    await registry.saveEndpoint(endpoint);
    expect(registry.find(ref)?.contextWindow).toBe(8192);
    const [oak] = endpoint.models;
    await registry.saveEndpoint({ ...endpoint, models: [{ ...oak!, contextWindow: 16_384 }] });
    expect(registry.find(ref)?.contextWindow).toBe(16_384);
    await registry.removeEndpoint('lab');
    expect(registry.find(ref)).toBeUndefined();
  });

  it('safety A8: forgets a learned window after a week, on request, and when a larger request is answered', async () => {
    const ref = { provider: 'lab', modelId: 'oak' };
    const start = await open();
    await start.registry.saveEndpoint(endpoint);
    const file = join(dir, 'endpoints.json');
    let now = Date.UTC(2026, 0, 1);
    const openBook = () => openEndpoints(file, start.credentials, () => now);
    const book = await openBook();
    await book.learn('lab/oak', 4096);
    expect(book.learned('lab/oak')).toEqual({ tokens: 4096, at: now });
    // An earlier Espalier reads what it always read.
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ learnedWindows: { 'lab/oak': 4096 } });
    now += 6 * 24 * 3_600_000;
    expect((await openBook()).learned('lab/oak')?.tokens).toBe(4096);
    now += 24 * 3_600_000;
    expect([book.learned('lab/oak'), (await openBook()).learned('lab/oak')]).toEqual([undefined, undefined]);

    await start.endpoints.learn('lab/oak', 2048);
    start.registry.noteServed(ref, 2000);
    expect(start.registry.effectiveWindow(ref)).toBe(2048);
    start.registry.noteServed(ref, 5000);
    await expect.poll(() => start.registry.effectiveWindow(ref)).toBe(5000);
    const models = start.registry.providers().find(({ id }) => id === 'lab')?.models;
    expect(models?.[0]?.learnedWindow?.tokens).toBe(5000);
    await start.registry.forgetWindow(ref);
    expect(start.registry.effectiveWindow(ref)).toBe(8192);
  });

  it('safety A8: a window without a time counts from the update on, not from each start', async () => {
    const start = await open();
    const file = join(dir, 'endpoints.json');
    await writeFile(file, JSON.stringify({ endpoints: [], learnedWindows: { 'lab/oak': 4096, '__proto__/x': 2048 } }));
    let now = Date.UTC(2026, 0, 1);
    const first = await openEndpoints(file, start.credentials, () => now);
    expect(first.learned('lab/oak')).toEqual({ tokens: 4096, at: now });
    await expect
      .poll(async () => (JSON.parse(await readFile(file, 'utf8')) as { learnedAt?: object }).learnedAt)
      .toBeDefined();
    now += 8 * 24 * 3_600_000;
    expect((await openEndpoints(file, start.credentials, () => now)).learned('lab/oak')).toBeUndefined();
  });

  it('starts new sessions with the default of the settings, else with the demo', async () => {
    const { registry, settings } = await open();
    expect(registry.initialModel()).toEqual({ provider: 'demo', modelId: 'demo' });
    settings['model.default'] = 'openrouter/meta/llama';
    expect(registry.initialModel()).toEqual({ provider: 'openrouter', modelId: 'meta/llama' });
  });
});

describe('a bad endpoint', () => {
  it.each([
    [{ baseUrl: 'nowhere' }, /not an address/],
    [{ baseUrl: 'ftp://host/v1' }, /https/],
    [{ baseUrl: 'https://me:secret@host/v1' }, /key field/],
    [{ models: [] }, /at least one model/],
    [{ models: [...endpoint.models, ...endpoint.models] }, /listed twice/],
    [{ models: [{ ...endpoint.models[0]!, contextWindow: 100, maxTokens: 200 }] }, /output limit/],
    [{ headers: { 'bad header': 'x' } }, /not a header name/],
    [{ id: 'openai' }, /built-in/],
  ])('%j is refused with the reason', (patch, reason) => {
    expect(() => checkEndpoint({ ...endpoint, ...patch }, (id) => id === 'openai')).toThrow(reason);
  });
});

describe('the test button', () => {
  it('says that it works, and which models there are', async () => {
    const baseUrl = await serve(json({ '/models': { data: [{ id: 'oak' }, { id: 'elm' }] } }));
    expect(await testEndpoint({ ...endpoint, baseUrl }, 'key', {}, goDirectly)).toEqual({
      ok: true,
      message: 'It works and offers 2 models.',
      models: ['oak', 'elm'],
    });
  });
  it('asks for one token where there is no list', async () => {
    const baseUrl = await serve(json({ '/chat/completions': { choices: [] } }));
    expect(await testEndpoint({ ...endpoint, baseUrl }, undefined, {}, goDirectly)).toMatchObject({ ok: true });
  });
  it.each([
    [
      'a web page',
      (_q: unknown, r: { end(text: string): void }) => r.end('<!doctype html><title>Sign in</title>'),
      /web page/,
    ],
    [
      'a refused key',
      (_q: unknown, r: { writeHead(code: number): { end(): void } }) => r.writeHead(401).end(),
      /rejected the key/,
    ],
    [
      'a redirect',
      (_q: unknown, r: { writeHead(code: number, headers: object): { end(): void } }) =>
        r.writeHead(302, { location: '/x' }).end(),
      /redirects/,
    ],
    ['plain text', (_q: unknown, r: { end(text: string): void }) => r.end('hello'), /other than JSON/],
  ])('names %s', async (_case, listener, reason) => {
    const baseUrl = await serve(listener as unknown as RequestListener);
    const result = await testEndpoint({ ...endpoint, baseUrl }, 'key', {}, goDirectly);
    expect(result.ok).toBe(false);
    expect(result.message).toMatch(reason);
  });
  it('names a server that is not there', async () => {
    expect((await testEndpoint({ ...endpoint, baseUrl: NOWHERE }, 'key', {}, goDirectly)).message).toMatch(
      /Nothing answers|failed/,
    );
  });
});

describe('MO3: local servers', () => {
  it('are found with the windows they really give', async () => {
    const ollama = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const model = body ? (JSON.parse(body) as { model: string }).model : '';
        const answers: Record<string, unknown> = {
          '/api/tags': { models: [{ name: 'loaded' }, { name: 'configured' }, { name: 'plain' }] },
          '/api/ps': { models: [{ name: 'loaded', context_length: 16384 }] },
          '/api/show': {
            parameters: model === 'configured' ? 'stop "x"\nnum_ctx 8192' : '',
            capabilities: ['completion', 'vision'],
          },
        };
        response.end(JSON.stringify(answers[request.url ?? '']));
      });
    });
    const lmstudio = await serve(
      json({
        '/api/v0/models': {
          data: [
            { id: 'qwen', type: 'llm', max_context_length: 131072, loaded_context_length: 12000 },
            { id: 'embed', type: 'embeddings' },
          ],
        },
      }),
    );
    const llamacpp = await serve(
      json({
        '/props': { default_generation_settings: { n_ctx: 6144 } },
        '/v1/models': { data: [{ id: '/models/llama-3.gguf' }] },
      }),
    );
    const found = await findLocalServers({ ollama, lmstudio, llamacpp });
    const windows = Object.fromEntries(
      found.flatMap(({ models }) => models.map((model) => [model.name, model.contextWindow])),
    );
    expect(windows).toEqual({ loaded: 16384, configured: 8192, plain: 4096, qwen: 12000, 'llama-3': 6144 });
    expect(found[0]?.models[0]?.baseUrl).toBe(`${ollama}/v1`);
  });

  it('A2: whatever listens there, what it says is bounded', { timeout: 30_000 }, async () => {
    let [asked, most, open] = [0, 0, 0];
    const many = Array.from({ length: 20_000 }, (_, n) => ({ name: `model-${n}` }));
    const ollama = await serve((request, response) => {
      const isShow = request.url === '/api/show';
      if (isShow) [asked, open] = [asked + 1, open + 1];
      most = Math.max(most, open);
      // Not at once: others that are asked at the same time would be seen.
      setImmediate(() => {
        if (isShow) open -= 1;
        const show = { parameters: `${'\n'.repeat(200_000)}num_ctx 8192` };
        response.end(JSON.stringify(isShow ? show : { models: [{ name: 'x'.repeat(201) }, { name: 1 }, ...many] }));
      });
    });
    const lmstudio = await serve(
      json({ '/api/v0/models': { data: many.map(({ name: id }) => ({ id, type: 'llm', max_context_length: 1000 })) } }),
    );
    const [first, second] = await findLocalServers({ ollama, lmstudio, llamacpp: NOWHERE });
    expect(first?.models).toHaveLength(200);
    expect(first?.models[0]).toMatchObject({ id: 'model-0', contextWindow: 4096 });
    expect(asked).toBeLessThanOrEqual(200);
    expect(most).toBeLessThanOrEqual(4);
    expect(second?.models).toHaveLength(200);
  });

  it('are absent without a word when nothing listens', async () => {
    expect(await findLocalServers({ ollama: NOWHERE, lmstudio: NOWHERE, llamacpp: NOWHERE })).toEqual([]);
  });

  it('honour OLLAMA_HOST', () => {
    expect(defaultLocalAddresses({ OLLAMA_HOST: 'box:1234' }).ollama).toBe('http://box:1234');
    expect(defaultLocalAddresses({ OLLAMA_HOST: '0.0.0.0' }).ollama).toBe('http://127.0.0.1:11434');
    expect(defaultLocalAddresses({}).ollama).toBe('http://127.0.0.1:11434');
  });
});
