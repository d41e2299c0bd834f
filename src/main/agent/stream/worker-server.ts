import type { MessagePort } from 'node:worker_threads';
import { TextParts } from '../../text-parts';
import { DeltaBatcher } from './delta-batcher';
import { runProvider } from './run-provider';
import type { ProviderRequest, WorkerCommand, WorkerReport } from './types';

/** The worker's side: starts and aborts replies as told, reports deltas once a frame and the outcome at the end. */
export function serveProviders(port: MessagePort): void {
  const running = new Map<number, AbortController>();
  /** Long texts of requests that are on their way. */
  const coming = new Map<number, TextParts>();
  const report = (message: WorkerReport): void => port.postMessage(message);

  const start = async (id: number, request: ProviderRequest): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    const batcher = new DeltaBatcher((deltas) => report({ type: 'deltas', id, deltas }));
    const outcome = await runProvider(request, controller.signal, (event) => batcher.push(event));
    batcher.flush();
    running.delete(id);
    report({ type: 'end', id, outcome });
  };

  port.on('message', (command: WorkerCommand) => {
    const { id } = command;
    const texts = coming.get(id) ?? new TextParts(Infinity);
    if (command.type === 'part') {
      texts.take(command.part);
      coming.set(id, texts);
      return;
    }
    coming.delete(id);
    if (command.type === 'abort') running.get(id)?.abort();
    else void start(id, texts.putBack(command.request, command.places) as ProviderRequest);
  });
}
