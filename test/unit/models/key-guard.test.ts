import { createServer, type Server } from 'node:http';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EndpointDraft } from '@shared/types';
import { defaultSettings } from '@shared/settings';
import type { ConsentQuestion } from '../../../src/main/consent/consent';
import { openCredentials } from '../../../src/main/models/credentials';
import { openEndpoints } from '../../../src/main/models/endpoints';
import { KeyGuard } from '../../../src/main/models/key-guard';
import { Registry } from '../../../src/main/models/registry';
import { goDirectly } from '../../support/no-proxy';

const KEY = 'sk-canary-0123456789abcdef';
const HEADER = 'header-canary-0123456789abcdef';
const vault = {
  available: () => true,
  encrypt: (text: string) => Buffer.from(text).toString('base64'),
  decrypt: (text: string) => Buffer.from(text, 'base64').toString(),
};
const NOWHERE = 'http://127.0.0.1:9';
const lab: EndpointDraft = {
  id: 'lab',
  name: 'Lab',
  api: 'openai-completions',
  baseUrl: 'https://lab.example/v1',
  headers: { 'X-Api-Token': HEADER },
  models: [{ id: 'oak', contextWindow: 8192, maxTokens: 1024, images: false, reasoning: false }],
};

let dir: string;
let asked: ConsentQuestion[];
/** What the person says, one after the other; then no. */
let answers: (string | null)[];
let servers: Server[] = [];

async function open(hasSessions = false, isLoaded = true) {
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
  const guard = new KeyGuard({
    registry,
    endpoints,
    credentials,
    hasSessions: () => Promise.resolve(hasSessions),
    sendTest: () => Promise.reject(new Error('No key is tested here.')),
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(answers.shift() ?? null);
    },
  });
  if (isLoaded) await registry.load();
  return { guard, registry, endpoints, credentials };
}
async function saved(hasSessions = false) {
  const parts = await open(hasSessions);
  answers = ['yes'];
  await parts.guard.saveEndpoint(lab);
  await parts.registry.setKey('lab', KEY, 'encrypted');
  asked = [];
  return parts;
}
it('C4: an endpoint and its key are saved together, and a no to either question saves neither', async () => {
  const open_ = { ...lab, baseUrl: 'http://lab.example/v1' };
  const { guard, endpoints, credentials } = await open();
  for (const said of [['yes', null], [null]]) {
    answers = said;
    await expect(guard.saveEndpoint(open_, { key: KEY, keep: 'encrypted' })).rejects.toThrow('Nothing was changed');
    expect(endpoints.all()).toEqual([]);
    expect(credentials.addressOf('lab')).toBeUndefined();
  }
  expect(asked.map(({ kind }) => kind)).toEqual(['endpoint-address', 'key', 'endpoint-address']);
  answers = ['yes', 'yes'];
  await guard.saveEndpoint(open_, { key: KEY, keep: 'encrypted' });
  expect(endpoints.get('lab')?.baseUrl).toBe('http://lab.example/v1');
  expect(credentials.get('lab', 'http://lab.example')).toBe(KEY);
});

