import { utilityProcess } from 'electron';
import type { ExtensionProcess } from '../extensions/host/scope-process';
import program from '../extensions/process/main?modulePath';
import { Offspring } from '../commands/offspring';
import { allowedEnv } from '../commands/programs';

/** A process for the extensions of one scope (EX12): its environment is that of commands, so it holds no key. What it starts ends with it. */
export function startExtensionProcess(): ExtensionProcess {
  const offspring = new Offspring();
  const child = utilityProcess.fork(program, [], {
    serviceName: 'Espalier extensions',
    stdio: 'ignore',
    env: { ...allowedEnv(process.env), ...offspring.env },
  });
  let isEnded = false;
  const kill = (): void => {
    isEnded = true;
    offspring.end();
    if (child.pid === undefined) return;
    try {
      process.kill(child.pid, 'SIGKILL');
    } catch {
      // It is gone.
    }
  };
  child.once('spawn', () => isEnded && kill());
  child.once('exit', () => offspring.end());
  return {
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) =>
      void child.once('exit', (code) =>
        listener(code === 0 ? 'It ended its process.' : `Its process ended (code ${code}).`),
      ),
    kill,
  };
}
