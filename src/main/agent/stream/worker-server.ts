import type { MessagePort } from 'node:worker_threads';
import { TextParts } from '../../text-parts';
import { wordsOf } from '../../words-of';
import { DeltaBatcher } from './delta-batcher';
import { failedOutcome } from './failed-outcome';
import { runProvider } from './run-provider';
import type { ProviderOutcome, ProviderRequest, WorkerCommand, WorkerReport } from './types';

/** A reply that runs in this thread; its request was read whole. */
interface Running {
  controller: AbortController;
  /** What went wrong with it on our side; the reply ends as that. */
  fault?: string;
}

/**
 * The worker's side: starts and aborts replies as told, reports deltas once a frame and the outcome at the end. What goes
 * wrong with one reply ends that reply: nothing in here rejects or throws to the top of the thread.
 */
export function serveProviders(port: MessagePort): void {
  const running = new Map<number, Running>();
  /** Long texts of requests that are on their way. */
  const coming = new Map<number, TextParts>();
  const report = (message: WorkerReport): void => port.postMessage(message);

  const start = async (id: number, request: ProviderRequest): Promise<void> => {
    const reply: Running = { controller: new AbortController() };
    running.set(id, reply);
    const batcher = new DeltaBatcher((deltas) => {
      try {
        report({ type: 'deltas', id, deltas });
      } catch (error) {
        reply.fault ??= wordsOf(error);
        reply.controller.abort();
      }
    });
    let outcome: ProviderOutcome;
    try {
      outcome = await runProvider(request, reply.controller.signal, (event) => batcher.push(event));
    } catch (error) {
      outcome = failedOutcome(request, 'reply-fault', wordsOf(error));
    }
    batcher.flush();
    running.delete(id);
    if (reply.fault !== undefined) outcome = failedOutcome(request, 'reply-fault', reply.fault);
    try {
      report({ type: 'end', id, outcome });
    } catch (error) {
      report({ type: 'end', id, outcome: failedOutcome(request, 'reply-fault', wordsOf(error)) });
    }
  };

  const take = (command: WorkerCommand): void => {
    const { id } = command;
    const texts = coming.get(id) ?? new TextParts(Infinity);
    if (command.type === 'part') {
      texts.take(command.part);
      coming.set(id, texts);
      return;
    }
    coming.delete(id);
    if (command.type === 'abort') running.get(id)?.controller.abort();
    else void start(id, texts.putBack(command.request, command.places) as ProviderRequest);
  };

  port.on('message', (command: WorkerCommand) => {
    try {
      take(command);
    } catch (error) {
      if (command.type !== 'start') return;
      report({ type: 'end', id: command.id, outcome: failedOutcome(command.request, 'reply-fault', wordsOf(error)) });
    }
  });
}
