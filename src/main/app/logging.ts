import log from 'electron-log/main';
import type { Log } from '../ports';
import { LogFile, redact } from './log-file';

/**
 * The console stays silent in a normal run: only warnings and errors reach it. `knownSecrets` is the live set of keys in memory; each is cut out
 * wherever it stands. Files: `LogFile`.
 */
export function startLogging(dir: string, knownSecrets: ReadonlySet<string>): Log & { file: LogFile } {
  const file = new LogFile(dir);
  log.transports.file.level = false;
  let isTold = false;
  const intoFile = ({ level, data, date }: Parameters<typeof log.transports.console>[0]): void => {
    if (file.add(level, data.map(String).join(' '), date) || isTold) return;
    isTold = true;
    log.transports.console({ level: 'warn', date, data: [`No log can be written in ${dir}.`], logId: 'default' });
  };
  log.transports.own = Object.assign(intoFile, { level: 'info' as const, transforms: [] });
  log.transports.console.level = 'warn';
  log.transports.ipc.level = false;
  log.hooks.push((message) => {
    message.data = message.data.map((part: unknown) =>
      redact(part instanceof Error ? (part.stack ?? part.message) : String(part), knownSecrets),
    );
    return message;
  });
  return {
    file,
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
    error: (message, error) => (error === undefined ? log.error(message) : log.error(message, error)),
  };
}
