import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
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
  it('S5: never calls a handler with parameters that break the schema, whatever arrives', async () => {
    const received: [RequestName, unknown][] = [];
    const channels = serve((name, params) => received.push([name, params]));
    const runs = Number(process.env.ESPALIER_FUZZ_RUNS ?? 200);
    for (const name of REQUEST_NAMES) {
      const call = channels.get(CHANNELS.request(name))!;
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.anything(), fc.object(), almost(name)), async (params) => {
          received.length = 0;
          const result = await call(ownPage, params);
          const valid = REQUESTS[name].params.safeParse(params).success;
          expect(result.ok).toBe(valid);
          expect(received.length).toBe(valid ? 1 : 0);
        }),
        { numRuns: runs },
      );
    }
  });

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

/** Objects with the right keys and mostly wrong values: what plain noise would hardly ever hit. */
function almost(name: RequestName): fc.Arbitrary<unknown> {
  const shape = (REQUESTS[name].params as unknown as { shape: Record<string, unknown> }).shape;
  return fc.record(
    Object.fromEntries(
      Object.keys(shape).map((key) => [key, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.anything())]),
    ),
    {
      requiredKeys: [],
    },
  );
}
