import { spawn } from 'node:child_process';
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
