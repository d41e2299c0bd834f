import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashScope } from '../../../src/main/approvals/approval-rules';
import type { ApprovalScope } from '../../../src/shared/policy/approval';
import { writeEndpoint } from '../electron-app';
import type { ModelReply, ModelServer, ReplyToolCall } from '../model-server';
import { startCaseServer } from './fault-app';

const COMMAND = 'seq 1 40';
/** Tokens a second: a reply takes about a tenth of a second, so that kills hit streams, tools and writes alike. */
const PACE = 600;

/** A home whose new sessions talk to a scripted server and whose rules let every scripted tool call through. */
export interface ScriptedHome {
  home: string;
  server: ModelServer;
}

/** Prepares `home` before its first start and starts the server, which ends with the case. The folder of new sessions holds a few files. */
export async function prepareScriptedHome(home: string): Promise<ScriptedHome> {
  const server = await startCaseServer();
  const workspace = join(home, 'workspaces', 'scratch');
  mkdirSync(join(workspace, 'steps'), { recursive: true });
  for (const name of ['alpha', 'beta', 'gamma']) {
    writeFileSync(join(workspace, `${name}.txt`), `${name}\n${'a line of the file\n'.repeat(40)}`);
  }
  writeEndpoint(home, {
    id: 'loop',
    name: 'Loopback',
    api: 'openai-completions',
    baseUrl: `${server.url}/v1`,
    headers: {},
    models: [{ id: 'loopback', contextWindow: 10_000_000, maxTokens: 100_000, images: false, reasoning: false }],
  });
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'model.default': 'loop/loopback' }));
  const folder = realpathSync(workspace);
  const rules = [allow({ kind: 'command', command: COMMAND, cwd: folder }), allow({ kind: 'folder', folder })];
  writeFileSync(join(home, 'approvals.json'), JSON.stringify({ version: 1, rules }));
  return { home, server };
}

function allow(scope: ApprovalScope): { hash: string; scope: ApprovalScope; createdAt: string } {
  return { hash: hashScope(scope), scope, createdAt: '2026-01-01T00:00:00.000Z' };
}

/** The n-th reply of a run that never ends: words, then one tool call of a kind that the rules allow. */
export function endlessReply(n: number): ModelReply {
  return { tokensPerSecond: PACE, content: [{ type: 'text', text: words(n) }, toolCall(n)] };
}

/** The n-th of `rounds` such replies; after them the run ends with words. */
export function replyOf(rounds: number): (request: unknown, n: number) => ModelReply {
  return (_request, n) => (n < rounds ? endlessReply(n) : { text: 'Done.' });
}

function words(n: number): string {
  return Array.from({ length: 24 }, (_, at) => `step${n}word${at}`).join(' ');
}

function toolCall(n: number): ReplyToolCall {
  const files = ['alpha.txt', 'beta.txt', 'gamma.txt'];
  const calls: Pick<ReplyToolCall, 'name' | 'arguments'>[] = [
    { name: 'read', arguments: { path: files[n % 3], offset: 1 + (n % 20) } },
    { name: 'bash', arguments: { command: COMMAND } },
    { name: 'write', arguments: { path: `steps/${n % 50}.txt`, content: words(n) } },
    { name: 'ls', arguments: { path: '.' } },
  ];
  return { type: 'toolCall', ...(calls[n % calls.length] ?? { name: 'ls', arguments: {} }) };
}
