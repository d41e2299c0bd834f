import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSetting } from '../../../src/shared/policy/check-setting';
import { readProxyAddress } from '@shared/policy/addresses';
import { defaultSettings, type Settings } from '../../../src/shared/settings';
import { bypassesProxy, createRoutes, proxySecrets, type Route, rulesOf } from '../../../src/main/network/proxy-route';
import { raiseQuestion } from '../../../src/main/settings/settings-guard';

const API = 'https://api.example.org/v1';
const PLAIN = 'http://models.lan:8000/v1';

interface World {
  settings?: Partial<Settings>;
  environment?: Record<string, string>;
  system?: string;
}
const routes = ({ settings = {}, environment = {}, system = 'DIRECT' }: World) =>
  createRoutes({
    settings: () => ({ ...defaultSettings(), ...settings }),
    environment,
    askSystem: () => Promise.resolve(system),
  });
const said = (route: Route): string => (route.kind === 'proxy' ? route.proxy.shown : route.kind);
const route = async (url: string, world: World): Promise<string> => said(await routes(world)(url));
const manual = (address: string, noProxy: string[] = []): World => ({
  settings: { 'network.proxy': 'manual', 'network.proxyAddress': address, 'network.noProxy': noProxy },
  environment: { HTTPS_PROXY: 'http://other:1' },
  system: 'PROXY another:2',
});

describe('WN25: which proxy', () => {
  it('is the environment’s for the protocol, else the system’s, else none', async () => {
    const environment = { HTTPS_PROXY: 'http://one:3128', http_proxy: 'two:8080' };
    expect(await route(API, { environment, system: 'PROXY sys:1' })).toBe('http://one:3128');
    expect(await route(PLAIN, { environment, system: 'PROXY sys:1' })).toBe('http://two:8080');
    expect(await route(API, { environment: { ALL_PROXY: 'https://all:443/' } })).toBe('https://all');
    expect(await route(API, { system: 'PROXY sys:8080; DIRECT' })).toBe('http://sys:8080');
    expect(await route(API, { system: 'HTTPS safe:443;DIRECT' })).toBe('https://safe');
    expect(await route(API, { system: 'DIRECT' })).toBe('direct');
    expect(await route(API, { environment: { HTTPS_PROXY: ' ' } })).toBe('direct');
  });

  it('is none where NO_PROXY names the host, and the system is not asked either', async () => {
    const environment = { HTTPS_PROXY: 'http://one:3128', NO_PROXY: 'other.org, .example.org' };
    expect(await route(API, { environment, system: 'PROXY sys:1' })).toBe('direct');
    expect(await route('https://api.else.org', { environment })).toBe('http://one:3128');
  });

  it('set by hand goes before both, and “none” is none', async () => {
    expect(await route(API, manual('http://mine:9'))).toBe('http://mine:9');
    expect(await route(API, manual('http://mine:9', ['example.org']))).toBe('direct');
    const off = { ...manual(''), settings: { 'network.proxy': 'none' as const } };
    expect(await route(API, off)).toBe('direct');
  });

  it('is never one for this computer, and is not gone around where it can’t be used', async () => {
    for (const url of ['http://localhost:1', 'http://127.0.0.9:11434', 'http://[::1]:2', 'http://a.localhost/v1'])
      expect(await route(url, manual('http://mine:9')), url).toBe('direct');
    for (const world of [
      { environment: { HTTPS_PROXY: 'socks5://s:1080' } },
      { system: 'SOCKS5 s:1080; DIRECT' },
      { system: 'SOCKS s:1080' },
    ]) {
      const found = await routes(world)(API);
      expect(found).toMatchObject({ kind: 'refused', detail: expect.stringContaining('SOCKS') as unknown });
    }
    expect(await route(API, { system: 'SOCKS s:1; PROXY p:2' })).toBe('http://p:2');
    expect(await route(API, manual(''))).toBe('refused');
    expect(await route(API, { environment: { HTTPS_PROXY: 'http://host/with/a/path' } })).toBe('refused');
  });

  it('what can’t be read is refused with a way out, and nothing goes around it', async () => {
    const unreadable = [
      ['', 'could not say'],
      [' ; ', 'could not say'],
      ['PROXY user:pw@[bad; DIRECT', 'Espalier can’t use'],
      ['QUIC q:1', 'Espalier can’t use'],
      ['PROXY; DIRECT', 'Espalier can’t use'],
      ['HTTPS ftp://x/y; SOCKS s:1', 'SOCKS'],
    ] as const;
    for (const [system, words] of unreadable) {
      const found = await routes({ system })(API);
      expect(found, system).toMatchObject({ kind: 'refused', detail: expect.stringContaining(words) as unknown });
      expect(JSON.stringify(found)).toContain('Set an HTTP proxy in Settings › Providers, or choose none there.');
      expect(JSON.stringify(found)).not.toContain('pw');
    }
    expect(await route(API, { system: 'PROXY [bad; QUIC q:1; PROXY good:1; DIRECT' })).toBe('http://good:1');
    const failing = [
      () => Promise.reject(new Error('no session')),
      () => {
        throw new Error('no session');
      },
    ];
    for (const askSystem of failing) {
      const find = createRoutes({ settings: defaultSettings, environment: {}, askSystem });
      expect(await find(API)).toMatchObject({ kind: 'refused' });
    }
  });

  it('an address that can’t be read is never reached directly while a proxy may be there', async () => {
    for (const address of ['', 'no address', 'https://'])
      for (const world of [manual('http://mine:9'), { environment: { HTTPS_PROXY: 'http://one:1' } }, {}])
        expect(await route(address, world), address).toBe('refused');
    expect(await route('', { settings: { 'network.proxy': 'none' } })).toBe('direct');
  });

  it('whatever stands there: an answer, and a password never in what is shown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), fc.string(), async (value, system, list) => {
        const found = await routes({ environment: { HTTPS_PROXY: value, NO_PROXY: list }, system })(API);
        expect(['direct', 'proxy', 'refused']).toContain(found.kind);
        if (found.kind === 'proxy') expect(found.proxy.shown).not.toContain('@');
      }),
    );
    const environment = { HTTPS_PROXY: 'http://me:s%40cret@one:3128' };
    expect(await route(API, { environment })).toBe('http://one:3128');
    expect(proxySecrets(environment)).toEqual(['s%40cret', 's@cret', 'bWU6c0BjcmV0']);
    expect(proxySecrets({ HTTPS_PROXY: 'http://one:1', http_proxy: ' ', ALL_PROXY: 'no address' })).toEqual([]);
  });

  it('a name that is a token is a secret too, and so is what belongs to a proxy that can’t be used', () => {
    for (const value of ['http://tok_12345@one:1', 'tok_12345@one:1', 'http://tok_12345:@one:1'])
      expect(proxySecrets({ HTTPS_PROXY: value }), value).toContain('tok_12345');
    expect(proxySecrets({ all_proxy: 'http://a-long-token-of-a-service:x@one:1' })).toContain(
      'a-long-token-of-a-service',
    );
    expect(proxySecrets({ HTTP_PROXY: 'socks5://me:s3cret-word@one:1' })).toContain('s3cret-word');
    // The name of a person is in every path of theirs.
    expect(proxySecrets({ HTTPS_PROXY: 'http://willow:s3cret-word@one:1' })).not.toContain('willow');
  });
});

