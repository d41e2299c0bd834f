import { afterEach, describe, expect, it } from 'vitest';
import type { EventName, Handler } from '../../../src/main/extensions/events';
import { createWorkerTransport } from '../../../src/main/agent/stream/worker-transport';
import { promptOf, startHarness, type Harness, type HarnessOptions } from '../../support/agent-harness';
import { sentMessages } from '../../support/model-server';
import { sourceWorker } from '../../support/model-server/source-worker';

/** Extensions at a request on the wire: real loop, real provider code in its thread, loopback server (EX22). */
let harness: Harness;
afterEach(() => harness.close());
const start = async (options: HarnessOptions = {}): Promise<void> => {
  const transport = createWorkerTransport({ createWorker: await sourceWorker() });
  harness = await startHarness({ transport, ...options });
};
const on = <E extends EventName>(event: E, handler: Handler<E>, extensionPath = '/ext/a.ts') =>
  harness.extensions.on(event, handler, { extensionPath });
const say = async (text: string): Promise<void> => {
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  await harness.session.prompt(promptOf(text));
  await harness.settled(before + 1);
};
const body = (n = 0): Record<string, unknown> => harness.server.requests[n]!.body;

describe('before_provider_request', () => {
  it('EX22: each handler sees what the last one made of the request; what is sent is what all left of it', async () => {
    await start();
    const seen: unknown[] = [];
    on('before_provider_request', ({ payload }) => ({ ...(payload as object), temperature: 0.25 }));
    on('before_provider_request', ({ payload }) => {
      seen.push((payload as { temperature: unknown }).temperature);
      (payload as { metadata: unknown }).metadata = { by: 'b' };
    }, '/ext/b.ts'); // prettier-ignore
    await say('Go');
    expect(seen).toEqual([0.25]);
    expect(body()).toMatchObject({ temperature: 0.25, metadata: { by: 'b' }, stream: true });
    expect(sentMessages(harness.server.requests[0]!).map(({ text }) => text)).toContain('Go');
    expect(harness.messages().at(-1)).toMatch(/^assistant\(stop\)/);
    // Nothing of it is stored.
    expect(JSON.stringify(harness.log.stored)).not.toContain('temperature');
  });

  it('EX22: what can’t be sent, a throw and a handler without end leave the request as it was', async () => {
    await start({ extensionTimeouts: { before: 200, other: 200 } });
    const answers: unknown[] = ['text', null, [1], { toJSON: () => 7 }];
    for (const answer of answers) on('before_provider_request', () => answer);
    on('before_provider_request', () => Promise.reject(new Error('no luck')));
    on('before_provider_request', () => new Promise(() => undefined));
    await say('Go');
    expect(Object.keys(body())).not.toContain('0');
    expect(sentMessages(harness.server.requests[0]!).map(({ text }) => text)).toContain('Go');
    expect(harness.extensionErrors.map(({ error }) => error.slice(0, 12))).toEqual([
      ...answers.map(() => 'The request '),
      'no luck',
      'The handler ',
    ]);
  });

  it('EX22: a stop while a handler looks at the request ends the run', async () => {
    await start();
    let stop = (): void => undefined;
    const looked = new Promise<void>((resolve) => (stop = resolve));
    on('before_provider_request', () => (stop(), new Promise(() => undefined)));
    await harness.session.prompt(promptOf('Go'));
    await looked;
    await harness.session.stop();
    await harness.settled();
    expect(harness.server.requests).toEqual([]);
    expect(harness.session.isRunning).toBe(false);
  });
});

describe('after_provider_response', () => {
  it('EX22: status and headers are told, without cookies, also of a refusal', async () => {
    await start({ settings: { 'retry.maxRetries': 0 } as never });
    const told: { status: number; headers: Record<string, string> }[] = [];
    on('after_provider_response', (event) => void told.push(event));
    harness.server.script(['Hello.']);
    await say('Go');
    await expect.poll(() => told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringContaining('event-stream') },
    });
    expect(Object.keys(told[0]!.headers)).not.toContain('set-cookie');
  });
});

it('EX7: without a handler nothing crosses for it', async () => {
  await start();
  const asked: unknown[] = [];
  const { transport } = harness.ports;
  harness.ports.transport = { ...transport, stream: (request, signal) => (asked.push(request.hooks), transport.stream(request, signal)) };
  await harness.reopen();
  await say('Go');
  expect(asked).toEqual([{}]);
}); // prettier-ignore
