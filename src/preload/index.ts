import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { EspalierBridge } from '@shared/ipc/contract';
import { partsOf, takeApart } from '@shared/ipc/long-texts';
import { type BatchPart, type BulkPacket, CHANNELS, type RequestMessage } from '@shared/ipc/names';

/**
 * Before Electron 29, which the development runtime is, a file tells its path by a getter of its class. Taken from this world's own
 * class before the page runs: called on anything but a real file it throws, whatever `path` the page has put on that.
 */
const legacyPath = Object.getOwnPropertyDescriptor(File.prototype, 'path')?.get;

/** Where a file that the person gave lies; empty for what has no path, was made by script or is no file. */
function pathOfFile(file: unknown): string {
  try {
    const path: unknown = webUtils?.getPathForFile ? webUtils.getPathForFile(file as File) : legacyPath?.call(file);
    return typeof path === 'string' ? path : '';
  } catch {
    return '';
  }
}

let bulkCount = 0;

type BulkMessage = BulkPacket | { done: true } | { error: string };

/** A request with long texts that is on its way: what the page asks afterwards must not overtake it. */
let sending: Promise<unknown> | null = null;
let textCount = 0;

async function send(message: RequestMessage): Promise<string> {
  while (sending) await sending;
  const apart = takeApart(message, () => `${performance.timeOrigin}-${(textCount += 1)}`);
  if (!apart) return ipcRenderer.invoke(CHANNELS.request, message);
  const parts = (async () => {
    for (const part of partsOf(apart)) await ipcRenderer.invoke(CHANNELS.part, part);
  })();
  const sent = parts
    .catch(() => undefined)
    .finally(() => {
      if (sending === sent) sending = null;
    });
  sending = sent;
  await parts;
  return ipcRenderer.invoke(CHANNELS.request, apart.rest, apart.places);
}

/** The one object that the page gets. It strips Electron's event objects and gives it no channel but those of the app; main knows the names of the contract. */
const bridge: EspalierBridge = {
  request(name, params) {
    return send({ name, params });
  },
  onEvents(listener) {
    let open: { seq: number; texts: string[] } | null = null;
    const receive = (_event: unknown, message: string | BatchPart): void => {
      if (typeof message === 'string') return listener(message);
      const { seq, at, text, isLast } = message;
      if (at === 0) open = { seq, texts: [] };
      // The rest of one that began for the page before this one.
      if (open?.seq !== seq || open.texts.length !== at) return;
      open.texts.push(text);
      if (!isLast) return;
      const whole = open.texts.join('');
      open = null;
      listener(whole);
    };
    ipcRenderer.on(CHANNELS.events, receive);
    return () => ipcRenderer.removeListener(CHANNELS.events, receive);
  },
  bulk(name, params, onChunk) {
    bulkCount += 1;
    const bulkId = `${performance.timeOrigin}-${bulkCount}`;
    let port: MessagePort | undefined;
    let finish: (() => void) | undefined;
    const parts: string[] = [];
    const done = new Promise<void>((resolve, reject) => {
      finish = resolve;
      const receivePort = (event: Electron.IpcRendererEvent, message: { bulkId: string }): void => {
        if (message.bulkId !== bulkId) return;
        ipcRenderer.removeListener(CHANNELS.bulkPort, receivePort);
        port = event.ports[0];
        if (!port) return reject(new Error('No port came with the answer.'));
        port.onmessage = ({ data }: MessageEvent<BulkMessage>) => {
          if ('part' in data) {
            parts.push(data.part);
            port?.postMessage('next');
            return;
          }
          if ('chunk' in data) {
            const taken = onChunk(parts.length === 0 ? data.chunk : parts.splice(0).join(''));
            if (taken === undefined) port?.postMessage('next');
            else void taken.finally(() => port?.postMessage('next'));
            return;
          }
          port?.close();
          if ('error' in data) reject(new Error(data.error));
          else resolve();
        };
        port.postMessage('next');
      };
      ipcRenderer.on(CHANNELS.bulkPort, receivePort);
      ipcRenderer.invoke(CHANNELS.bulk, { name, params, bulkId }).catch((error: unknown) => {
        ipcRenderer.removeListener(CHANNELS.bulkPort, receivePort);
        reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
    return {
      done,
      cancel: () => {
        port?.postMessage('cancel');
        port?.close();
        finish?.();
      },
    };
  },
  offerFiles(files) {
    const paths = Array.isArray(files) ? files.map(pathOfFile).filter((path) => path !== '') : [];
    return ipcRenderer.invoke(CHANNELS.files, paths);
  },
};

contextBridge.exposeInMainWorld('espalier', bridge);
