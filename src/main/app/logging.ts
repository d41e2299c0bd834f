import { join } from 'node:path';
import log from 'electron-log/main';
import { clearPlaceSync } from '../own-files/clear-place';
import { redact } from './redact';

/** What the parts of main may write to. Texts only; nothing that came from a person or a model. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

const CURRENT = 'main.log';
/** Where it goes when it is full. */
const BEFORE = 'main.old.log';

/**
 * Log files of 1 MB, one kept behind, under `dir`. The console stays silent in a normal run: only warnings and errors
 * reach it. `knownSecrets` is the live set of keys in memory; each is cut out wherever it stands. What stands in the place of a log file and is
 * none is set aside: lines are written through no link, and a pipe would hold up this thread for ever.
 */
export function startLogging(dir: string, knownSecrets: ReadonlySet<string>): Log & { file: string } {
  const aside = [CURRENT, BEFORE].map((name) => clearPlaceSync(join(dir, name)));
  log.transports.file.resolvePathFn = () => join(dir, CURRENT);
  log.transports.file.maxSize = 1024 * 1024;
  log.transports.file.level = aside.includes('stays') ? false : 'info';
  log.transports.console.level = 'warn';
  log.transports.ipc.level = false;
  log.hooks.push((message) => {
    message.data = message.data.map((part: unknown) =>
      redact(part instanceof Error ? (part.stack ?? part.message) : String(part), knownSecrets),
    );
    return message;
  });
  if (aside.includes('moved'))
    log.warn('What stood in the place of a log file and was none is kept beside it, ending in .bad and a number.');
  if (aside.includes('stays'))
    log.warn(`No log is written: move away what stands in the place of the log files in ${dir}.`);
  return {
    file: join(dir, CURRENT),
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
    error: (message, error) => (error === undefined ? log.error(message) : log.error(message, error)),
  };
}
