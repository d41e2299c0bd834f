// In the process that stands in for a utility process: what Electron puts there, over the channel to main.
const { EventEmitter } = require('node:events');

const port = new EventEmitter();
port.postMessage = (message) => process.send?.(message);
process.on('message', (data) => port.emit('message', { data }));
// Main is gone.
process.on('disconnect', () => process.exit());
process.parentPort = port;
