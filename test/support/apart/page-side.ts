import type { FromPage, ToPage } from './link';

/** What the test's side finds in a page. */
export interface PageSide {
  receive(message: ToPage): void;
  /** Where a file lies that the test is about to drop: a page in a browser is not told. */
  given(path: string): void;
}

/**
 * The module `electron` of a preload, in a page of Chromium: messages go through `toTest`, a function that the browser's debugger
 * put there, because the page's own policy lets no connection out. Runs as source text before the page's code; `preload` is the
 * built preload, which the window gets in Electron too.
 */
export function runPreload(
  toTest: string,
  pageSide: string,
  preload: (require: () => unknown, module: object) => void,
): void {
  if (window !== window.top) return;
  const page = window as unknown as Record<string, unknown>;
  const post = page[toTest] as (text: string) => void;
  const tell = (message: FromPage): void => post(JSON.stringify(message));
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, Set<(event: object, value: unknown) => void>>();
  const ports = new Map<number, MessagePort>();
  const paths = new Map<string, string>();
  let count = 0;

  function openPort(number: number): MessagePort {
    const { port1, port2 } = new MessageChannel();
    ports.set(number, port1);
    port1.onmessage = ({ data }) => tell({ type: 'port', port: number, value: data as unknown });
    const close = port2.close.bind(port2);
    port2.close = () => {
      // What was posted before it is on its way.
      setTimeout(() => tell({ type: 'port-closed', port: number }));
      ports.delete(number);
      close();
    };
    return port2;
  }

  const side: PageSide = {
    receive(message) {
      if (message.type === 'port') return ports.get(message.port)?.postMessage(message.value);
      if (message.type === 'event') {
        const event = { ports: message.ports.map(openPort) };
        for (const listener of [...(listeners.get(message.channel) ?? [])]) listener(event, message.value);
        return;
      }
      const call = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error === undefined) call?.resolve(message.value);
      else call?.reject(new Error(message.error));
    },
    given: (path) => void paths.set(path.split('/').at(-1) ?? '', path),
  };
  Object.defineProperty(window, pageSide, { value: side });

  const electron = {
    contextBridge: {
      exposeInMainWorld: (name: string, value: object) =>
        Object.defineProperty(window, name, { value: Object.freeze(value), enumerable: true }),
    },
    ipcRenderer: {
      invoke: (channel: string, ...values: unknown[]) =>
        new Promise((resolve, reject) => {
          count += 1;
          waiting.set(count, { resolve, reject });
          tell({ type: 'invoke', id: count, channel, values });
        }),
      send: (channel: string, ...values: unknown[]) => tell({ type: 'send', channel, values }),
      on: (channel: string, listener: (event: object, value: unknown) => void) =>
        void listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener)),
      removeListener: (channel: string, listener: (event: object, value: unknown) => void) =>
        void listeners.get(channel)?.delete(listener),
    },
    webUtils: { getPathForFile: (file: File) => paths.get(file.name) ?? '' },
  };
  tell({ type: 'begin' });
  preload(() => electron, { exports: {} });
}
