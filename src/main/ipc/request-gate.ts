import { CHANNELS, REQUEST_NAMES } from '@shared/ipc/names';
import type { Sender } from './sender';

/** Answers one channel. */
type Listener = (event: Sender, params: unknown) => unknown;

/**
 * Stands at the channels of the contract from the moment the window opens: what it asks for before the services are there
 * waits. Nothing is looked at here; who asks and for what is checked by whoever serves the channel.
 */
export class RequestGate {
  readonly #served = new Map<string, Listener>();
  readonly #opened: Promise<void>;
  /** Lets through what waits and all that comes. Every channel must be served by then. */
  open!: () => void;

  /** @param handle registers one channel: `ipcMain.handle` in the app, a map in tests. */
  constructor(handle: (channel: string, listener: Listener) => void) {
    this.#opened = new Promise((resolve) => (this.open = resolve));
    const channels = [...REQUEST_NAMES.map((name) => CHANNELS.request(name)), CHANNELS.bulk];
    for (const channel of channels) {
      handle(channel, async (event, params) => {
        await this.#opened;
        return this.#served.get(channel)?.(event, params);
      });
    }
  }

  readonly serve = (channel: string, listener: Listener): void => {
    this.#served.set(channel, listener);
  };
}
