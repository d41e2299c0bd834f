import { describe, expect, it } from 'vitest';
import { CHANNELS, REQUEST_NAMES } from '@shared/ipc/names';
import { RequestGate } from '../../../src/main/ipc/request-gate';
import type { Sender } from '../../../src/main/ipc/sender';

const page: Sender = { senderFrame: { url: 'app://app/index.html', parent: null }, sender: { id: 7 } };

function gateWithChannels() {
  const channels = new Map<string, (event: Sender, params: unknown) => unknown>();
  return { gate: new RequestGate((channel, listener) => channels.set(channel, listener)), channels };
}

describe('the gate', () => {
  it('stands at every channel of the contract from the beginning', () => {
    const { channels } = gateWithChannels();
    expect([...channels.keys()].sort()).toEqual(
      [...REQUEST_NAMES.map((name) => CHANNELS.request(name)), CHANNELS.bulk].sort(),
    );
  });

  it('keeps what is asked until the services are there, then answers it in order, with sender and parameters', async () => {
    const { gate, channels } = gateWithChannels();
    const bootstrap = CHANNELS.request('app.bootstrap');
    const answered: unknown[] = [];
    const ask = async (params: unknown): Promise<void> =>
      void answered.push(await channels.get(bootstrap)?.(page, params));
    const both = Promise.all([ask(1), ask(2)]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(answered).toEqual([]);
    gate.serve(bootstrap, (event, params) => Promise.resolve([event === page, params]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(answered).toEqual([]);
    gate.open();
    await both;
    expect(answered).toEqual([
      [true, 1],
      [true, 2],
    ]);
    await ask(3);
    expect(answered.at(-1)).toEqual([true, 3]);
  });

  it('hands on what a listener throws', async () => {
    const { gate, channels } = gateWithChannels();
    gate.serve(CHANNELS.bulk, () => {
      throw new Error('refused');
    });
    gate.open();
    await expect(channels.get(CHANNELS.bulk)?.(page, {})).rejects.toThrow('refused');
  });
});
