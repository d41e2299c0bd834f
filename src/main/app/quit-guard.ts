import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { systemPath } from '../commands/programs';
import type { LogFile } from './log-file';
import SCRIPT from './quit-guard.sh?raw';

/** Seconds that a quit has, all in all: what closes files in order has five of them (`start.ts`), the rest is for a slow machine. */
const LIMIT_S = 15;

export interface QuitGuard {
  /** What is begun now, for the log if it never ends. */
  at(step: string): void;
}

/**
 * From now on this process ends, whatever its threads do (docs/specs/safety.md A11): a loop that never comes back to the event loop, in this thread
 * or in one that the runtime waits for at its end, would keep it alive for ever, with the window gone. Another process, not a thread:
 * the runtime ends its threads one after the other, so one that can't be ended takes a watching thread along. Not on Windows.
 */
export function guardQuit(logFile: LogFile, seconds = LIMIT_S): QuitGuard {
  if (process.platform === 'win32') return { at: () => undefined };
  const args = ['-c', SCRIPT, 'espalier-quit', String(process.pid), String(seconds)];
  const log = logFile.open();
  const env = { PATH: systemPath() };
  // Out of the terminal's group: what ends all of that there must not leave us without it.
  const guard = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', log?.descriptor ?? 'ignore'], detached: true, env });
  if (log) closeSync(log.descriptor);
  // Without it a quit is what it was before: nothing of it depends on the guard.
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  guard.unref();
  return { at: (step) => void guard.stdin?.write(`${step}\n`) };
}
