import { safeStorage, utilityProcess } from 'electron';
import fileWorker from '../files/file-worker?modulePath';
import mcpProcess from '../mcp/mcp-process?modulePath';
import type { FileHand } from '../files/file-workers';
import type { McpPort } from '../mcp/link';
import type { KeyVault } from '../models/credentials';

/** Of the environment no more than files and git need: no key, nothing that changes what Node does. */
const HANDED_ON = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERPROFILE'];

/** The process in which the clients of MCP servers run. It has nothing of the environment: what a server gets is told to it. */
export function startMcpProcess(version: string): McpPort {
  const env = { PATH: process.env.PATH ?? '', ESPALIER_VERSION: version };
  const child = utilityProcess.fork(mcpProcess, [], { serviceName: 'Espalier MCP', stdio: 'ignore', env });
  return {
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.on('exit', listener),
    kill: () => {
      if (child.pid === undefined) child.once('spawn', () => killNow(child.pid));
      else killNow(child.pid);
    },
  };
}

function killNow(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** A process for work on files. It is ended from outside, at once: it may hang in a call of the system, and quitting must not wait for it. */
export function startFileProcess(): FileHand {
  const env = Object.fromEntries(
    HANDED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const child = utilityProcess.fork(fileWorker, [], { serviceName: 'Espalier files', stdio: 'ignore', env });
  let isEnded = false;
  const kill = (): void => killNow(child.pid);
  child.once('spawn', () => isEnded && kill());
  return {
    postMessage: (job) => child.postMessage(job),
    // There is no `error`: what fails there ends it, and that is told.
    on: (event: 'message' | 'error' | 'exit', listener: (value: never) => void) =>
      event === 'error' ? undefined : child.on(event as 'message', listener as (value: unknown) => void),
    terminate: () => {
      isEnded = true;
      kill();
    },
    unref: () => undefined,
  };
}

/**
 * The system's keyring through Electron. On Linux without one, Chromium would encrypt with a fixed password
 * (`basic_text`): that is not a keyring, and the person is asked instead (QC5).
 */
export function systemKeyVault(): KeyVault {
  return {
    available: () => safeStorage.isEncryptionAvailable() && backend() !== 'basic_text',
    encrypt: (text) => safeStorage.encryptString(text).toString('base64'),
    decrypt: (base64) => safeStorage.decryptString(Buffer.from(base64, 'base64')),
  };
}

/** The name of the backend where Electron tells it; older runtimes do not have the call. */
function backend(): string {
  if (process.platform !== 'linux' || typeof safeStorage.getSelectedStorageBackend !== 'function') return 'system';
  return safeStorage.getSelectedStorageBackend();
}
