import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultSettings } from '@shared/settings';
import { testKey } from '../../../src/main/agent/key-test';
import type { ConsentQuestion } from '../../../src/main/consent/consent';
import { openCredentials } from '../../../src/main/models/credentials';
import { openEndpoints } from '../../../src/main/models/endpoints';
import { KeyGuard } from '../../../src/main/models/key-guard';
import { modelsToTest, Registry } from '../../../src/main/models/registry';
import { endpointOn } from '../../support/e2e/loopback';
import { createInlineTransport } from '../../support/inline-transport';
import { startModelServer, type ModelServer, type Wire } from '../../support/model-server';
import { goDirectly } from '../../support/no-proxy';

const KEY = 'sk-pasted-0123456789abcdef';
const NOWHERE = 'http://127.0.0.1:9';
const vault = { available: () => false, encrypt: (text: string) => text, decrypt: (text: string) => text };

let dir: string;
let server: ModelServer;
/** Another provider that the person has: nothing may come here. */
let other: ModelServer;
let asked: ConsentQuestion[];
let answer: string | null;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'espalier-key-test-'));
  [server, other] = await Promise.all([startModelServer(), startModelServer()]);
  asked = [];
  answer = null;
});
afterEach(async () => {
  expect(other.requests).toEqual([]);
  await Promise.all([server.close(), other.close()]);
  await rm(dir, { recursive: true, force: true });
});

async function open(wire: Wire = 'completions', models?: string[]) {
  const credentials = await openCredentials(join(dir, 'credentials.json'), vault);
  const endpoints = await openEndpoints(join(dir, 'endpoints.json'), credentials);
  const registry = new Registry({
    findRoute: goDirectly,
    environment: {},
    credentials,
    endpoints,
    settings: defaultSettings,
    localAddresses: { ollama: NOWHERE, lmstudio: NOWHERE, llamacpp: NOWHERE },
    onChange: () => undefined,
  });
  const endpoint = endpointOn(server.url, 'named', wire);
  const [model] = endpoint.models;
  await registry.saveEndpoint({ ...endpoint, models: models?.map((id) => ({ ...model!, id })) ?? endpoint.models });
  await registry.saveEndpoint(endpointOn(other.url, 'other', wire));
  const transport = createInlineTransport();
  const guard = new KeyGuard({
    registry,
    endpoints,
    credentials,
    hasSessions: () => Promise.resolve(true),
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(answer);
    },
    sendTest: (test) => testKey(test, transport),
  });
  return { guard, registry, credentials, transport };
}

describe('WN16: a key is tested with a small request', () => {
  it.each(['completions', 'responses', 'messages'] as const)('over %s: it works, and nothing is kept', async (wire) => {
    const { guard, credentials } = await open(wire);
    server.script('Yes.');
    expect(await guard.testKey('named', `  ${KEY}  `)).toEqual({
      ok: true,
      message: 'The key works: loopback answered.',
    });
    expect(server.requests).toHaveLength(1);
    const [{ wire: seen, headers, body }] = server.requests as [ModelServer['requests'][number]];
    expect(seen).toBe(wire);
    expect(JSON.stringify(headers)).toContain(KEY);
    expect(JSON.stringify(body).length).toBeLessThan(1000);
    expect(credentials.source('named')).toBe('none');
    // On this computer, and nothing of a session in it.
    expect(asked).toEqual([]);
  });

  it('refuses a wrong one in words, without the key that the server repeats', async () => {
    const { guard } = await open();
    server.script({ error: { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}` } } } });
    const { ok, message } = await guard.testKey('named', KEY);
    expect(ok).toBe(false);
    expect(message).toMatch(/^Loopback named refused the key\. Make sure it is complete and still valid\./);
    server.script({ error: { status: 418, body: { error: { message: `Teapot for ${KEY} \u202egnp` } } } });
    const odd = await guard.testKey('named', KEY);
    expect(odd.ok).toBe(false);
    expect(odd.message).toContain('Teapot');
    expect(odd.message).not.toContain(KEY);
    expect(odd.message).not.toContain('\u202e');
    expect(server.requests).toHaveLength(2);
  });

  it('asks the next model where the first is unknown there, three at most', async () => {
    const { guard } = await open('completions', ['gone', 'gone-too', 'here', 'never']);
    const known = new Set(['here', 'never']);
    const missing = { error: { message: 'The model does not exist', code: 'model_not_found' } };
    server.script(({ body }) => (known.has(String(body.model)) ? 'Yes.' : { error: { status: 404, body: missing } }));
    expect(await guard.testKey('named', KEY)).toEqual({ ok: true, message: 'The key works: here answered.' });
    known.delete('here');
    expect(await guard.testKey('named', KEY)).toMatchObject({
      ok: false,
      message: expect.stringContaining("doesn't know the model “here”"),
    });
    expect(server.requests.map(({ body }) => body.model)).toEqual([
      'gone',
      'gone-too',
      'here',
      'gone',
      'gone-too',
      'here',
    ]);
  });

  it('can be stopped while the server is silent, and a second test ends the first', async () => {
    const { guard } = await open();
    server.script({ hostile: 'hang-before-headers' });
    const first = guard.testKey('named', KEY);
    await server.received(1);
    const second = guard.testKey('named', KEY);
    expect(await first).toEqual({ ok: false, message: 'Cancelled. The key is not tested.' });
    await server.received(2);
    guard.stopKeyTest();
    expect(await second).toEqual({ ok: false, message: 'Cancelled. The key is not tested.' });
    await server.requests[1]?.closed;
  });

  it('ends by itself', async () => {
    const { registry, transport } = await open();
    server.script({ hostile: 'hang-before-headers' });
    const result = await testKey(
      {
        key: KEY,
        provider: 'Named',
        models: await registry.modelsToTest('named'),
        resolve: (model) => registry.resolveWith(model, KEY),
        signal: new AbortController().signal,
      },
      transport,
      1000,
    );
    expect(result).toEqual({ ok: false, message: 'Named did not answer within 1 seconds. The key is not tested.' });
  });

  it('says who is not there, and what is no key, before anything is sent', async () => {
    const { guard } = await open();
    await expect(guard.testKey('nobody', KEY)).rejects.toThrow('This provider no longer exists. Nothing was sent.');
    await expect(guard.testKey('named', 'two words')).rejects.toThrow(/can’t contain spaces/);
    expect(server.requests).toEqual([]);
  });

  it('asks before a key goes where it can be read on the way; a no sends nothing', async () => {
    const { guard, registry } = await open();
    await registry.saveEndpoint({ ...endpointOn('http://lab.invalid', 'open'), name: 'Open' });
    await expect(guard.testKey('open', KEY)).rejects.toThrow('Cancelled. Nothing was sent.');
    expect(asked).toMatchObject([{ kind: 'key-test', subject: 'Open, http://lab.invalid' }]);
    answer = 'yes';
    expect(await guard.testKey('open', KEY)).toMatchObject({
      ok: false,
      message: expect.stringContaining("Open can't be reached"),
    });
  });
});

it('WN16: the model of new sessions is asked first, then the cheapest', () => {
  const model = (id: string, input: number) =>
    ({ id, cost: { input, output: 0, cacheRead: 0, cacheWrite: 0 } }) as never;
  const models = [model('dear', 9), model('fair', 3), model('cheap', 1)];
  const ids = (preferred?: string): string[] => modelsToTest(models, preferred).map(({ id }) => id);
  expect(ids()).toEqual(['cheap', 'fair', 'dear']);
  expect(ids('fair')).toEqual(['fair', 'cheap', 'dear']);
});
