import { afterEach, expect, it, vi } from 'vitest';
import type { EspalierBridge } from '../../../src/shared/ipc/contract';
import { createClient } from '../../../src/renderer/bridge';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A bridge whose batches come when the test says so. */
function makeBridge(): { bridge: EspalierBridge; send: (batch: unknown) => void; subscriptions: () => number } {
  const subscribed = new Set<(batch: string) => void>();
  const bridge = {
    onEvents(listener: (batch: string) => void) {
      subscribed.add(listener);
      return () => subscribed.delete(listener);
    },
  } as unknown as EspalierBridge;
  const send = (batch: unknown): void => {
    for (const listener of subscribed) listener(typeof batch === 'string' ? batch : JSON.stringify(batch));
  };
  return { bridge, send, subscriptions: () => subscribed.size };
}

const closing = { type: 'closing' };

it('gives every listener every batch over one subscription, and ends it with the last of them', () => {
  const { bridge, send, subscriptions } = makeBridge();
  const client = createClient(bridge);
  const [first, second, onGap] = [vi.fn(), vi.fn(), vi.fn()];
  const endFirst = client.onEvents(first, onGap);
  const endSecond = client.onEvents(second, onGap);
  expect(subscriptions()).toBe(1);
  send({ seq: 4, events: [closing] });
  endFirst();
  send({ seq: 5, events: [] });
  expect(first.mock.calls).toEqual([[[closing], 4]]);
  expect(second.mock.calls).toEqual([
    [[closing], 4],
    [[], 5],
  ]);
  expect(onGap).not.toHaveBeenCalled();
  endSecond();
  expect(subscriptions()).toBe(0);
});

it.each([
  ['a number left out', { seq: 6, events: [] }],
  ['main counting anew', { seq: 0, events: [] }],
  ['a batch twice', { seq: 4, events: [] }],
  ['what is no batch', { seq: 5 }],
  ['what is no JSON', '{"seq":5,'],
])('tells everybody of a gap: %s', (_name, next) => {
  const { bridge, send } = makeBridge();
  const client = createClient(bridge);
  const gaps = [vi.fn(), vi.fn()];
  for (const onGap of gaps) client.onEvents(() => undefined, onGap);
  send({ seq: 4, events: [] });
  send(next);
  for (const onGap of gaps) expect(onGap).toHaveBeenCalledOnce();
});

it('one listener that fails takes nothing from the others, and is reported', () => {
  const reportError = vi.fn();
  vi.stubGlobal('reportError', reportError);
  const { bridge, send } = makeBridge();
  const client = createClient(bridge);
  const other = vi.fn();
  client.onEvents(
    () => {
      throw new Error('mine alone');
    },
    () => undefined,
  );
  client.onEvents(other, () => undefined);
  send({ seq: 0, events: [] });
  expect(other).toHaveBeenCalledOnce();
  expect(reportError).toHaveBeenCalledWith(new Error('mine alone'));
});

it('what is no event is left out of its batch; the others count', () => {
  const { bridge, send } = makeBridge();
  const [onBatch, onGap] = [vi.fn(), vi.fn()];
  createClient(bridge).onEvents(onBatch, onGap);
  send({ seq: 4, events: [null, {}, closing, { type: 5 }, closing] });
  expect(onBatch.mock.calls).toEqual([[[closing, closing], 4]]);
  expect(onGap).not.toHaveBeenCalled();
});

it.each([
  [
    'throws',
    () => {
      throw new Error('bad row');
    },
  ],
  ['rejects', () => Promise.reject(new Error('bad row'))],
])('a chunk whose taking %s ends its stream instead of hanging it', async (_how, onChunk) => {
  let cancelled = 0;
  let end = (): void => undefined;
  const bridge = {
    bulk(_name: string, _params: unknown, take: (chunk: unknown) => void | Promise<void>) {
      const done = new Promise<void>((resolve) => (end = resolve));
      queueMicrotask(() => void take('{"rows":[]}'));
      return { done, cancel: () => (cancelled++, end()) };
    },
  } as unknown as EspalierBridge;
  const { done } = createClient(bridge).bulk('session.rows', { sessionId: 's', before: 1 }, onChunk);
  await expect(done).rejects.toThrow('bad row');
  expect(cancelled).toBe(1);
});
