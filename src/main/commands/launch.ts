import { readdirSync } from 'node:fs';
import type { StdioOptions } from 'node:child_process';
import { findShell } from './command-env';

/**
 * Starting a program so that it gets no descriptor of the app's but its three. Node marks its own so that they are closed;
 * Chromium's are not all, and one of them is the log of the window's database. On macOS the system closes them
 * (POSIX_SPAWN_CLOEXEC_DEFAULT).
 */
const BASH = /(^|\/)bash$/u;
const HAS_PROC = process.platform === 'linux';

/** Lines for bash that close what it was given beyond its three. Only bash takes descriptors of more than one digit. */
export const CLOSE_INHERITED =
  'for fd in /proc/self/fd/*; do fd="${fd##*/}"; if [ "$fd" -gt 2 ] 2>/dev/null; then eval "exec $fd>&-"; fi; done; unset fd';

/** Whether a shell closes what it inherited by `CLOSE_INHERITED`. */
export function closesInherited(shell: string): boolean {
  return HAS_PROC && BASH.test(shell);
}

/**
 * For a shell that can't: every number up to the highest in use is reopened as the null device. `spares` more, for what
 * other threads open meanwhile.
 */
export function coverInherited(stdio: readonly ('ignore' | 'pipe')[], spares = 64): StdioOptions {
  if (!HAS_PROC) return [...stdio];
  const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
  return [...stdio, ...Array<'ignore'>(Math.max(0, highest + spares - stdio.length)).fill('ignore')];
}

/** A program and its arguments, started by way of bash where there is one, with what it inherits closed. The process stays the same. */
export function launchClosed(
  file: string,
  args: readonly string[],
  bash = shellIfAny(),
): { file: string; args: string[] } {
  if (!closesInherited(bash)) return { file, args: [...args] };
  return { file: bash, args: ['-c', `${CLOSE_INHERITED}; exec "$0" "$@"`, file, ...args] };
}

function shellIfAny(): string {
  try {
    return findShell();
  } catch {
    return '';
  }
}
