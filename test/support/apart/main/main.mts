/**
 * Main in plain Node: runs the built `out/main/index.js`, the very file that ships, with a stand-in for Electron. Started by
 * `apart-app.ts`, whose switches it gets as Electron would.
 */
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ToMain } from '../link.ts';
import { electron } from './electron.mts';
import { listen, tell } from './link.mts';
import { contentsOf } from './windows.mts';

const here = join(process.cwd(), 'out/main/index.js');

const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
const load = loader._load;
loader._load = (request, ...rest) => (request === 'electron' ? electron : load(request, ...rest));

// The app asks which Electron it runs on: here none, in the place of the one that ships.
const { version } = createRequire(here)('electron/package.json') as { version: string };
Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: version } });

const act: { [K in ToMain['kind']]: (message: Extract<ToMain, { kind: K }>) => void } = {
  loaded: ({ contents }) => void contentsOf(contents)?.emit('did-finish-load'),
  crashed: ({ contents }) => contentsOf(contents)?.crashed(),
  'from-page': ({ contents, message }) => contentsOf(contents)?.receive(message),
  evaluate: ({ id, source, argument }) => void evaluate(id, source, argument),
  quit: () => electron.app.quit(),
};
listen((message) => act[message.kind](message as never));

async function evaluate(id: number, source: string, argument: unknown): Promise<void> {
  try {
    const run = (0, eval)(`(${source})`) as (parts: typeof electron, argument: unknown) => unknown;
    tell({ kind: 'evaluated', id, value: await run(electron, argument) });
  } catch (error) {
    tell({ kind: 'evaluated', id, error: String(error) });
  }
}

createRequire(here)(here);