describe('C4, A5: a save that the disk or the keyring refuses destroys no key and no header', () => {
  const away = { ...lab, baseUrl: 'https://new.example/v1', headers: { 'X-Api-Token': 'new-header-value-0123456789' } };
  const file = (name: string): string => join(dir, name);
  const asLink = async (name: string): Promise<void> => {
    await rename(file(name), file(`${name}.real`)).catch(() => undefined);
    await symlink(file(`${name}.real`), file(name));
  };
  const asItWas = { to: lab.baseUrl, key: KEY, headers: { 'X-Api-Token': HEADER } };

  it.each(['endpoints.json', 'credentials.json'])('%s is a link', async (name) => {
    const { guard, registry } = await saved();
    const before = await Promise.all(['endpoints.json', 'credentials.json'].map((it) => readFile(file(it), 'utf8')));
    await asLink(name);
    for (const said of ['yes', 'with-key']) {
      const draft = said === 'yes' ? away : { ...away, headers: { 'X-Api-Token': '' } };
      answers = [said];
      await expect(
        guard.saveEndpoint(draft, said === 'yes' ? { key: 'another-key', keep: 'encrypted' } : undefined),
      ).rejects.toThrow(`${name} is a link`);
      expect(await sent(registry)).toEqual(asItWas);
    }
    expect(await Promise.all(['endpoints.json', 'credentials.json'].map((it) => readFile(file(it), 'utf8')))).toEqual(
      before,
    );
    expect(await sent((await open()).registry)).toEqual(asItWas);
  });

  it('there is no keyring any more: the endpoint keeps its address and its place', async () => {
    const { guard, registry, endpoints } = await saved();
    await guard.saveEndpoint({ ...lab, id: 'second', headers: {} });
    const available = vi.spyOn(vault, 'available').mockReturnValue(false);
    answers = ['yes'];
    await expect(guard.saveEndpoint(away, { key: 'another-key', keep: 'encrypted' })).rejects.toThrow('no keyring');
    available.mockReturnValue(true);
    expect(await sent(registry)).toEqual(asItWas);
    expect(endpoints.all().map(({ id }) => id)).toEqual(['lab', 'second']);
    answers = ['yes'];
    available.mockReturnValue(false);
    await expect(guard.saveEndpoint({ ...away, id: 'new' }, { key: 'k', keep: 'encrypted' })).rejects.toThrow(
      'keyring',
    );
    available.mockRestore();
    expect(endpoints.get('new')).toBeUndefined();
  });

  it('the endpoints could not be read at the start: the key stays, set aside or not', async () => {
    await saved();
    const kept = await readFile(file('credentials.json'), 'utf8');
    await writeFile(file('credentials.json.bad-1'), kept);
    await rm(file('endpoints.json'));
    await mkdir(file('endpoints.json'));
    const { guard, credentials } = await open();
    answers = ['yes'];
    await expect(guard.saveEndpoint(lab, { key: 'another-key', keep: 'encrypted' })).rejects.toThrow(
      'they are not overwritten',
    );
    expect(credentials.get('lab', 'https://lab.example')).toBe(KEY);
    for (const name of ['credentials.json', 'credentials.json.bad-1'])
      expect(await readFile(file(name), 'utf8')).toBe(kept);
  });
});

/** What a request to the endpoint would carry. */
async function sent(registry: Registry): Promise<unknown> {
  const resolved = await registry.resolve({ provider: 'lab', modelId: 'oak' });
  return resolved.ok
    ? { to: resolved.model.baseUrl, key: resolved.apiKey, headers: resolved.headers }
    : resolved.failure.title;
}
/** A server that notes the headers of every request and repeats them in what it answers. */
async function parrot(status: number): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(JSON.stringify(request.headers));
    response.writeHead(status, { 'content-type': 'application/json' });
    const { authorization = '', 'x-api-token': token = '' } = request.headers;
    response.end(JSON.stringify({ data: [{ id: `${authorization} ${String(token)}` }] }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'espalier-guard-'));
  asked = [];
  answers = [];
});
afterEach(() => {
  for (const server of servers) server.close();
  servers = [];
});

