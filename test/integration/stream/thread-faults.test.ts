import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isTransient } from '../../../src/main/agent/classify-error';
import { judgeReply } from '../../../src/main/agent/judge-reply';
import type { DeltaEvent, ProviderOutcome, StreamTransport } from '../../../src/main/agent/stream/types';
import { createWorkerTransport } from '../../../src/main/agent/stream/worker-transport';
import type { Api, Model } from '../../../src/main/pi/pi-types';
import { ask } from '../../support/model-server/drive';
import { FAULTY_API } from '../../support/model-server/faulty-worker';
import { modelsFor } from '../../support/model-server/models';
import { bundleProgram } from '../../support/model-server/source-worker';

let code: string;
let transport: StreamTransport;
const workers: Worker[] = [];
const model: Model<Api> = { ...modelsFor({ url: 'http://127.0.0.1:1' }).completions, api: FAULTY_API };

beforeAll(async () => {
  code = await bundleProgram('test/support/model-server/faulty-worker.ts');
});
afterEach(async () => {
  await transport.close();
  workers.length = 0;
});

function start(): void {
  transport = createWorkerTransport({
    createWorker: (options) => {
      const worker = new Worker(code, { ...options, eval: true });
      workers.push(worker);
      return worker;
    },
  });
}

interface Asked {
  outcome: Promise<ProviderOutcome>;
  /** The first event of the reply has come. */
  begun: Promise<void>;
}

function say(content: string, sessionId?: string): Asked {
  let begin: () => void;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const outcome = ask(transport, model, {
    context: { messages: [{ role: 'user', content, timestamp: 1 }] },
    options: { sessionId },
    onDelta: (_event: DeltaEvent) => begin(),
  }).then((end) => end.outcome);
  return { outcome, begun };
}

/** Lets what waits in every thread go on. */
function release(): void {
  for (const worker of workers) worker.postMessage({ type: 'release', id: -1 });
}

describe('WG5: what one reply throws ends that reply alone', () => {
  it.each(['throw from a timer, wait', "say what can't be cloned", 'throw at once'])('%s', async (what) => {
    start();
    const healthy = say('say a word, wait');
    await healthy.begun;
    const { message, wire } = await say(what).outcome;
    expect(message.stopReason).toBe('error');
    expect(isTransient(message, wire)).toBe(false);
    release();
    expect((await healthy.outcome).message).toMatchObject({ stopReason: 'stop', content: [{ text: 'word' }] });
    expect(workers).toHaveLength(1);
  });
});

it('a promise that nobody waits for ends no thread', async () => {
  start();
  const healthy = say('say a word, wait');
  await healthy.begun;
  await say('reject in passing').outcome;
  await say('say a word').outcome;
  release();
  expect((await healthy.outcome).message.stopReason).toBe('stop');
  expect(workers).toHaveLength(1);
});

describe('a thread that dies', () => {
  it('takes what had begun with it, and what had not is asked for again', async () => {
    start();
    const begun = say('say a word, wait');
    await begun.begun;
    const fresh = [say('wait', 'a'), say('wait', 'b')];
    const killer = say('end the thread', 'c');
    expect((await begun.outcome).wire.failure?.kind).toBe('worker-crash');
    const { message, wire } = await killer.outcome;
    expect(wire.failure?.kind).toBe('worker-crash-again');
    expect(isTransient(message, wire)).toBe(false);
    const { detail } = judgeReply(message, { window: 0, sessionFigure: 0 }, { name: 'Acme' }).failure;
    expect(detail).toMatch(/^The part of the app that talks to models stopped twice at this request/);
    expect(detail.split('stopped twice')).toHaveLength(2);
    // Each of them has a thread of its own now.
    expect(workers).toHaveLength(4);
    const outcomes = Promise.all(fresh.map(({ outcome }) => outcome));
    const tick = setInterval(release, 20);
    expect((await outcomes).map((end) => end.message.stopReason)).toEqual(['stop', 'stop']);
    clearInterval(tick);
  });

  it('is not risked again for a session whose reply ended one in the middle', async () => {
    start();
    const first = say('say a word, wait, end the thread later', 'd');
    await first.begun;
    release();
    const { message, wire } = await first.outcome;
    expect(wire.failure?.kind).toBe('worker-crash');
    expect(isTransient(message, wire)).toBe(true);
    const healthy = say('say a word, wait', 'e');
    await healthy.begun;
    const retry = say('say a word, wait, end the thread later', 'd');
    await retry.begun;
    workers.at(-1)!.postMessage({ type: 'release', id: -1 });
    expect((await retry.outcome).wire.failure?.kind).toBe('worker-crash-again');
    release();
    expect((await healthy.outcome).message.stopReason).toBe('stop');
  });
});
