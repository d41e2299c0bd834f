import { parentPort } from 'node:worker_threads';
import { emptyReply } from '../../../src/main/pi/pi';
import { extraProviders } from '../../../src/main/agent/stream/run-provider';
import { boundStrayErrors, serveProviders } from '../../../src/main/agent/stream/worker-server';
import type { AssistantMessageEvent, Context } from '../../../src/main/pi/pi-types';

/** The provider thread with one more api, whose replies do to the thread what their prompt says. */
export const FAULTY_API = 'faulty';

async function* waitAndAnswer(signal: AbortSignal | undefined, asked: string): AsyncGenerator<AssistantMessageEvent> {
  const message = {
    ...emptyReply({ api: FAULTY_API, provider: FAULTY_API, id: FAULTY_API } as never),
    stopReason: 'stop' as const,
  };
  if (/throw from a timer/.test(asked)) {
    setTimeout(() => {
      throw new Error('nobody catches this');
    }, 1);
  }
  if (/reject in passing/.test(asked)) void Promise.reject(new Error('nobody waits for this'));
  if (/end the thread$/.test(asked)) process.exit(3);
  if (/say what can't be cloned/.test(asked)) {
    yield { type: 'text_delta', contentIndex: 0, delta: (() => undefined) as never, partial: message };
  }
  if (/throw at once/.test(asked)) throw Object.assign(Object.create(null), { toString: null });
  if (/say a word/.test(asked)) {
    message.content = [{ type: 'text', text: 'word' }];
    yield { type: 'text_start', contentIndex: 0, partial: message };
    yield { type: 'text_delta', contentIndex: 0, delta: 'word', partial: message };
  }
  // Until the test says so, or the guard has had enough.
  if (/wait/.test(asked)) await released(signal);
  if (/end the thread later/.test(asked)) process.exit(3);
  yield { type: 'done', reason: 'stop', message };
}

const waiting = new Set<() => void>();
function released(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(resolve);
    signal?.addEventListener('abort', () => resolve());
  });
}

extraProviders.push((pi) => {
  const stream = (_model: unknown, context: Context, options?: { signal?: AbortSignal }): never =>
    waitAndAnswer(options?.signal, String(context.messages.at(-1)?.content)) as never;
  pi.registerApiProvider({ api: FAULTY_API, stream, streamSimple: stream });
});

if (parentPort) {
  parentPort.on('message', (message: { type: string }) => {
    if (message.type !== 'release') return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  });
  boundStrayErrors();
  serveProviders(parentPort);
}
