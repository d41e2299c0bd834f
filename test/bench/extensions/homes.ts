import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionHash, parseServers } from '../../../src/main/mcp/config/definition';
import { hostile, reference } from '../../support/mcp/programs';

/** As much as public extensions do when a session begins: a tool, a command, handlers, something shown. */
const bodyOf = (n: number): string => `
import { Type } from 'typebox';
import { truncateHead } from '@mariozechner/pi-coding-agent';
export default function (pi) {
  pi.registerTool({
    name: 'tool_${n}', label: 'Tool ${n}', description: 'Does what ${n} does.',
    parameters: Type.Object({ text: Type.String() }),
    async execute(_id, { text }) { return { content: [{ type: 'text', text: truncateHead(text).content }], details: {} }; },
  });
  pi.registerCommand('command-${n}', { description: 'Command ${n}', handler: async (_args, ctx) => ctx.ui.notify('Done') });
  pi.on('session_start', async (_event, ctx) => {
    ctx.ui.setStatus('status-${n}', 'Branch of ' + ctx.sessionManager.getEntries().length + ' entries');
  });
  pi.on('before_agent_start', async () => undefined);
}
`;

/** Extensions in the data folder of an app that does not run yet. */
export function putExtensions(home: string, files: Record<string, string>): void {
  mkdirSync(join(home, 'extensions'), { recursive: true });
  for (const [name, body] of Object.entries(files)) writeFileSync(join(home, 'extensions', name), body);
}

export function manyExtensions(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`extension-${n}.ts`, bodyOf(n)]));
}

/** Three servers of the registry and the tests, with the person's yes to each. */
export function putServers(home: string): void {
  const mcpServers = {
    memory: { ...reference('memory'), env: { MEMORY_FILE_PATH: join(home, 'memory.json') } },
    everything: reference('everything'),
    many: hostile(),
  };
  const file = join(home, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const { servers } = parseServers({ mcpServers });
  const agreed = [...servers].map(([name, definition]) => definitionHash(name, definition, { kind: 'espalier', file }));
  writeFileSync(join(home, 'mcp-decisions.json'), JSON.stringify({ version: 1, agreed, servers: [] }));
}