describe('WN25: what is reached directly', () => {
  const direct = (url: string, rules: string): boolean => bypassesProxy(new URL(url), rulesOf(rules));
  it('hosts with all below them, ports, addresses, ranges, everything', () => {
    for (const [url, rules] of [
      [API, 'example.org'],
      [API, '*.EXAMPLE.org'],
      [API, 'x api.example.org.'],
      [API, 'api.example.org:443'],
      [API, '*'],
      ['http://10.1.2.3', '10.0.0.0/8'],
      ['http://[fd00::7]', 'fd00::/8'],
      ['http://10.1.2.3:80', '10.1.2.3'],
    ] as const)
      expect(direct(url, rules), `${url} ${rules}`).toBe(true);
    for (const [url, rules] of [
      [API, 'ample.org'],
      [API, 'example.org:80'],
      [API, 'example'],
      [API, ''],
      ['http://11.1.2.3', '10.0.0.0/8'],
      ['http://10.1.2.3', '2.3'],
      ['http://10.1.2.3', '10.0.0.0/99'],
      ['http://10.1.2.3', 'fd00::/8'],
    ] as const)
      expect(direct(url, rules), `${url} ${rules}`).toBe(false);
  });

  it('a rule of any form is read, or none', () => {
    fc.assert(fc.property(fc.webUrl(), fc.string(), (url, rules) => void direct(url, rules)));
  });
});

describe('WN25: the proxy set by hand', () => {
  it('is an HTTP proxy without a password, or the reason is said in words', () => {
    const bound = (value: unknown): string | undefined => {
      const checked = checkSetting('network.proxyAddress', value);
      return checked.ok ? undefined : checked.bound;
    };
    for (const fine of ['', 'http://proxy.example:8080', 'proxy.example:8080', 'https://p/', ' http://[::1]:3128 '])
      expect(bound(fine), fine).toBeUndefined();
    expect(bound('socks5://host:1080')).toBe('an HTTP proxy: SOCKS is not supported');
    expect(bound('http://me:secret@host:1')).toContain('without a user name or password');
    for (const bad of ['http://', 'ftp://host', 'http://host/path', 'two words', 'http://host?x', 5])
      expect(bound(bad), String(bad)).toBeDefined();
    expect(readProxyAddress('host:1')).toEqual({ href: 'http://host:1/', shown: 'http://host:1' });
  });

  it('safety C3: another one is asked for by main; none, or the same, is not', () => {
    const asks = (from: string, to: string): boolean =>
      raiseQuestion('network.proxyAddress', from, to, undefined) !== null;
    expect(asks('', 'http://new:1')).toBe(true);
    expect(asks('http://old:1', 'http://new:1')).toBe(true);
    expect(asks('http://old:1', 'old:1')).toBe(false);
    expect(asks('http://old:1', '')).toBe(false);
    const question = raiseQuestion('network.proxyAddress', '', 'http://new:1', undefined)!;
    expect(question.paragraphs.join(' ')).toContain('except to endpoints whose address begins with http://.');
  });
});
