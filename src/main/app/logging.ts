import { join } from 'node:path';
import log from 'electron-log/main';
import { redact } from './redact';

/** What the parts of main may write to. Texts only; nothing that came from a person or a model. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/**
 * Log files of 1 MB, one kept behind, under `dir`. The console stays silent in a normal run: only warnings and errors
 * reach it. `knownSecrets` is the live set of keys in memory; each is cut out wherever it stands.
 */
export function startLogging(dir: string, knownSecrets: ReadonlySet<string>): Log {
  log.transports.file.resolvePathFn = () => join(dir, 'main.log');
  log.transports.file.maxSize = 1024 * 1024;
  log.transports.file.level = 'info';
  log.transports.console.level = 'warn';
  log.transports.ipc.level = false;
  log.hooks.push((message) => {
    message.data = message.data.map((part: unknown) =>
      redact(part instanceof Error ? (part.stack ?? part.message) : String(part), knownSecrets),
    );
    return message;
  });
  return {
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
    error: (message, error) => (error === undefined ? log.error(message) : log.error(message, error)),
  };
}
