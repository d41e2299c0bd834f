import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classifyReply, isTransient, learnWindow } from '../../../src/main/agent/classify-error';
import { explainFailure } from '../../../src/main/agent/explain-failure';
import { createInlineTransport } from '../../support/inline-transport';
import { ask, modelsFor, startModelServer } from '../../support/model-server';
import type { ErrorName, ModelServer, Wire } from '../../support/model-server';

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

async function closedPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe.each(WIRES)('failures around the stream on the %s wire', (wire) => {
  it('says that nothing listens there', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { outcome } = await ask(transport, modelsFor({ url })[wire]);
    expect(outcome.wire.failure).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED' });
    expect(outcome.message.errorMessage).toContain('ECONNREFUSED');
    expect(isTransient(outcome.message, outcome.wire)).toBe(true);
    expect(explainFailure(outcome.message, outcome.wire, { name: 'Local', baseUrl: url }).title).toBe(
      'Local is not running',
    );
  });

  it('says that the name is unknown', async () => {
    const { outcome } = await ask(transport, modelsFor({ url: 'http://espalier.invalid' })[wire]);
    expect(outcome.wire.failure?.kind).toBe('connection');
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(outcome.wire.failure?.code);
  });

  it('shows an error that came with status 200', async () => {
    server.script({ hostile: 'json-200' });
    const { outcome } = await ask(transport, modelsFor(server)[wire]);
    expect(outcome.message.stopReason).toBe('error');
    expect(outcome.wire.failure?.kind).toBe('not-a-stream');
    expect(outcome.wire.bodyHead).toContain('streaming is not supported here');
  });

  it('recognises a web page that calls itself a stream', async () => {
    server.script({ hostile: 'web-page-as-stream' });
    const { outcome } = await ask(transport, modelsFor(server)[wire]);
    expect(outcome.message.stopReason).toBe('error');
    expect(outcome.wire.failure?.kind).toBe('web-page');
  });

  it('stops a compressed flood of empty lines', async () => {
    server.script({ hostile: 'gzip-bomb-lines' });
    const { outcome } = await ask(transport, modelsFor(server)[wire], { limits: { maxBytes: 1024 * 1024 } });
    expect(outcome.wire.failure?.kind).toBe('too-many-bytes');
    expect(outcome.wire.bytes).toBeLessThan(2 * 1024 * 1024);
  });

  it('ends a reply at the total limit although it goes on', async () => {
    server.script({ text: 'word '.repeat(4_000), tokensPerSecond: 300 });
    const { outcome } = await ask(transport, modelsFor(server)[wire], { limits: { totalTimeoutMs: 2_000 } });
    expect(outcome.message.stopReason).toBe('error');
    expect(outcome.wire.failure?.kind).toBe('total-timeout');
    expect(JSON.stringify(outcome.message.content)).toContain('word');
  });

  it('does not wait for a server that keeps the connection open after the end', async () => {
    server.script({ text: 'Done.', ending: 'hang' });
    const { outcome } = await ask(transport, modelsFor(server)[wire], { limits: { idleTimeoutMs: 30_000 } });
    expect(outcome.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'Done.' }] });
    await server.requests.at(-1)!.closed;
  });

  it('keeps a reply whose connection broke after the end', async () => {
    server.script({ text: 'Done.', ending: 'reset' });
    const { outcome } = await ask(transport, modelsFor(server)[wire]);
    expect(outcome.message.stopReason).toBe('stop');
  });

  it('shortens an endless error page', async () => {
    server.script({ error: { status: 502, body: `<html>${'sorry '.repeat(200_000)}</html>` } });
    const { outcome } = await ask(transport, modelsFor(server)[wire]);
    expect(outcome.message.errorMessage!.length).toBeLessThan(4_100);
    expect(outcome.wire.status).toBe(502);
    expect(isTransient(outcome.message, outcome.wire)).toBe(true);
  });
});

it('refuses a call that came after the model had finished', async () => {
  const call = { type: 'toolCall' as const, id: 'late', name: 'bash', arguments: { command: 'rm -rf /' } };
  server.script({
    content: [{ type: 'text', text: 'All done.' }, call],
    stop: 'stop',
    frames: (frames) => {
      const calls = frames.filter((frame) => frame.includes('tool_calls'));
      const others = frames.filter((frame) => !calls.includes(frame));
      return [...others.slice(0, -1), ...calls, ...others.slice(-1)];
    },
  });
  const { outcome } = await ask(transport, modelsFor(server).completions);
  expect(Object.values(outcome.sealed)).toEqual([{ ok: false, reason: 'after-end' }]);
});

describe('error answers in the wording of each provider', () => {
  it.each<[ErrorName, Wire, string, boolean, number | null]>([
    ['openai-overflow', 'completions', 'overflow', false, 128_000],
    ['responses-overflow', 'responses', 'overflow', false, null],
    ['anthropic-overflow', 'messages', 'overflow', false, 200_000],
    ['anthropic-overflow-with-output', 'messages', 'overflow', false, 200_000],
    ['anthropic-payload', 'messages', 'payload', false, null],
    ['llamacpp-overflow', 'completions', 'overflow', false, 8_192],
    ['lmstudio-overflow', 'completions', 'overflow', false, null],
    ['openrouter-overflow', 'completions', 'overflow', false, 65_536],
    ['groq-overflow', 'completions', 'overflow', false, null],
    ['rate-limit', 'completions', 'throttle', true, null],
    ['anthropic-rate-limit', 'messages', 'throttle', true, null],
    ['quota', 'completions', 'throttle', false, null],
    ['anthropic-billing', 'messages', 'other', false, null],
    ['server-error', 'responses', 'other', true, null],
    ['unavailable', 'completions', 'other', true, null],
    ['overloaded', 'messages', 'other', true, null],
    ['bad-key', 'completions', 'other', false, null],
    ['anthropic-bad-key', 'messages', 'other', false, null],
    ['no-model', 'responses', 'other', false, null],
  ])('%s on %s is %s', async (error, wire, kind, transient, window) => {
    server.script({ error });
    const { message, wire: facts } = (await ask(transport, modelsFor(server)[wire])).outcome;
    expect(message.stopReason).toBe('error');
    expect(classifyReply({ message, wire: facts, sessionFigure: 0 })).toBe(kind);
    expect(isTransient(message, facts)).toBe(transient);
    expect(learnWindow(message, facts)).toBe(window);
  });

  it('takes a bare 413 of a provider known for it as an overflow', async () => {
    server.script({ error: 'cerebras-overflow' });
    const model = { ...modelsFor(server).completions, provider: 'cerebras' };
    const { message, wire } = (await ask(transport, model)).outcome;
    expect(classifyReply({ message, wire, sessionFigure: 0 })).toBe('overflow');
  });
});
