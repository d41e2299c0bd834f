import { serveMcp } from './process/serve';
import type { ToProcess } from './process/messages';

/** The process in which the clients of all servers run (EX20): what a server does to it does not reach main. */
const { parentPort: main } = process;
const take = serveMcp((message) => main.postMessage(message), process.env.ESPALIER_VERSION ?? '');
// One server's fault, or a page's, is no reason to end all others.
process.on('uncaughtException', (error) => process.stderr.write(`${error.stack ?? String(error)}\n`));
main.on('message', ({ data }: { data: ToProcess }) => take(data));
