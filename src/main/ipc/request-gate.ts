import { APP_ORIGIN } from '../pages';
import { CHANNELS } from '@shared/ipc/names';
import type { AppFailure, IpcResult } from '@shared/types';

/** What is needed of Electron's invoke event to know who asks; an interface so that it can be tested without a window. */
export interface Sender {
  /** Null when the frame is gone. */
  senderFrame: { url: string; parent: unknown } | null;
  sender: { id: number };
}

/**
 * Whether a message comes from our own page in our own window's main frame (security checklist 17). Sub-frames, other
 * origins and other windows are refused.
 */
export function isTrustedSender(event: Sender, windowId: number | undefined): boolean {
  const frame = event.senderFrame;
  if (!frame || frame.parent !== null || event.sender.id !== windowId) return false;
  try {
    const url = new URL(frame.url);
    return `${url.protocol}//${url.host}` === APP_ORIGIN;
  } catch {
    return false;
  }
}

/** Answers one channel. */
type Listener = (event: Sender, params: unknown) => unknown;

export interface GateOptions {
  /** Registers one channel: `ipcMain.handle` in the app, a map in tests. */
  handle: (channel: string, listener: Listener) => void;
  /** Resolves when every channel is served; asked for each request, so that a start that failed can be tried again. */
  ready: () => Promise<unknown>;
  /** What the window is told when `ready` rejects. */
  failureOf: (error: unknown) => AppFailure;
}

/**
 * Stands at the channels of the contract from the moment the window opens: what it asks for before the services are there
 * waits. Nothing is looked at here; who asks and for what is checked by whoever serves the channel.
 */
export class RequestGate {
  readonly #served = new Map<string, Listener>();

  constructor({ handle, ready, failureOf }: GateOptions) {
    for (const channel of [CHANNELS.request, CHANNELS.files]) {
      handle(channel, async (event, params) => {
        try {
          await ready();
        } catch (error) {
          return { ok: false, error: failureOf(error) } satisfies IpcResult<never>;
        }
        return this.#served.get(channel)?.(event, params);
      });
    }
    handle(CHANNELS.bulk, async (event, params) => {
      await ready();
      return this.#served.get(CHANNELS.bulk)?.(event, params);
    });
  }

  readonly serve = (channel: string, listener: Listener): void => {
    this.#served.set(channel, listener);
  };
}