describe('an endpoint', () => {
  it('with an address that no saved one has is asked for, and not saved after a no', async () => {
    const { guard, endpoints } = await open();
    await expect(guard.saveEndpoint(lab)).rejects.toThrow('Cancelled. Nothing was changed.');
    expect(asked).toMatchObject([{ kind: 'endpoint-address', subject: 'https://lab.example' }]);
    expect(endpoints.all()).toEqual([]);
    answers = ['yes'];
    await guard.saveEndpoint(lab);
    expect(endpoints.get('lab')?.baseUrl).toBe('https://lab.example/v1');
  });

  it('keeps its address without a question: another path, other models, another endpoint there', async () => {
    const { guard } = await saved();
    await guard.saveEndpoint({ ...lab, baseUrl: 'https://lab.example/v2', headers: { 'X-Api-Token': '' } });
    await guard.saveEndpoint({ ...lab, id: 'lab-2', headers: {} });
    expect(asked).toEqual([]);
  });

  it('that moves keeps key and headers behind, unless they are sent along on purpose', async () => {
    const moved = { ...lab, baseUrl: 'https://evil.example/v1', headers: { 'X-Api-Token': '' } };
    const first = await saved();
    await expect(first.guard.saveEndpoint(moved)).rejects.toThrow('Cancelled.');
    expect(await sent(first.registry)).toMatchObject({
      to: 'https://lab.example/v1',
      key: KEY,
      headers: { 'X-Api-Token': HEADER },
    });
    expect(asked[0]?.facts).toContainEqual({
      label: 'Its key was entered for',
      value: 'https://lab.example',
      warn: true,
    });

    answers = ['yes'];
    await first.guard.saveEndpoint(moved);
    expect(await sent(first.registry)).toBe('The key for Lab was not sent');
    expect(first.registry.providers().find(({ id }) => id === 'lab')).toMatchObject({
      available: false,
      keySource: 'none',
      problem: expect.stringContaining('entered for https://lab.example'),
    });

    dir = await mkdtemp(join(tmpdir(), 'espalier-guard-'));
    const second = await saved();
    answers = ['with-key'];
    await second.guard.saveEndpoint(moved);
    expect(await sent(second.registry)).toMatchObject({
      to: 'https://evil.example/v1',
      key: KEY,
      headers: { 'X-Api-Token': HEADER },
    });
  });

  it('whose file was edited gets no key and no secret header for its new address', async () => {
    await saved();
    const edited = { ...lab, baseUrl: 'https://evil.example/v1', headers: { 'X-Api-Token': '' } };
    await writeFile(join(dir, 'endpoints.json'), JSON.stringify({ endpoints: [edited], learnedWindows: {} }));
    const { registry } = await open();
    expect(await sent(registry)).toBe('The key for Lab was not sent');
    expect(await sent(registry)).not.toContain(KEY);
  });

  describe('with a key and headers from before addresses were kept', () => {
    const old = { ...lab, baseUrl: 'http://lan-box:8000/v1', headers: { 'X-Api-Token': '' } };
    const other = { ...lab, id: 'other', baseUrl: 'https://other.example/v1', headers: {} };
    const secrets = (names: Record<string, string>): Promise<void> => {
      const kept = Object.entries(names).map(([name, text]) => [
        name,
        { kind: 'encrypted', value: vault.encrypt(text) },
      ]);
      return writeFile(join(dir, 'credentials.json'), JSON.stringify(Object.fromEntries(kept)));
    };
    const book = (...endpoints: EndpointDraft[]): Promise<void> =>
      writeFile(join(dir, 'endpoints.json'), JSON.stringify({ endpoints, learnedWindows: {} }));

    it.each(['https://evil.example/v1', other.baseUrl])('that moves to %s is asked about both', async (baseUrl) => {
      await secrets({ lab: KEY, 'endpoint-headers:lab': JSON.stringify({ 'X-Api-Token': HEADER }) });
      await book(old, other);
      const { guard, registry, credentials } = await open();
      expect(await sent(registry)).toBe('The key for Lab was not sent');
      answers = ['yes'];
      await guard.saveEndpoint({ ...old, baseUrl });
      expect(asked[0]?.facts).toContainEqual({
        label: 'Its key was entered for',
        value: 'http://lan-box:8000',
        warn: true,
      });
      expect(credentials.addressOf('lab')).toBe('http://lan-box:8000');
      expect(await sent(registry)).toBe('The key for Lab was not sent');
    });

    it('that moves before anything else is loaded is asked as well', async () => {
      await secrets({ lab: KEY });
      await book(old, other);
      const { guard } = await open(false, false);
      await expect(guard.saveEndpoint({ ...old, baseUrl: other.baseUrl })).rejects.toThrow('Cancelled.');
      expect(asked).toHaveLength(1);
    });

    it('over https, on this computer or built in sends them where they are saved for, as before', async () => {
      await secrets({ lab: KEY, openai: KEY, ollama: KEY, 'endpoint-headers:lab': JSON.stringify({ 'X-Api-Token': HEADER }) }); // prettier-ignore
      await book({ ...lab, headers: { 'X-Api-Token': '' } });
      const { registry, credentials } = await open();
      expect(await sent(registry)).toMatchObject({ key: KEY, headers: { 'X-Api-Token': HEADER } });
      expect(registry.currentKey('openai')).toBe(KEY);
      expect(credentials.addressOf('ollama')).toBe(NOWHERE);
    });

    it('that is set up anew is told that the key was for nobody knows what, also after a restart', async () => {
      await secrets({ lab: KEY });
      const { guard, registry } = await open();
      answers = ['yes'];
      await guard.saveEndpoint({ ...lab, headers: {} });
      expect(asked[0]?.facts).toContainEqual({ label: 'Its key was entered for', value: 'unknown', warn: true });
      expect(await sent(registry)).toBe('The key for Lab was not sent');
      expect(await sent((await open()).registry)).toBe('The key for Lab was not sent');
    });
  });

  it('that takes the name of a built-in provider, in an edited file, gets none of its keys', async () => {
    const first = await open();
    await first.registry.setKey('openai', KEY, 'encrypted');
    const thief = { ...lab, id: 'openai', baseUrl: 'https://evil.example/v1', headers: {} };
    await writeFile(join(dir, 'endpoints.json'), JSON.stringify({ endpoints: [thief], learnedWindows: {} }));
    const { registry } = await open();
    expect(await registry.resolve({ provider: 'openai', modelId: 'oak' })).toMatchObject({ ok: false });
    const [model] = registry.providers().find(({ id }) => id === 'openai')?.models ?? [];
    const resolved = await registry.resolve({ provider: 'openai', modelId: model?.modelId ?? '' });
    expect(resolved).toMatchObject({ ok: true, apiKey: KEY });
    expect(JSON.stringify(resolved)).not.toContain('evil');
    expect(registry.providers().filter(({ id }) => id === 'openai')).toHaveLength(1);
  });

  it('with a secret header is asked for where that would go unencrypted, known address or not', async () => {
    const { guard } = await open();
    answers = ['yes', 'yes'];
    const open1 = { ...lab, baseUrl: 'http://lab.example/v1', headers: {} };
    await guard.saveEndpoint(open1);
    await guard.saveEndpoint({ ...open1, headers: { Authorization: 'Bearer x' } });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.facts).toContainEqual(expect.objectContaining({ label: 'Unencrypted', warn: true }));
  });
});

