import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { McpReach } from '../../../src/main/mcp/process/messages';
import type { McpPort } from '../../../src/main/mcp/link';
import { bundleProgram } from '../model-server/source-worker';

/** The port of Electron's utility process, over Node's own channel. */
const PRELUDE = `process.parentPort = {
  postMessage: (message) => process.send(message),
  on: (event, listener) => process.on(event, (data) => listener({ data })),
};
process.on('disconnect', () => process.exit());
`;

/** Starts the app's process of the MCP clients in plain Node: the same program, another port. */
export async function mcpProcesses(): Promise<() => McpPort & { pid: number }> {
  const code = PRELUDE + (await bundleProgram('src/main/mcp/mcp-process.ts'));
  return () => {
    const child = spawn(process.execPath, ['-e', code], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    return {
      pid: child.pid!,
      postMessage: (message) => child.connected && child.send(message),
      onMessage: (listener) => child.on('message', listener as (message: unknown) => void),
      onExit: (listener) => child.on('exit', listener),
      kill: () => child.kill('SIGKILL'),
    };
  };
}

const HOSTILE = fileURLToPath(new URL('./hostile-server.mjs', import.meta.url));

/** How the hostile server is started. */
export function hostile(...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [HOSTILE, ...args] };
}

export function hostileReach(cwd: string, ...args: string[]): McpReach {
  return { kind: 'stdio', ...hostile(...args), env: { PATH: process.env.PATH ?? '' }, cwd };
}

/** A reference server of the npm registry. */
export function reference(name: 'filesystem' | 'memory' | 'everything', ...args: string[]) {
  const file = fileURLToPath(
    new URL(`../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  );
  return { command: process.execPath, args: [file, ...args] };
}
