import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadAgentCore, loadPiAi } from '../../../src/main/pi/pi';
import type { AgentEvent, AssistantMessage, Model, StreamFn } from '../../../src/main/pi/pi-types';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from '../../unit/tools/support/host';

let sandbox: Sandbox;
let host: TestHost;
beforeEach(async () => {
  sandbox = await makeSandbox();
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

const model = { id: 'scripted', provider: 'test', api: 'openai-completions' } as Model<'openai-completions'>;
function reply(content: AssistantMessage['content']): AssistantMessage {
  const usage = {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const stopReason = content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop';
  return {
    role: 'assistant',
    content,
    api: model.api,
    provider: 'test',
    model: 'scripted',
    usage,
    stopReason,
    timestamp: 1,
  };
}

test('TL2: in the real loop of pi-agent-core: schemas check arguments, the gate asks, results and failures come back as results', async () => {
  await mkdir(join(sandbox.workspaceDir, 'src'));
  await writeFile(join(sandbox.workspaceDir, 'src/a.txt'), 'alpha\n');
  const { runAgentLoop } = await loadAgentCore();
  const { createAssistantMessageEventStream } = await loadPiAi();
  const calls: [string, Record<string, unknown>][] = [
    ['read', { path: 'src/a.txt' }],
    ['edit', { path: 'src/a.txt', edits: [{ oldText: 'alpha', newText: 'omega' }] }],
    ['bash', { command: 'cat src/a.txt; exit 4' }],
    ['read', { path: 42 }],
    ['write', { path: '.git/hooks/pre-commit', content: 'evil' }],
    ['grep', { pattern: 'omega' }],
  ];
  const script = [
    reply(calls.map(([name, args], index) => ({ type: 'toolCall' as const, id: `c${index}`, name, arguments: args }))),
    reply([{ type: 'text', text: 'done' }]),
  ];
  const streamFn: StreamFn = () => {
    const stream = createAssistantMessageEventStream();
    const message = script.shift() ?? reply([{ type: 'text', text: 'end' }]);
    stream.push({ type: 'done', reason: message.stopReason as 'stop', message });
    stream.end(message);
    return stream;
  };
  const events: AgentEvent[] = [];
  const context = { systemPrompt: '', messages: [], tools: host.host.tools };
  const config = {
    model,
    convertToLlm: (messages: never) => messages,
    beforeToolCall: host.host.beforeToolCall,
    afterToolCall: host.host.afterToolCall,
  };
  const prompt = { role: 'user' as const, content: 'go', timestamp: 1 };
  await runAgentLoop([prompt], context, config as never, async (event) => void events.push(event), undefined, streamFn);
  const results = events.flatMap((event) =>
    event.type === 'message_end' && event.message.role === 'toolResult' ? [event.message] : [],
  );
  const texts = results.map(
    (result) =>
      `${result.isError ? 'error' : 'ok'}: ${result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')}`,
  );
  expect(texts[0]).toBe('ok: alpha');
  expect(texts[1]).toBe('ok: Edited src/a.txt (+1 −1 lines).');
  expect(texts[2]).toBe('error: omega\n\n[Exit code 4.]');
  expect(texts[3]).toMatch(/^(error: Validation failed|error: 42 does not exist)/u);
  expect(texts[4]).toMatch(/^error: .*is a git hook/u);
  expect(texts[5]).toBe('ok: src/a.txt:1: omega');
  expect(results.map((result) => result.toolCallId)).toEqual(calls.map((_, index) => `c${index}`));
  expect(host.asked.map((request) => request.tool)).toEqual(['edit', 'bash']);
  expect(await readFile(join(sandbox.workspaceDir, 'src/a.txt'), 'utf8')).toBe('omega\n');
});