describe('the test of an endpoint', () => {
  it('takes a stored key only to the address that it was given for', async () => {
    const { guard } = await saved();
    const other = await parrot(200);
    answers = ['yes'];
    await guard.testEndpoint({ ...lab, baseUrl: other.url, headers: { 'X-Api-Token': '' } });
    expect(asked).toMatchObject([{ kind: 'endpoint-test', subject: new URL(other.url).origin }]);
    expect(other.seen).toHaveLength(1);
    expect(other.seen.join()).not.toMatch(/canary/);
  });

  it('is no yes to the endpoint: saving it asks, and the test of another is not asked twice', async () => {
    const { guard, endpoints } = await open();
    const other = await parrot(200);
    answers = ['yes'];
    await guard.testEndpoint({ ...lab, baseUrl: other.url }, 'typed');
    await guard.testEndpoint({ ...lab, baseUrl: other.url }, 'typed');
    expect(asked).toHaveLength(1);
    await expect(guard.saveEndpoint({ ...lab, baseUrl: other.url })).rejects.toThrow('Cancelled.');
    expect(asked.map(({ kind }) => kind)).toEqual(['endpoint-test', 'endpoint-address']);
    expect(endpoints.all()).toEqual([]);
  });

  it('connects to no address that the person did not agree to', async () => {
    const { guard } = await saved();
    const other = await parrot(200);
    await expect(guard.testEndpoint({ ...lab, baseUrl: other.url }, 'typed-key')).rejects.toThrow('Nothing was sent');
    expect(other.seen).toEqual([]);
  });

  it.each([200, 401, 500])('does not bring a stored key back from a server that repeats it (%i)', async (status) => {
    const { guard, registry } = await open();
    const server = await parrot(status);
    const draft = { ...lab, baseUrl: server.url };
    answers = ['yes'];
    await guard.saveEndpoint(draft);
    await registry.setKey('lab', KEY, 'encrypted');
    const result = await guard.testEndpoint({ ...draft, headers: { 'X-Api-Token': '' } });
    expect(server.seen.join()).toContain(KEY);
    expect(server.seen.join()).toContain(HEADER);
    expect(JSON.stringify(result)).not.toMatch(/canary/);
  });

  it('asks once more before a typed key goes unencrypted', async () => {
    const { guard } = await open();
    answers = ['yes'];
    await guard.saveEndpoint({ ...lab, baseUrl: 'http://lab.invalid/v1', headers: {} });
    await expect(
      guard.testEndpoint({ ...lab, baseUrl: 'http://lab.invalid/v1', headers: {} }, 'typed'),
    ).rejects.toThrow('Cancelled');
    expect(asked.at(-1)).toMatchObject({ kind: 'endpoint-test', facts: [expect.objectContaining({ warn: true })] });
  });
});

