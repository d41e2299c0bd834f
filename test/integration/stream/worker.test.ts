import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTransient } from '../../../src/main/agent/classify-error';
import type { Message } from '../../../src/main/pi/pi-types';
import type { StreamTransport } from '../../../src/main/agent/stream/types';
import { createWorkerTransport } from '../../../src/main/agent/stream/worker-transport';
import { ask, modelsFor, startModelServer, streamedText } from '../../support/model-server';
import type { ModelServer } from '../../support/model-server';
import { sourceWorker } from '../../support/model-server/source-worker';

let server: ModelServer;
let createWorker: (options: WorkerOptions) => Worker;
let transport: StreamTransport;
const workers: Worker[] = [];

beforeAll(async () => {
  server = await startModelServer();
  createWorker = await sourceWorker();
  transport = createWorkerTransport({
    createWorker: (options) => {
      const worker = createWorker(options);
      workers.push(worker);
      return worker;
    },
  });
});
afterAll(async () => {
  await transport.close();
  await server.close();
});

describe('providers in a worker thread', () => {
  it('WG1, QA4: streams the same reply as in this thread, in few batches, never the growing message', async () => {
    const text = 'abcdefgh'.repeat(2_500);
    server.script({ text, chunkChars: 4, content: [{ type: 'toolCall', name: 'ls', arguments: { path: '.' } }] });
    const tool = { name: 'ls', description: 'Lists', parameters: { type: 'object' } as never };
    const { outcome, deltas } = await ask(transport, modelsFor(server).completions, { context: { tools: [tool] } });
    expect(streamedText(deltas)).toBe(text);
    expect(deltas.length).toBeLessThan(1_000);
    expect(deltas.some((event) => 'partial' in event)).toBe(false);
    expect(outcome.message.stopReason).toBe('toolUse');
    expect(Object.values(outcome.sealed)).toEqual([{ ok: true }]);
    expect(outcome.wire.endSeen).toBe(true);
    expect(JSON.stringify(server.requests.at(-1)!.body.tools)).toContain('"ls"');
  });

  it('runs several replies at once, and stops one without the others', async () => {
    // The one to be stopped would never end by itself, however slow the machine.
    server.script(({ body }) =>
      JSON.stringify(body.messages).includes('Stop me')
        ? { text: 'unending '.repeat(40), omitEnd: 'all', ending: 'hang' }
        : { text: 'reply '.repeat(40), tokensPerSecond: 400 },
    );
    const controller = new AbortController();
    const model = modelsFor(server).messages;
    const [stopped, finished] = await Promise.all([
      ask(transport, model, {
        context: { messages: [{ role: 'user', content: 'Stop me', timestamp: 1 }] },
        signal: controller.signal,
        onDelta: (event) => event.type === 'text_delta' && controller.abort(),
      }),
      ask(transport, model),
    ]);
    expect(stopped.outcome.message.stopReason).toBe('aborted');
    expect(finished.outcome.message.stopReason).toBe('stop');
    expect(workers.length).toBe(1);
  });

  it('ends running replies as errors when the thread dies, and starts a new one for the next', async () => {
    server.script([{ text: 'word '.repeat(500), tokensPerSecond: 100 }, 'Back again.']);
    const before = workers.length;
    const { outcome } = await ask(transport, modelsFor(server).completions, {
      onDelta: (event) => void (event.type === 'text_delta' && workers.at(-1)!.terminate()),
    });
    expect(outcome.message.stopReason).toBe('error');
    expect(outcome.wire.failure?.kind).toBe('worker-crash');
    expect(isTransient(outcome.message, outcome.wire)).toBe(true);
    const next = await ask(transport, modelsFor(server).completions);
    expect(next.outcome.message.content).toMatchObject([{ text: 'Back again.' }]);
    expect(workers.length).toBe(before + 1);
  });

  it('gets pictures in parts, and nothing of a request that was stopped on its way (safety A7)', async () => {
    const sent: string[] = [];
    const own = createWorkerTransport({
      createWorker: (options) => {
        const worker = createWorker(options);
        const post = worker.postMessage.bind(worker) as (message: unknown) => void;
        worker.postMessage = (message: { type: string }) => {
          sent.push(message.type);
          post(message);
        };
        return worker;
      },
    });
    const model = { ...modelsFor(server).completions, input: ['text', 'image'] as ('text' | 'image')[] };
    const data = ['A', 'B'].map((letter) => letter.repeat(4_000_000));
    const content = data.map((text) => ({ type: 'image' as const, mimeType: 'image/png', data: text }));
    const context = { messages: [{ role: 'user' as const, content, timestamp: 1 }] };
    server.script('Seen.');
    expect((await ask(own, model, { context })).outcome.message.stopReason).toBe('stop');
    expect(sent).toEqual([...Array<string>(8).fill('part'), 'start']);
    const body = JSON.stringify(server.requests.at(-1)!.body);
    expect(data.every((text) => body.includes(`base64,${text}"`))).toBe(true);

    const controller = new AbortController();
    const before = server.requests.length;
    const stopped = ask(own, model, { context, signal: controller.signal });
    controller.abort();
    expect((await stopped).outcome.message.stopReason).toBe('aborted');
    expect(sent.slice(9)).toEqual(['part', 'abort']);
    expect(server.requests.length).toBe(before);
    await own.close();
  });

  it.each([
    ['a text', 4],
    ['pictures, which go in parts', 4_000_000],
  ])('WG1: reads the messages before `stream` returns: %s', async (_what, size) => {
    const model = { ...modelsFor(server).completions, input: ['text', 'image'] as ('text' | 'image')[] };
    const picture = { type: 'image' as const, mimeType: 'image/png', data: 'A'.repeat(size) };
    const messages: Message[] = [{ role: 'user', content: [picture], timestamp: 1 }];
    server.script('Seen.');
    const asked = ask(transport, model, { context: { messages } });
    messages.push({ role: 'user', content: 'Said meanwhile', timestamp: 2 });
    expect((await asked).outcome.message.stopReason).toBe('stop');
    const body = JSON.stringify(server.requests.at(-1)!.body);
    expect(body).toContain(`base64,${picture.data}"`);
    expect(body).not.toContain('Said meanwhile');
  });

  it('answers with an error when no thread can be started', async () => {
    const broken = createWorkerTransport({
      createWorker: () => new Worker('throw new Error("no thread today")', { eval: true }),
    });
    const { outcome } = await ask(broken, modelsFor(server).completions);
    expect(outcome.message.stopReason).toBe('error');
    expect(outcome.message.errorMessage).toContain('no thread today');
    await broken.close();
  });

  it('ends what is running when it is closed', async () => {
    const own = createWorkerTransport({ createWorker });
    server.script({ text: 'x', ending: 'hang', omitEnd: 'all' });
    const arrived = server.received(server.requests.length + 1);
    const running = ask(own, modelsFor(server).completions);
    await arrived;
    await own.close();
    expect((await running).outcome.message.stopReason).toBe('aborted');
    expect((await ask(own, modelsFor(server).completions)).outcome.message.stopReason).toBe('aborted');
  });
});
