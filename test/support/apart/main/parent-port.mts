import { EventEmitter } from 'node:events';

/** In the process that stands in for a utility process: what Electron puts there, over the channel to main. */
const port = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void process.send?.(message),
});
process.on('message', (data) => port.emit('message', { data }));
// Main is gone.
process.on('disconnect', () => process.exit());
Object.assign(process, { parentPort: port });
