import { describe, expect, it } from 'vitest';
import { BULK, REQUESTS, type RequestHandlers, type RequestName } from '@shared/ipc/contract';
import { BULK_NAMES, CHANNELS, REQUEST_NAMES } from '@shared/ipc/names';
import { serveRequests } from '../../../src/main/ipc/server';
import { isTrustedSender, type Sender } from '../../../src/main/ipc/sender';
import type { IpcResult } from '@shared/ipc/types';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ownPage: Sender = { senderFrame: { url: 'app://app/index.html', parent: null }, sender: { id: 7 } };

function serve(handler: (name: RequestName, params: unknown) => unknown) {
  const channels = new Map<string, (event: Sender, params: unknown) => Promise<IpcResult<unknown>>>();
  const handlers = Object.fromEntries(
    REQUEST_NAMES.map((name) => [name, (params: unknown) => handler(name, params)]),
  ) as unknown as RequestHandlers;
  serveRequests(handlers, {
    windowId: () => 7,
    log: silent,
    handle: (channel, listener) => channels.set(channel, listener),
  });
  return channels;
}

describe('the contract', () => {
  it('names every request once, in both lists', () => {
    expect([...REQUEST_NAMES].sort()).toEqual(Object.keys(REQUESTS).sort());
    expect(new Set(REQUEST_NAMES).size).toBe(REQUEST_NAMES.length);
    expect([...BULK_NAMES].sort()).toEqual(Object.keys(BULK).sort());
  });

  it('registers one channel a request', () => {
    expect([...serve(() => undefined).keys()]).toEqual(REQUEST_NAMES.map(CHANNELS.request));
  });
});

describe('the server', () => {
  it.each([
    ['another window', { ...ownPage, sender: { id: 8 } }],
    ['a sub-frame', { ...ownPage, senderFrame: { url: 'app://app/index.html', parent: {} } }],
    ['another origin', { ...ownPage, senderFrame: { url: 'https://app/index.html', parent: null } }],
    ['a look-alike host', { ...ownPage, senderFrame: { url: 'app://app.evil/index.html', parent: null } }],
    ['a frame that is gone', { ...ownPage, senderFrame: null }],
    ['nonsense', { ...ownPage, senderFrame: { url: 'not a url', parent: null } }],
  ])('refuses %s', async (_case, event) => {
    let calls = 0;
    const channels = serve(() => (calls += 1));
    const result = await channels.get(CHANNELS.request('app.ready'))!(event, {});
    expect(result).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(calls).toBe(0);
    expect(isTrustedSender(event, 7)).toBe(false);
  });

  it('turns a bug into a sentence without its insides', async () => {
    const channels = serve(() => {
      throw new TypeError('secret path /home/someone');
    });
    const result = await channels.get(CHANNELS.request('app.ready'))!(ownPage, {});
    expect(result).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(result)).not.toContain('someone');
  });
});
