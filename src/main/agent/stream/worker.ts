import { parentPort } from 'node:worker_threads';
import { boundStrayErrors, serveProviders } from './worker-server';
if (parentPort) {
  boundStrayErrors();
  serveProviders(parentPort);
}
