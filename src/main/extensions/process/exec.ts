import { spawn } from 'node:child_process';

interface ExecOptions {
  cwd: string;
  signal?: AbortSignal;
  timeout?: number;
  maxBuffer?: number;
}

interface ExecResult {
  stdout: string;
  stderr: string;
  code: number;
  killed: boolean;
  truncated: boolean;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** After it was asked to end. Milliseconds. */
const GRACE_MS = 2_000;
/** What it started may hold its output open after it has ended. Milliseconds. */
const REST_MS = 100;
const MAX_RESTS = 20;

/** `pi.exec`: a program with its arguments, without a shell. Never rejects: what can't be started has a code and says why on stderr. */
export function exec(
  command: string,
  args: readonly string[],
  { cwd, signal, timeout, maxBuffer = MAX_BYTES }: ExecOptions,
): Promise<ExecResult> {
  return new Promise((resolve) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let killed = false;
    let truncated = false;
    // A group of its own: who ends it ends what it started.
    const child = spawn(command, [...args], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const signalAll = (name: NodeJS.Signals): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, name);
      } catch {
        // It is gone.
      }
    };
    let hard: NodeJS.Timeout | undefined;
    let rest: NodeJS.Timeout | undefined;
    const kill = (): void => {
      killed = true;
      signalAll('SIGTERM');
      hard ??= setTimeout(() => signalAll('SIGKILL'), GRACE_MS);
    };
    const timer = timeout !== undefined && timeout > 0 ? setTimeout(kill, timeout) : undefined;
    signal?.addEventListener('abort', kill, { once: true });
    if (signal?.aborted) kill();
    const keep = (list: Buffer[]) => (chunk: Buffer) => {
      const room = maxBuffer - bytes;
      bytes += chunk.length;
      list.push(chunk.length > room ? chunk.subarray(0, Math.max(0, room)) : chunk);
      if (chunk.length <= room || truncated) return;
      truncated = true;
      kill();
    };
    child.stdout.on('data', keep(out));
    child.stderr.on('data', keep(err));
    const end = (code: number, problem = ''): void => {
      clearTimeout(timer);
      clearTimeout(hard);
      clearTimeout(rest);
      if (killed) signalAll('SIGKILL');
      // What goes on without it may write, and nobody listens.
      for (const pipe of [child.stdout, child.stderr]) pipe.removeAllListeners('data').resume();
      signal?.removeEventListener('abort', kill);
      const [stdout, stderr] = [out, err].map((list) => Buffer.concat(list).toString('utf8')) as [string, string];
      resolve({ stdout, stderr: stderr + problem, code, killed, truncated });
    };
    child.once('error', (error) => end(127, error.message));
    const ended = (code: number | null): void => end(code ?? (killed ? 143 : 1));
    const waitForRest = (code: number | null, before: number, left: number): void => {
      rest = setTimeout(() => {
        if (bytes === before || left === 0) ended(code);
        else waitForRest(code, bytes, left - 1);
      }, REST_MS);
    };
    child.once('exit', (code) => waitForRest(code, bytes, MAX_RESTS));
    child.once('close', ended);
  });
}
