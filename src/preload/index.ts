import { contextBridge, ipcRenderer } from 'electron';
import type { EspalierBridge } from '@shared/ipc/contract';
import { BULK_NAMES, CHANNELS, REQUEST_NAMES, type BatchPart } from '@shared/ipc/names';
import { pathOfFile } from './file-paths';

const requestNames: ReadonlySet<string> = new Set(REQUEST_NAMES);
const bulkNames: ReadonlySet<string> = new Set(BULK_NAMES);
let bulkCount = 0;

type BulkMessage = { chunk: unknown } | { done: true } | { error: string };

/** The one object that the page gets. It strips Electron's event objects and knows only the names of the contract. */
const bridge: EspalierBridge = {
  request(name, params) {
    if (!requestNames.has(name)) return Promise.reject(new Error(`Unknown request: ${String(name)}`));
    return ipcRenderer.invoke(CHANNELS.request(name), params);
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
    if (!bulkNames.has(name))
      return { done: Promise.reject(new Error(`Unknown bulk request: ${String(name)}`)), cancel: () => undefined };
    bulkCount += 1;
    const bulkId = `${performance.timeOrigin}-${bulkCount}`;
    let port: MessagePort | undefined;
    let finish: (() => void) | undefined;
    const done = new Promise<void>((resolve, reject) => {
      finish = resolve;
      const receivePort = (event: Electron.IpcRendererEvent, message: { bulkId: string }): void => {
        if (message.bulkId !== bulkId) return;
        ipcRenderer.removeListener(CHANNELS.bulkPort, receivePort);
        port = event.ports[0];
        if (!port) return reject(new Error('No port came with the answer.'));
        port.onmessage = ({ data }: MessageEvent<BulkMessage>) => {
          if ('chunk' in data) {
            const taken = onChunk(data.chunk);
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
