import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';

/** A utility process as main uses it: Node in a process of its own, which talks over `process.parentPort`. */
class UtilityProcess extends EventEmitter {
  readonly #child: ChildProcess;

  constructor(file: string, env: Record<string, string> | undefined) {
    super();
    this.#child = fork(file, [], {
      // Bytes of picked files travel as what they are, as with a utility process.
      serialization: 'advanced',
      env,
      execArgv: ['--import', new URL('parent-port.mts', import.meta.url).href],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('spawn', () => this.emit('spawn'));
    this.#child.on('message', (message) => this.emit('message', message));
    this.#child.on('exit', (code) => this.emit('exit', code));
    this.#child.on('error', () => undefined);
    this.#child.unref();
    this.#child.channel?.unref();
  }
  get pid(): number | undefined {
    return this.#child.pid;
  }
  postMessage(message: unknown): void {
    if (this.#child.connected) this.#child.send(message as object);
  }
}

export const utilityProcess = {
  fork: (file: string, _args: string[], { env }: { env?: Record<string, string> }): UtilityProcess =>
    new UtilityProcess(file, env),
};
