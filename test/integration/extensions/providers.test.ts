import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultSettings } from '@shared/settings';
import { commandSource } from '../../../src/main/extensions/host/sources';
import { modelCaller } from '../../../src/main/extensions/host/model-calls';
import { openCredentials } from '../../../src/main/models/credentials';
import { openEndpoints } from '../../../src/main/models/endpoints';
import { checkProvider } from '../../../src/main/models/extension-providers';
import { Registry } from '../../../src/main/models/registry';
import { endpointOn } from '../../support/e2e/loopback';
import { type RunningHost, runExtensions } from '../../support/extension-runner';
import { createInlineTransport } from '../../support/inline-transport';
import { startModelServer, type ModelServer } from '../../support/model-server';
import { goDirectly } from '../../support/no-proxy';

/** Providers of extensions: the production host and registry, real provider code, loopback server (EX25). */

let host: RunningHost;
let server: ModelServer;
let registry: Registry;
const NOWHERE = 'http://127.0.0.1:9';
const vault = { available: () => false, encrypt: (text: string) => text, decrypt: (text: string) => text };

beforeEach(async () => {
  server = await startModelServer();
  const dir = mkdtempSync(join(tmpdir(), 'providers-'));
  const credentials = await openCredentials(join(dir, 'credentials.json'), vault);
  registry = new Registry({
    findRoute: goDirectly,
    environment: { MY_KEY: 'sk-of-the-person' },
    credentials,
    endpoints: await openEndpoints(join(dir, 'endpoints.json'), credentials),
    settings: defaultSettings,
    localAddresses: { ollama: NOWHERE, lmstudio: NOWHERE, llamacpp: NOWHERE },
    onChange: () => undefined,
  });
  await registry.load();
});
afterEach(async () => {
  host?.runner.close();
  await server.close();
});

const MODEL = `{ id: 'm', name: 'M', reasoning: false, input: ['text'], cost: { input: 1, output: 2 }, contextWindow: 128000, maxTokens: 4096 }`;
const CONFIG = (): string =>
  `{ name: 'Acme AI', baseUrl: '${server.url}/v1', api: 'openai-completions', models: [${MODEL}]`;
const run = async (files: Record<string, string>): Promise<void> => {
  const transport = createInlineTransport();
  host = await runExtensions(files, {
    whyNoProvider: (id) => (registry.isTaken(id) ? 'There is one of this name already.' : null),
    callModel: modelCaller(registry, transport),
  });
  const set = (): void => registry.setExtensionProviders(host.runner.providers());
  host.runner.onChange(set);
  set();
};
const brought = () => registry.providers().filter(({ kind }) => kind === 'extension');
const errors = async (name: string) => ((await host.view(name))?.errors ?? []).map(({ error }) => error);
const ref = { provider: 'acme', modelId: 'm' };

it('EX25: its models are in the list with its name, and are asked with the key that it brings, which no list has', async () => {
  await run({
    'acme.ts': `export default (pi: any) => {
      pi.registerProvider('acme', ${CONFIG()}, apiKey: 'sk-its-own', headers: { 'X-Team': 'a', 'X-Secret': '$MY_KEY' } });
      pi.registerCommand('gone', { handler: () => pi.unregisterProvider('acme') });
    };`,
  });
  expect(brought()).toMatchObject([
    { id: 'acme', name: 'Acme AI', extension: 'acme', available: true, keySource: 'notNeeded', models: [{ modelId: 'm', name: 'M' }] },
  ]); // prettier-ignore
  expect(JSON.stringify([registry.providers(), await host.runner.list()])).not.toContain('sk-its-own');
  server.script(['Hello.']);
  const call = modelCaller(registry, createInlineTransport());
  const request = {
    model: { provider: 'acme', id: 'm' },
    context: { messages: [{ role: 'user', content: 'Go', timestamp: 1 }] },
  };
  const reply = (await call(request, () => undefined, new AbortController().signal)) as { stopReason: string };
  expect(reply.stopReason).toBe('stop');
  expect(server.requests[0]!.headers).toMatchObject({ authorization: 'Bearer sk-its-own', 'x-team': 'a' });
  expect(JSON.stringify(server.requests[0]!.headers)).not.toContain('sk-of-the-person');
  await commandSource(host.runner).run(host.sessionId, 'gone', '');
  await expect.poll(brought).toEqual([]);
  expect(await registry.resolve(ref)).toMatchObject({ ok: false });
});

it('EX25: a key that names a variable is the person’s to enter, for this address alone', async () => {
  await run({ 'acme.ts': `export default (pi: any) => pi.registerProvider('acme', ${CONFIG()}, apiKey: '$MY_KEY' });` });
  const found = await registry.resolve(ref);
  expect(JSON.stringify(found)).not.toContain('sk-of-the-person');
  await registry.setKey('acme', 'sk-entered', 'session');
  expect(await registry.resolve(ref)).toMatchObject({ ok: true, apiKey: 'sk-entered' });
  registry.setExtensionProviders(host.runner.providers().map((each) => ({ ...each, baseUrl: 'https://evil.example/v1', models: each.models.map((model) => ({ ...model, baseUrl: 'https://evil.example/v1' })) })));
  expect(JSON.stringify(await registry.resolve(ref))).not.toContain('sk-entered');
}); // prettier-ignore

it('EX25: a name of ours, or of the person’s endpoint, is refused: no key follows an extension elsewhere', async () => {
  await registry.saveEndpoint(endpointOn(server.url, 'mine', 'completions'));
  await run({
    'bad.ts': `export default (pi: any) => {
      for (const id of ['anthropic', 'ollama', 'mine', 'demo']) pi.registerProvider(id, ${CONFIG()} });
    };`,
  });
  expect(brought()).toEqual([]);
  expect(await errors('bad')).toEqual(['There is one of this name already.']);
  // One that the person adds later wins as well.
  const [provider] = [checkProvider('x', 'late', { baseUrl: server.url, api: 'openai-completions', models: [{ id: 'm' }] })];
  registry.setExtensionProviders(provider?.ok ? [provider.value] : []);
  expect(brought()).toHaveLength(1);
  await registry.saveEndpoint(endpointOn(server.url, 'late', 'completions'));
  expect(brought()).toEqual([]);
}); // prettier-ignore

it('EX25: a list that its server gives comes later', async () => {
  await run({
    'live.ts': `export default (pi: any) => pi.registerProvider('acme', {
      ...${CONFIG()} }, models: undefined, apiKey: 'x',
      refreshModels: async ({ signal }: any) => (signal.throwIfAborted(), [${MODEL}]),
    });`,
  });
  await expect.poll(() => brought().map(({ models }) => models.map(({ modelId }) => modelId))).toEqual([['m']]);
});

it.each([
  [{ streams: true }, /streams by code of its own/],
  [{ oauth: true }, /sign-in of its own/],
  [{ baseUrl: 'file:///etc' }, /not an address/],
  [{ models: [] }, /names no models/],
  [{ api: 'made-up' }, /None of its models/],
  [{ models: [{ id: 'm', baseUrl: 'https://other.example' }] }, /None of its models/],
  [{ baseUrl: 'http://example.com', apiKey: 'sk' }, /unencrypted/],
  [{ id: 'a/b' }, /Its name/],
])('EX25: %j is not offered, and that is said', (more: Record<string, unknown>, words) => {
  const config = { baseUrl: 'https://acme.example/v1', api: 'openai-completions', models: [{ id: 'm' }], ...more };
  const checked = checkProvider('x', String(more.id ?? 'acme'), config);
  expect(checked).toMatchObject({ ok: false, problem: expect.stringMatching(words) });
});
