import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import { batchSender } from '../../../src/main/ipc/batch-sender';
import { EventChannel } from '../../../src/main/ipc/event-channel';
import type { Case, FigureInput } from '../../support/figures';
import { compare } from '../harness';

/** QP6: an answer of 200,000 characters in 20,000 deltas. */
const DELTAS = 20_000;
const DELTA = 'ten chars.';
/** A provider as fast as any today: 1,000 deltas a second, so that a frame of 16 ms gathers 16. */
const PER_FRAME = 16;
/** Long enough for a rate, short enough for a bench. */
const RATE_MS = 3000;

/** The other side of the process border: takes in what arrives as the window would, and says at the end what it has. */
const RECEIVER = `
const { parentPort } = require('node:worker_threads');
let text = '';
let messages = 0;
parentPort.on('message', (message) => {
  if (message === 'end') {
    parentPort.postMessage({ length: text.length, tail: text.slice(-40), messages });
    text = '';
    messages = 0;
    return;
  }
  messages++;
  if (typeof message === 'string') for (const event of JSON.parse(message).events) text += event.delta;
  else text = message.message.content[0].text;
});`;

interface Received {
  length: number;
  tail: string;
  messages: number;
}

function deltaEvent(delta: string): AppEvent {
  return { type: 'stream_delta', sessionId: 'session', n: 0, streamId: 'stream', index: 0, kind: 'text', delta };
}

/** pi's `message_update`: each delta carries the whole message so far. */
function sendPartials(worker: Worker): void {
  const message = { role: 'assistant', content: [{ type: 'text', text: '' }], usage: { input: 1, output: 1 } };
  for (let i = 0; i < DELTAS; i++) {
    const [block] = message.content;
    if (block) block.text += DELTA;
    worker.postMessage({ type: 'message_update', message, delta: DELTA });
  }
}

/** Ours: deltas alone, those of a frame joined, as text. The frames end by count: the time between them is nobody's cost. */
function sendFrames(worker: Worker): void {
  const channel = new EventChannel();
  channel.connect(
    batchSender(
      (message) => worker.postMessage(message),
      (error) => {
        throw error;
      },
    ),
  );
  for (let i = 0; i < DELTAS; i += PER_FRAME) {
    for (let at = i; at < Math.min(DELTAS, i + PER_FRAME); at++) channel.emit(deltaEvent(DELTA));
    channel.flush();
  }
  channel.disconnect();
}

async function received(worker: Worker, send: (worker: Worker) => void): Promise<Received> {
  send(worker);
  worker.postMessage('end');
  const [answer] = (await once(worker, 'message')) as [Received];
  return answer;
}

/** Messages a second of the real channel while deltas come as fast as they can. */
async function channelRate(): Promise<number> {
  const channel = new EventChannel();
  let messages = 0;
  channel.connect(() => messages++);
  const start = performance.now();
  while (performance.now() - start < RATE_MS) {
    channel.emit(deltaEvent(DELTA));
    await sleep(1);
  }
  channel.disconnect();
  return messages / ((performance.now() - start) / 1000);
}

const ipc: Case = {
  name: 'P6',
  issue: 2,
  times: ['src/main/ipc/event-channel.ts:EventChannel.emit', 'src/main/ipc/batch-sender.ts:batchSender'],
  async run(): Promise<FigureInput[]> {
    const worker = new Worker(RECEIVER, { eval: true });
    try {
      const { ours, peer, note } = await compare<Received, Received>({
        ours: () => received(worker, sendFrames),
        peer: () => received(worker, sendPartials),
        equal: (a, b) => a.length === b.length && a.tail === b.tail && a.length === DELTAS * DELTA.length,
        repetitions: 5,
        warmups: 1,
      });
      const cost = {
        name: 'P6 cost of a 200k-char, 20k-delta answer',
        value: ours.median,
        unit: 'ms',
        peer: peer.median,
        note,
      };
      return [
        { ...cost, target: { on: 'value', op: '<=', bound: 16 } },
        { ...cost, name: 'P6 against full partials', target: { on: 'ratio', op: '>=', bound: 200 } },
        {
          name: 'P6 messages to the window',
          value: await channelRate(),
          unit: '/s',
          note: `real EventChannel, ${RATE_MS} ms of deltas`,
          target: { on: 'value', op: '<=', bound: 70 },
        },
      ];
    } finally {
      await worker.terminate();
    }
  },
};

export default ipc;