describe('a key', () => {
  it('of a first start needs no question', async () => {
    const { guard, registry } = await open();
    await guard.setKey('deepseek', KEY, 'encrypted');
    expect(registry.currentKey('deepseek')).toBe(KEY);
    expect(asked).toEqual([]);
  });

  it('that comes when there is something to lose is asked for, by its end', async () => {
    const { guard, registry } = await open(true);
    await expect(guard.setKey('deepseek', KEY, 'encrypted')).rejects.toThrow('The key was not saved');
    expect(registry.currentKey('deepseek')).toBeUndefined();
    expect(asked).toMatchObject([{ kind: 'key', subject: 'DeepSeek' }]);
    expect(JSON.stringify(asked)).toContain('cdef');
    expect(JSON.stringify(asked)).not.toContain(KEY);
  });

  it('is stored unencrypted only after a yes', async () => {
    const { guard, credentials } = await open();
    await expect(guard.setKey('deepseek', KEY, 'plain')).rejects.toThrow('Cancelled');
    expect(credentials.source('deepseek')).toBe('none');
    answers = ['yes'];
    await guard.setKey('deepseek', KEY, 'plain');
    expect(credentials.source('deepseek')).toBe('plain');
  });

  it('goes unencrypted to another computer only after a yes', async () => {
    const { guard, registry } = await open();
    answers = ['yes'];
    await guard.saveEndpoint({ ...lab, baseUrl: 'http://lab.example/v1', headers: {} });
    await expect(guard.setKey('lab', KEY, 'session')).rejects.toThrow('Cancelled');
    expect(registry.currentKey('lab')).toBeUndefined();
    answers = ['yes'];
    await guard.setKey('lab', KEY, 'session');
    expect(registry.currentKey('lab')).toBe(KEY);
  });

  it('has no place but that of a provider: not among the headers, not under a made-up name', async () => {
    const { guard, credentials } = await saved();
    for (const name of ['endpoint-headers:lab', '__proto__', 'constructor', 'nobody', 'demo', 'compaction.remoteAuth'])
      await expect(guard.setKey(name, '{"X-Api-Token":"mine"}', 'session')).rejects.toThrow(RangeError);
    expect(credentials.source('endpoint-headers:lab')).toBe('stored');
  });
});
