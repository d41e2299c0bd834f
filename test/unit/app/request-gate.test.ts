import { describe, expect, it } from 'vitest';
import { CHANNELS } from '@shared/ipc/names';
import { RequestGate, type Sender } from '../../../src/main/ipc/request-gate';
const page: Sender = { senderFrame: { url: 'app://app/index.html', parent: null }, sender: { id: 7 } };
const BOOTSTRAP = CHANNELS.request;

function gateWith(ready: () => Promise<unknown>) {
  const channels = new Map<string, (event: Sender, params: unknown) => unknown>();
  const gate = new RequestGate({
    handle: (channel, listener) => channels.set(channel, listener),
    ready,
    failureOf: (error) => ({ code: 'storage', message: String(error) }),
  });
  return { gate, channels, ask: async (channel: string, params?: unknown) => channels.get(channel)?.(page, params) };
}

describe('WN2: the gate', () => {
  it('stands at every channel of the contract from the beginning', () => {
    const { channels } = gateWith(() => new Promise(() => undefined));
    expect([...channels.keys()].sort()).toEqual([CHANNELS.request, CHANNELS.bulk, CHANNELS.files].sort());
  });

  it('keeps what is asked until the services are there, then answers it in order, with sender and parameters', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const { gate, ask } = gateWith(() => opened);
    const answered: unknown[] = [];
    const both = Promise.all([1, 2].map(async (params) => answered.push(await ask(BOOTSTRAP, params))));
    gate.serve(BOOTSTRAP, (event, params) => Promise.resolve([event === page, params]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(answered).toEqual([]);
    open();
    await both;
    expect(answered).toEqual([
      [true, 1],
      [true, 2],
    ]);
    expect(await ask(BOOTSTRAP, 3)).toEqual([true, 3]);
  });

  it('tells why the services could not start, and the next request finds them when they could', async () => {
    let starts = 0;
    const { gate, ask } = gateWith(() => (++starts === 1 ? Promise.reject(new Error('no room')) : Promise.resolve()));
    gate.serve(BOOTSTRAP, () => 'there');
    expect(await ask(BOOTSTRAP)).toEqual({ ok: false, error: { code: 'storage', message: 'Error: no room' } });
    expect(await ask(BOOTSTRAP)).toBe('there');
  });

  it('hands on what a listener throws, and refuses bulk data while there are no services', async () => {
    let starts = 0;
    const { gate, ask } = gateWith(() => (++starts === 1 ? Promise.reject(new Error('no room')) : Promise.resolve()));
    gate.serve(CHANNELS.bulk, () => {
      throw new Error('refused');
    });
    await expect(ask(CHANNELS.bulk)).rejects.toThrow('no room');
    await expect(ask(CHANNELS.bulk)).rejects.toThrow('refused');
  });
});
