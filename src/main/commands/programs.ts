import { accessSync, constants, statSync } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isAtOrBelow } from '../places/protected-paths';

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The folders of a PATH that name one place: a relative or an empty entry means whatever folder a program runs in, which may be the
 * workspace (docs/specs/safety.md B2).
 */
function absoluteEntries(path: string | undefined): string[] {
  return (path ?? DEFAULT_PATH).split(delimiter).filter((entry) => isAbsolute(entry));
}

/** A PATH without its relative entries. */
function absolutePath(path: string | undefined): string {
  return absoluteEntries(path).join(delimiter) || DEFAULT_PATH;
}

/** For our own helpers, which need the system's programs alone: those come first, whatever the person's PATH begins with. */
export function systemPath(): string {
  return ['/usr/bin', '/bin', ...absoluteEntries(process.env.PATH)].join(delimiter);
}

/** A program that main may start by itself, and the PATH that it gets. */
export interface Program {
  /** Absolute. */
  file: string;
  path: string;
}

/**
 * Finds a program by name for work in a folder whose files are not to be run: only absolute entries count, and neither they nor the program, by their
 * real paths, may lie in that folder. Without a folder any will do. Null if there is none.
 */
export async function findProgram(
  name: string,
  folder: string | null,
  path: string | undefined = process.env.PATH,
): Promise<Program | null> {
  const inside = folder === null ? [] : [folder, await realpath(folder)];
  const isOutside = (at: string): boolean => !inside.some((dir) => isAtOrBelow(at, dir));
  const reals = absoluteEntries(path).map(async (entry) => [entry, await realpath(entry).catch(() => null)] as const);
  const entries = (await Promise.all(reals)).flatMap(([entry, at]) =>
    at !== null && isOutside(entry) && isOutside(at) ? [entry] : [],
  );
  for (const entry of entries) {
    const file = join(entry, name);
    const target = await realpath(file).catch(() => null);
    if (target !== null && isOutside(target) && (await isProgram(target)))
      return { file, path: entries.join(delimiter) };
  }
  return null;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

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

/** The environment of a command: what it may have of the app's, the way to the person's SSH agent if they allow it (WN25), and its mark. Pure. */
export function buildCommandEnv(
  parent: Readonly<Record<string, string | undefined>>,
  mark: string,
  sshAgent = false,
): Record<string, string> {
  const { SSH_AUTH_SOCK: agent } = parent;
  const env = { ...allowedEnv(parent), [COMMAND_MARK]: mark };
  return sshAgent && agent !== undefined ? { ...env, SSH_AUTH_SOCK: agent } : env;
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
