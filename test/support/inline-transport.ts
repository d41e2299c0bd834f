import { DeltaBatcher } from '../../src/main/agent/stream/worker-server';
import { DeltaQueue } from '../../src/main/agent/stream/worker-transport';
import { runProvider } from '../../src/main/agent/stream/run-provider';
import type { StreamTransport } from '../../src/main/agent/stream/types';

/** Runs providers in this thread, with the very code of the worker. */
export function createInlineTransport(): StreamTransport {
  const running = new Map<AbortController, Promise<unknown>>();
  return {
    stream(asked, signal) {
      const { context } = asked;
      const request = { ...asked, context: { ...context, messages: context.messages.slice() } };
      const queue = new DeltaQueue();
      const controller = new AbortController();
      const onAbort = (): void => controller.abort(signal?.reason);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
      const batcher = new DeltaBatcher((deltas) => queue.push(deltas));
      const run = runProvider(request, controller.signal, (event) => batcher.push(event)).then((outcome) => {
        batcher.flush();
        signal?.removeEventListener('abort', onAbort);
        running.delete(controller);
        queue.end(outcome);
      });
      running.set(controller, run);
      return queue;
    },
    async close() {
      const runs = [...running.values()];
      for (const controller of running.keys()) controller.abort();
      await Promise.all(runs);
    },
  };
}
