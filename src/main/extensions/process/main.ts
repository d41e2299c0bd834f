import { setFlagsFromString } from 'node:v8';
import { hearNotifications } from './notifications';
import { Scope } from './scope';

/** Of what extensions keep on the heap: one that fills it ends this process, not the machine. Megabytes. */
const HEAP_MB = 1024;
setFlagsFromString(`--max-old-space-size=${HEAP_MB}`);

/** The program of a scope's process: Electron's utility process in the app, a child of Node in tests (EX12). */
const { parentPort } = process as { parentPort?: Electron.ParentPort };
const post = (message: unknown): void => {
  if (parentPort) parentPort.postMessage(message);
  else process.send?.(message);
};
hearNotifications();
const scope = new Scope(post);
if (parentPort) parentPort.on('message', ({ data }: { data: unknown }) => scope.take(data));
else process.on('message', (data) => scope.take(data));
// Main is gone: nobody needs what runs here.
process.on('disconnect', () => process.exit());
process.on('exit', () => scope.settle());
process.on('unhandledRejection', (error) => scope.stray(error));
process.on('uncaughtException', (error) => scope.stray(error));
