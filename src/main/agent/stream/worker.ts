import { parentPort } from 'node:worker_threads';
import { boundStrayErrors } from './stray-errors';
import { serveProviders } from './worker-server';

if (parentPort) {
  boundStrayErrors();
  serveProviders(parentPort);
}
