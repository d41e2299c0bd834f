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
    const child = spawn(command, [...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let hard: NodeJS.Timeout | undefined;
    const kill = (): void => {
      killed = true;
      child.kill('SIGTERM');
      hard ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
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
      signal?.removeEventListener('abort', kill);
      const [stdout, stderr] = [out, err].map((list) => Buffer.concat(list).toString('utf8')) as [string, string];
      resolve({ stdout, stderr: stderr + problem, code, killed, truncated });
    };
    child.once('error', (error) => end(127, error.message));
    child.once('close', (code) => end(code ?? (killed ? 143 : 1)));
  });
}
