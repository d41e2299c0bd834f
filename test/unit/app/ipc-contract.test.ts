import { describe, expect, it } from 'vitest';
import { REQUESTS, type RequestHandlers, type RequestName } from '@shared/ipc/contract';
import { CHANNELS } from '@shared/ipc/names';
import { boundSession, serveRequests } from '../../../src/main/ipc/server';
import type { AgentSession } from '../../../src/main/session/host/agent-session';
import { isTrustedSender, type Sender } from '../../../src/main/ipc/request-gate';
import type { IpcResult } from '@shared/types';

const REQUEST_NAMES = Object.keys(REQUESTS) as RequestName[];
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
  it('EV6: derives the name of a request from where it stands, with its own schema', () => {
    expect(REQUEST_NAMES).toEqual(expect.arrayContaining(['app.ready', 'session.go', 'queue.send', 'entries.find']));
    expect(REQUEST_NAMES.filter((name) => !/^[a-z]+\.[a-zA-Z]+$/.test(name))).toEqual([]);
    expect(new Set(Object.values(REQUESTS).map(({ params }) => params)).size).toBeGreaterThan(40);
    expect(REQUESTS['queue.remove'].params.safeParse({ sessionId: 'a', itemId: 'b' }).success).toBe(true);
  });

  it('registers one channel, which hands a request to the handler of its name', async () => {
    const called: [RequestName, unknown][] = [];
    const channels = serve((name, params) => called.push([name, params]));
    expect([...channels.keys()]).toEqual([CHANNELS.request]);
    const params = { sessionId: 'a' };
    await channels.get(CHANNELS.request)!(ownPage, { name: 'session.stop', params });
    expect(called).toEqual([['session.stop', params]]);
  });

  it('C3: a name that the contract does not have reaches no handler', async () => {
    let calls = 0;
    const call = serve(() => (calls += 1)).get(CHANNELS.request)!;
    const names = [
      'shell.openExternal',
      'toString',
      '__proto__',
      'constructor',
      'session',
      'session.',
      '',
      7,
      null,
      {},
    ];
    for (const message of [...names.map((name) => ({ name, params: {} })), null, 'app.ready', [], { params: {} }])
      expect(await call(ownPage, message)).toMatchObject({ ok: false, error: { code: 'invalid' } });
    expect(calls).toBe(0);
  });

  it('EV6: the requests of a session get the session that they name, and nothing of its id', async () => {
    const opened: string[] = [];
    const seen: unknown[] = [];
    const host = { session: async (id: string) => (opened.push(id), { sessionId: id } as AgentSession) };
    const handlers = boundSession(host, 'queue', {
      send: (session) => void seen.push(session.sessionId),
      remove: (session, params) => seen.push(session.sessionId, params) > 0,
    });
    expect(Object.keys(handlers)).toEqual(['queue.send', 'queue.remove']);
    await handlers['queue.send']({ sessionId: 'a' });
    await handlers['queue.remove']({ sessionId: 'b', itemId: 'c' });
    expect([opened, seen]).toEqual([
      ['a', 'b'],
      ['a', 'b', { itemId: 'c' }],
    ]);
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
    const result = await channels.get(CHANNELS.request)!(event, { name: 'app.ready', params: {} });
    expect(result).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(calls).toBe(0);
    expect(isTrustedSender(event, 7)).toBe(false);
  });

  it('turns a bug into a sentence without its insides', async () => {
    const channels = serve(() => {
      throw new TypeError('secret path /home/someone');
    });
    const result = await channels.get(CHANNELS.request)!(ownPage, { name: 'app.ready', params: {} });
    expect(result).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(result)).not.toContain('someone');
  });
});
