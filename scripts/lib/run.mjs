import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a command in the project's folder and resolves with its exit code (128 + n after signal n, 127 when it could not
 * be started). Signals sent to this process are passed on, so that Ctrl+C ends the child first and clean-up still runs.
 * @param options `env` is added to the present environment; `quiet` drops the output; `held` prints it whole at the end,
 *   for what runs beside something else; `timeoutMs` ends the command; `keys` (`keys.mjs`) are handed over a pipe.
 */
export function run(command, args, { env = {}, quiet, held, timeoutMs, cwd = root, shell = false, keys } = {}) {
  return new Promise((resolve) => {
    const output = held ? 'pipe' : 'inherit';
    const stdio = quiet ? 'ignore' : ['ignore', output, output, ...(keys ? ['pipe'] : [])];
    const all = keys ? keys.environment({ ...process.env, ...env }) : { ...process.env, ...env };
    const child = spawn(command, args, { cwd, env: all, stdio, timeout: timeoutMs, shell });
    child.stdio[3]?.on('error', () => undefined);
    child.stdio[3]?.end(keys.text);
    const printed = [];
    child.stdout?.on('data', (chunk) => printed.push(chunk));
    child.stderr?.on('data', (chunk) => printed.push(chunk));
    const forward = (signal) => child.kill(signal);
    process.on('SIGINT', forward);
    process.on('SIGTERM', forward);
    const finish = (code) => {
      process.off('SIGINT', forward);
      process.off('SIGTERM', forward);
      for (const chunk of printed) process.stdout.write(chunk);
      resolve(code);
    };
    child.on('error', () => finish(127));
    child.on('close', (code, signal) => finish(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

/** Runs a command and resolves with its exit code and everything it printed, as text. */
export function capture(command, args, { env = {}, timeoutMs, cwd = root } = {}) {
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio, timeout: timeoutMs });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.on('error', (error) => resolve({ code: 127, stdout, stderr: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}

/** Runs npm, by the very npm that runs this script when there is one. */
export function npm(args, options = {}) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return run(process.execPath, [script, ...args], options);
  // npm is a .cmd file on Windows, which only a shell can start.
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}

/** The script behind an installed package's command, to be run with Node on every platform alike. */
function binOf(packageName, command = packageName) {
  const manifest = join(root, 'node_modules', packageName, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[command]);
}

/** Runs an installed package's command with Node. */
export function runBin(packageName, args, { command, ...options } = {}) {
  return run(process.execPath, [binOf(packageName, command), ...args], options);
}

/** The arguments given to a script, without the `--` that separates them from npm's own. */
export function scriptArguments() {
  const args = process.argv.slice(2);
  return args[0] === '--' ? args.slice(1) : args;
}
