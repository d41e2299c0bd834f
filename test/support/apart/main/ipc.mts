import { EventEmitter } from 'node:events';

type Invoked = (event: unknown, ...values: unknown[]) => unknown;

/** `ipcMain`, and the `ipc` of one web contents: what a page sends and invokes. */
export class Ipc extends EventEmitter {
  readonly #handlers = new Map<string, Invoked>();

  handle(channel: string, listener: Invoked): void {
    if (this.#handlers.has(channel)) throw new Error(`A second handler for '${channel}'`);
    this.#handlers.set(channel, listener);
  }

  handlerOf(channel: string): Invoked | undefined {
    return this.#handlers.get(channel);
  }
}

export const ipcMain = new Ipc();
