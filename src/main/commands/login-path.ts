import { spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';
import { randomHex } from '../random-hex';
import { launchClosed } from './launch';
import { allowedEnv } from './programs';

/** Milliseconds that the shell has: a profile that asks something never comes to its end. */
const LIMIT_MS = 5_000;
/** What a profile prints before it is dropped; a PATH is shorter than what a system takes as one. */
const MAX_CHARS = 256 * 1024;
const MAX_PATH_CHARS = 32 * 1024;

/** Whose shell is asked, and with what. */
interface Asked {
  shell: string | null;
  env: Readonly<Record<string, string | undefined>>;
  limitMs?: number;
}

let known: Promise<string | undefined> | undefined;

/**
 * The PATH that commands get (WN25): that of the person's login shell, in which brew, nvm or asdf stand and which an app that a desktop starts does
 * not have, then what the app's own has besides. Nothing else of that shell is taken, so that no key comes along. It is asked once, before the
 * first command, and once more where it could not be started; whoever starts the app in a terminal has that PATH already, with what they changed
 * there. Never rejects.
 */
export function commandPath(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  if (env.TERM !== undefined) return Promise.resolve(env.PATH);
  known ??= askLoginShell({ shell: loginShell(), env }).then(
    (login) => joined(login, env.PATH),
    () => {
      // For want of files, memory or processes now; there may be some at the next command.
      known = undefined;
      return env.PATH;
    },
  );
  return known;
}

/** The login's first, each entry once. Pure. */
export function joined(login: string | undefined, own: string | undefined): string | undefined {
  if (login === undefined) return own;
  const entries = [login, own ?? ''].flatMap((path) => path.split(delimiter)).filter((entry) => isAbsolute(entry));
  return [...new Set(entries)].join(delimiter);
}

/** Windows has none. */
function loginShell(): string | null {
  if (process.platform === 'win32') return null;
  try {
    return userInfo().shell;
  } catch {
    return null;
  }
}

/**
 * The PATH of a login shell; undefined where it does not say one in time. It gets no key of the app's, no terminal and no input.
 * @throws where it can't be started now
 */
export function askLoginShell({ shell, env, limitMs = LIMIT_MS }: Asked): Promise<string | undefined> {
  if (shell === null || !isAbsolute(shell)) return Promise.resolve(undefined);
  // What a profile prints stands around it. `printenv`: each shell writes lists in another way.
  const mark = `espalier-${randomHex(16)}`;
  const ask = `echo ${mark}; printenv PATH; echo ${mark}`;
  // Interactive as well: that is where nvm and asdf put themselves.
  const { file, args } = launchClosed(shell, ['-l', '-i', '-c', ask]);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: '/',
      env: { ...allowedEnv(env), TERM: 'dumb' },
      // A session of its own: a shell that wants the terminal of the app would stop.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // Without room for one more file there is no child, and none of what a child has.
    const stdout = child.stdout as typeof child.stdout | undefined;
    let said = '';
    const end = (path?: string): void => {
      clearTimeout(timer);
      process.off('exit', kill);
      stdout?.destroy();
      kill();
      resolve(path);
    };
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended, with all that it started.
      }
    };
    const timer = setTimeout(end, limitMs);
    process.once('exit', kill);
    child.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') reject(cause);
      end();
    });
    if (!stdout) return;
    stdout.setEncoding('utf8');
    stdout.on('data', (text: string) => {
      said += text;
      const parts = said.split(mark);
      // What runs on behind the second mark is none of ours.
      if (parts.length > 2) end(readPath(parts[1] ?? ''));
      else if (said.length > MAX_CHARS) end();
    });
    stdout.once('close', () => end());
  });
}

/** One line with at least one folder. */
function readPath(text: string): string | undefined {
  const path = text.trim();
  const isPath = path.length <= MAX_PATH_CHARS && !/[\n\r\0]/.test(path);
  return isPath && path.split(delimiter).some((entry) => isAbsolute(entry)) ? path : undefined;
}
