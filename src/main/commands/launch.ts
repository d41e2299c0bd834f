import { readdirSync } from 'node:fs';
import { execFile, type StdioOptions } from 'node:child_process';
import { tmpdir } from 'node:os';
import { type FolderIdentity, identify } from '../places/folder';
import { allowedEnv, findProgram, findShell, systemPath } from './programs';

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
  // Whose input is a socket, as Node's pipes are, it would take for a login from afar, and read the person's start-up file.
  return { file: bash, args: ['--norc', '-c', `${CLOSE_INHERITED}; exec "$0" "$@"`, file, ...args] };
}

function shellIfAny(): string {
  try {
    return findShell();
  } catch {
    return '';
  }
}

/** What a shell is to be told to refuse any other folder than one; all empty where the system has no program that tells folders apart. */
export interface FolderCheck {
  /** What the program has to say of the folder. */
  words: string;
  program: string;
  option: string;
  format: string;
}

/** The system's own `stat`, in a way that was seen to give what we know of a folder by ourselves. */
interface KnownStat {
  program: string;
  /** Device and number; with the time of birth. */
  plain: Way;
  withBirth?: Way;
}
type Way = readonly [option: string, format: string];

const NO_CHECK: FolderCheck = { words: '', program: '', option: '', format: '' };
const PROBE_MS = 10_000;
/** GNU and busybox, then BSD. */
const PLAIN: readonly Way[] = [
  ['-c', '%d:%i'],
  ['-f', '%d:%i'],
];
const WITH_BIRTH: readonly Way[] = [['-c', '%d:%i %.9W']];
/** Not the person's: with it a number may have a comma in it. The shell sets it, too (run-command.ts). */
const LOCALE = { LC_ALL: 'C' };
const UNSURE = 'It could not be found out whether the folder is the one that was shown. Nothing was done. Try again.';

let known: Promise<KnownStat | null> | undefined;

/**
 * How a shell finds out in which folder it stands, by what that is and not by its path. `own`: a folder of ours to try the program with, once.
 * Rejects with a plain message if trying it fails this time: only a system without such a program goes unchecked.
 */
export async function folderCheck(folder: FolderIdentity | undefined, own: string): Promise<FolderCheck> {
  if (folder?.dev === undefined) return NO_CHECK;
  known ??= probe(own);
  const stat = await known.catch((error: unknown) => {
    known = undefined;
    throw new Error(UNSURE, { cause: error });
  });
  if (!stat) return NO_CHECK;
  const { program, plain, withBirth } = stat;
  const hasBirth = folder.born !== undefined && withBirth !== undefined;
  const [option, format] = hasBirth ? withBirth : plain;
  return { words: wordsOf(folder, hasBirth), program, option, format };
}

async function probe(own: string): Promise<KnownStat | null> {
  const program = await findProgram('stat', null, systemPath());
  if (!program) return null;
  const folder = await identify(own);
  if (!folder) throw new Error(`${own} can't be looked at`);
  const plain = await firstThatSays(program.file, PLAIN, folder, false);
  if (!plain) return null;
  const born = folder.born === undefined ? await folderWithBirth() : folder;
  const withBirth = born && (await firstThatSays(program.file, WITH_BIRTH, born, true));
  return { program: program.file, plain, withBirth };
}

/** Where the data folder keeps no times of birth a workspace may: another folder of this computer shows how they are told. */
async function folderWithBirth(): Promise<FolderIdentity | undefined> {
  for (const path of [tmpdir(), '/', '/dev/shm']) {
    const folder = await identify(path);
    if (folder?.born !== undefined) return folder;
  }
  return undefined;
}

async function firstThatSays(
  program: string,
  ways: readonly Way[],
  folder: FolderIdentity,
  withBirth: boolean,
): Promise<Way | undefined> {
  for (const way of ways) if ((await say(program, way, folder.path)) === wordsOf(folder, withBirth)) return way;
  return undefined;
}

/** What the program says; undefined if it does not take the option. Rejects if it was not started or did not end. */
function say(program: string, way: Way, path: string): Promise<string | undefined> {
  const options = { timeout: PROBE_MS, env: { ...allowedEnv(process.env), ...LOCALE } };
  return new Promise((resolve, reject) => {
    execFile(program, [...way, path], options, (error, said) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve(error ? undefined : said.trim());
    });
  });
}

function wordsOf({ dev, ino, born = '' }: FolderIdentity, withBirth: boolean): string {
  const digits = born.padStart(10, '0');
  return withBirth ? `${dev}:${ino} ${digits.slice(0, -9)}.${digits.slice(-9)}` : `${dev}:${ino}`;
}
