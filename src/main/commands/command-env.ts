import { accessSync, constants, statSync } from 'node:fs';
import { absolutePath } from './programs';

/** The variables that a command gets, and no other: keys and tokens of the app's own environment never reach it (QS6). */
const ALLOWED = new Set(['PATH', 'HOME', 'LANG', 'LANGUAGE', 'TERM', 'TMPDIR', 'USER', 'SHELL']);

/** Marks every process of one command, so that those which left its process group are found too. */
export const COMMAND_MARK = 'ESPALIER_COMMAND';

/**
 * A second mark, in a place that a new environment, session and parent leave as it is: the limit on file locks, which Linux
 * keeps and hands down but does not apply any more. A number below 2^48 that no system sets by itself.
 */
export function lockMark(mark: string): number {
  return Number.parseInt(mark.replaceAll('-', '').slice(0, 12), 16) + 2 ** 32;
}

/**
 * What a command gets of the app's environment: an allow-list of names. Of its PATH what is relative is left out: it would be the
 * workspace's. Pure.
 */
export function allowedEnv(parent: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && (ALLOWED.has(name) || /^LC_[A-Z]+$/u.test(name))) env[name] = value;
  }
  env.PATH = absolutePath(parent.PATH);
  return env;
}

/** The environment of a command: what it may have of the app's, and its mark. Pure. */
export function buildCommandEnv(
  parent: Readonly<Record<string, string | undefined>>,
  mark: string,
): Record<string, string> {
  return { ...allowedEnv(parent), [COMMAND_MARK]: mark };
}

/** The shell that commands run in: bash, else sh. Throws with a plain message if there is neither. */
export function findShell(): string {
  for (const shell of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash', '/bin/sh']) {
    try {
      accessSync(shell, constants.X_OK);
      if (statSync(shell).isFile()) return shell;
    } catch {
      // Not here: try the next.
    }
  }
  throw new Error('No shell was found (bash or sh), so commands cannot run on this computer.');
}
