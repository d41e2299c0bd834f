import { join } from 'node:path';
import type { McpReach } from '../../../src/main/mcp/process/messages';

// By the working folder, which in all our runs is the project’s.
const HOSTILE = join(process.cwd(), 'test/support/mcp/hostile-server.mjs');

/** How the hostile server is started. */
export function hostile(...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [HOSTILE, ...args] };
}

export function hostileReach(cwd: string, ...args: string[]): McpReach {
  return { kind: 'stdio', ...hostile(...args), env: { PATH: process.env.PATH ?? '' }, cwd };
}

/** A reference server of the npm registry. */
export function reference(
  name: 'filesystem' | 'memory' | 'everything',
  ...args: string[]
): { command: string; args: string[] } {
  const file = join(process.cwd(), `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  return { command: process.execPath, args: [file, ...args] };
}
