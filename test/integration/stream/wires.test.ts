import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInlineTransport } from '../../support/inline-transport';
import { ask, modelsFor, sentContext, startModelServer, streamedText } from '../../support/model-server';
import type { ModelServer, ReplyStop, Wire } from '../../support/model-server';

const WIRES: Wire[] = ['completions', 'responses', 'messages'];
const transport = createInlineTransport();
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await transport.close();
  await server.close();
});

describe.each(WIRES)('a reply on the %s wire', (wire) => {
  const run = (options: Parameters<typeof ask>[2] = {}, model: Parameters<typeof modelsFor>[1] = {}) =>
    ask(transport, modelsFor(server, model)[wire], options);

  it('streams text with usage and sees the end', async () => {
    const text = 'Espaliers are trees grown flat: 木 🌳, "quoted" data: [DONE] "finish_reason":"stop".';
    server.script({ text, usage: { input: 100, output: 20, cacheRead: 50 }, chunkChars: 3 });
    const { outcome, deltas } = await run();
    expect(streamedText(deltas)).toBe(text);
    expect(outcome.message.content).toMatchObject([{ type: 'text', text }]);
    expect(outcome.message.stopReason).toBe('stop');
    expect(outcome.message.usage).toMatchObject({ input: 100, output: 20, cacheRead: 50, totalTokens: 170 });
    expect(outcome.message.usage.cost.total).toBeGreaterThan(0);
    expect(outcome.wire).toMatchObject({ used: true, status: 200, endSeen: true });
    expect(outcome.wire.failure).toBeUndefined();
    expect(outcome.wire.bytes).toBeGreaterThan(text.length);
  });

  it('streams thinking before text', async () => {
    server.script({
      content: [
        { type: 'thinking', thinking: 'Let me see.' },
        { type: 'text', text: 'Done.' },
      ],
    });
    const { outcome, deltas } = await run({ options: { reasoning: 'low' } }, { reasoning: true, maxTokens: 32_000 });
    expect(streamedText(deltas, 'thinking_delta')).toBe('Let me see.');
    expect(outcome.message.content.map((block) => block.type)).toEqual(['thinking', 'text']);
    expect(outcome.message.stopReason).toBe('stop');
  });

  it('streams and seals two tool calls', async () => {
    const first = { path: 'src/a.ts', note: 'quotes " and \\ and 漢字' };
    server.script({
      text: 'Reading.',
      content: [
        { type: 'toolCall', id: 'call_one', name: 'read', arguments: first },
        { type: 'toolCall', id: 'call_two', name: 'ls', arguments: {} },
      ],
      chunkChars: 4,
    });
    const { outcome, deltas } = await run();
    const calls = outcome.message.content.filter((block) => block.type === 'toolCall');
    expect(outcome.message.stopReason).toBe('toolUse');
    expect(calls.map((call) => [call.name, call.arguments])).toEqual([
      ['read', first],
      ['ls', {}],
    ]);
    expect(Object.values(outcome.sealed)).toEqual([{ ok: true }, { ok: true }]);
    expect(calls.every((call) => call.id in outcome.sealed)).toBe(true);
    expect(streamedText(deltas, 'toolcall_delta')).toBe(JSON.stringify(first) + '{}');
    expect(calls.some((call) => 'partialArgs' in call || 'partialJson' in call)).toBe(false);
  });

  it.each<[ReplyStop, string]>([
    ['stop', 'stop'],
    ['length', 'length'],
    ['contentFilter', 'error'],
  ])('maps the stop reason %s to %s', async (stop, expected) => {
    server.script({ text: 'Partial', stop, usage: { input: 40, output: 9 } });
    const { outcome } = await run();
    expect(outcome.message.stopReason).toBe(expected);
    if (expected !== 'error') expect(outcome.message.usage).toMatchObject({ input: 40, output: 9, totalTokens: 49 });
  });

  it('does not seal the calls of a reply that was cut by its length', async () => {
    server.script({ content: [{ type: 'toolCall', name: 'ls', arguments: { path: '.' } }], stop: 'length' });
    const { outcome } = await run();
    expect(Object.values(outcome.sealed)).toMatchObject([{ ok: false, reason: 'not-finished' }]);
  });

  it('copes with no usage and with zero usage', async () => {
    for (const usage of ['none', 'zero'] as const) {
      server.script({ text: 'Hi', usage });
      const { outcome } = await run();
      expect(outcome.message.stopReason).toBe('stop');
      expect(outcome.message.usage.totalTokens).toBe(0);
    }
  });

  it('sends the context, the key and no silent retries', async () => {
    const before = server.requests.length;
    server.script({ error: 'unavailable', retryAfter: '7' });
    const { outcome } = await run({
      context: {
        systemPrompt: 'Be brief.',
        messages: [
          { role: 'user', content: 'First', timestamp: 1 },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Second' },
              { type: 'image', data: 'aGk=', mimeType: 'image/png' },
            ],
            timestamp: 2,
          },
        ],
      },
      options: { maxTokens: 777 },
    });
    expect(server.requests.length).toBe(before + 1);
    const request = server.requests[before]!;
    const sent = sentContext(request);
    expect(sent.system).toContain('Be brief.');
    expect(sent.messages.map((message) => [message.role, message.text, message.images])).toEqual([
      ['user', 'First', 0],
      ['user', 'Second', 1],
    ]);
    expect(sent.maxTokens).toBe(777);
    expect(JSON.stringify(request.headers)).toContain('sk-loopback');
    expect(outcome.message.stopReason).toBe('error');
    expect(outcome.wire).toMatchObject({ status: 503, retryAfterMs: 7_000 });
    expect(outcome.wire.bodyHead).toContain('overloaded');
  });

  it('stops at once when asked, keeping what came', async () => {
    server.script({ text: 'word '.repeat(500), tokensPerSecond: 200 });
    const controller = new AbortController();
    const { outcome } = await run({
      signal: controller.signal,
      onDelta: (event) => event.type === 'text_delta' && controller.abort(),
    });
    expect(outcome.message.stopReason).toBe('aborted');
    expect(JSON.stringify(outcome.message.content)).toContain('word');
    await server.requests.at(-1)!.closed;
    expect(server.requests.at(-1)!.abandoned).toBe(true);
  });
});
