import { fork } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { Offspring } from '../../src/main/commands/offspring';
import type { ExtensionProcess } from '../../src/main/extensions/host/scope-process';

const root = fileURLToPath(new URL('../..', import.meta.url));
let program: Promise<string> | undefined;

/** The program of a scope's process, bundled from its source with all that it needs, once. */
function extensionProgram(): Promise<string> {
  return (program ??= bundle());
}

async function bundle(): Promise<string> {
  const { output } = (await build({
    ...{ configFile: false, root, logLevel: 'error' },
    resolve: { alias: { '@shared': `${root}/src/shared` } },
    ssr: { noExternal: true },
    build: {
      write: false,
      ssr: 'src/main/extensions/process/main.ts',
      rolldownOptions: { output: { format: 'cjs', codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput;
  const file = join(mkdtempSync(join(tmpdir(), 'extension-program-')), 'main.cjs');
  writeFileSync(file, output[0].code);
  return file;
}

/** Children of Node in place of Electron's processes: the same program, the same protocol. */
export async function nodeExtensionProcess(): Promise<() => ExtensionProcess> {
  const file = await extensionProgram();
  return () => {
    const offspring = new Offspring();
    const env = { PATH: process.env.PATH, ...offspring.env };
    const child = fork(file, [], { serialization: 'advanced', stdio: 'ignore', env });
    child.once('exit', () => offspring.end());
    // A process that is gone takes nothing any more; its end is told.
    child.on('error', () => undefined);
    return {
      postMessage: (message) => child.connected && child.send(message as object),
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) =>
        void child.once('exit', (code, signal) => listener(`Its process ended (${signal ?? `code ${code}`}).`)),
      kill: () => void child.kill('SIGKILL'),
    };
  };
}
