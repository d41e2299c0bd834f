import { execFileSync } from 'node:child_process';
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installProxyEnvironment } from '../../../src/main/agent/stream/thread-environment';
import type { ProxyAddress } from '@shared/policy/addresses';

const before = process.env;
const PROXY = { href: 'http://me:word@proxy.test:1/', shown: 'http://proxy.test:1' };
const NAMES = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'ALL_PROXY',
  'no_proxy',
  'npm_config_https_proxy',
  'npm_config_proxy',
  'npm_config_noproxy',
];
const request = new AsyncLocalStorage<ProxyAddress | null>();
const seen = (): (string | undefined)[] => NAMES.map((name) => process.env[name]);

beforeEach(() => {
  process.env = { PATH: before.PATH, HOME: '/home/willow' };
  for (const name of NAMES) process.env[name] = 'of the shell';
  installProxyEnvironment(() => request.getStore());
});
afterEach(() => {
  process.env = before;
});

describe('WN25: the environment as a request’s libraries see it', () => {
  it('outside of requests it is as it was', () => {
    expect(seen()).toEqual(NAMES.map(() => 'of the shell'));
    expect(Object.keys(process.env)).toEqual(['PATH', 'HOME', ...NAMES]);
  });

  it('names no proxy where there is none, however one asks', () => {
    request.run(null, () => {
      expect(seen()).toEqual(NAMES.map(() => undefined));
      expect(NAMES.some((name) => name in process.env || Object.hasOwn(process.env, name))).toBe(false);
      expect(Object.keys({ ...process.env })).toEqual(['PATH', 'HOME']);
      expect(process.env.HOME).toBe('/home/willow');
    });
  });

  it('names the request’s own proxy, also to what is started from it, and this computer is reached directly', async () => {
    await request.run(PROXY, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const { HTTPS_PROXY, http_proxy: low, ALL_PROXY, npm_config_proxy: npm, NO_PROXY } = process.env;
      expect([HTTPS_PROXY, low, ALL_PROXY, npm]).toEqual([PROXY.href, PROXY.href, undefined, undefined]);
      for (const near of ['localhost', '127.0.0.1', '[::1]', '169.254.169.254', 'metadata.google.internal.'])
        expect(NO_PROXY!.split(',')).toContain(near);
      expect(Object.keys(process.env)).toEqual(['PATH', 'HOME', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']);
      const child = execFileSync(process.execPath, ['-p', 'process.env.HTTPS_PROXY + process.env.npm_config_proxy']);
      expect(child.toString().trim()).toBe(`${PROXY.href}undefined`);
    });
  });

  it('is written and cleared as ever', () => {
    process.env.ADDED = 'yes';
    expect([process.env.ADDED, 'ADDED' in process.env]).toEqual(['yes', true]);
    delete process.env.ADDED;
    expect(process.env.ADDED).toBeUndefined();
  });
});
