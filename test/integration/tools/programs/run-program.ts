import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Starts one of the programs of this folder in a process of its own. */
export function startProgram(name: string, args: readonly string[]): ChildProcess {
  const file = `test/integration/tools/programs/${name}.ts`;
  return spawn(process.execPath, ['scripts/lib/run-ts.mjs', file, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs a program to its end and gives what it printed. */
export async function runProgram(name: string, args: readonly string[]): Promise<string> {
  const child = startProgram(name, args);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}`);
  return text;
}
