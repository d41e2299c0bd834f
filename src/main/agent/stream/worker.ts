import { parentPort } from 'node:worker_threads';
import { serveProviders } from './worker-server';

if (parentPort) serveProviders(parentPort);
