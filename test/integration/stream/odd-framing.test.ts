import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInlineTransport } from '../../support/inline-transport';
import { ask, modelsFor, type ModelServer, type Wire } from '../../support/model-server';

const WIRES: Wire[] = ['completions', 'responses', 'messages'];
const transport = createInlineTransport();
let server: Server;
let url = '';
let body = '';
let type = 'text/event-stream';

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': type }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await transport.close();
  server.closeAllConnections();
  server.close();
});

async function answer(wire: Wire, text: string, contentType = 'text/event-stream') {
  body = text;
  type = contentType;
  return ask(transport, modelsFor({ url } as ModelServer, {})[wire], {});
}

type Event = { type?: string } & Record<string, unknown>;
type Framing = (event: Event) => string;
const named = ({ type: name }: Event, lines: string): string =>
  name ? `event: ${name}\n${lines}\n\n` : `${lines}\n\n`;
const dataLines = (json: string): string => json.replace(/^/gm, 'data: ');

const plain: Framing = (event) => named(event, dataLines(JSON.stringify(event)));
/** Every way of writing the same events; what they hold is one and the same. */
const FRAMINGS: Record<string, (events: Event[]) => string> = {
  'in one line each': (events) => events.map(plain).join(''),
  'over two data lines': (events) =>
    events.map((event) => named(event, dataLines(JSON.stringify(event).replace('{', '{\n')))).join(''),
  'pretty-printed': (events) => events.map((event) => named(event, dataLines(JSON.stringify(event, null, 1)))).join(''),
  'after a byte order mark': (events) => `\uFEFF${events.map(plain).join('')}`,
  'with CRLF': (events) => events.map(plain).join('').replaceAll('\n', '\r\n'),
  'with CR': (events) => events.map(plain).join('').replaceAll('\n', '\r'),
  'with comments and other fields': (events) =>
    events.map((event) => `: here\nid: 7\nretry: 1\n${plain(event).replace('data: ', ': more\ndata:')}`).join(''),
  'with escaped keys': (events) =>
    events.map((event) => plain(event).replaceAll('"delta":', String.raw`"del\u0074a":`)).join(''),
};

/** A reply on a wire whose one delta is this value; the whole of it if it is a text. */
function withDelta(wire: Wire, delta: unknown): Event[] {
  if (wire === 'completions') {
    const chunk = (part: unknown, finish: string | null): Event => ({
      id: 'x',
      choices: [{ index: 0, delta: part, finish_reason: finish }],
    });
    return [chunk({ content: delta }, null), chunk({}, 'stop')];
  }
  if (wire === 'responses') {
    const content = [{ type: 'output_text', text: delta }];
    return [
      { type: 'response.output_item.added', item: { type: 'message', id: 'i', content: [] } },
      { type: 'response.content_part.added', part: { type: 'output_text', text: '' } },
      { type: 'response.output_text.delta', delta },
      { type: 'response.output_item.done', item: { type: 'message', id: 'i', content } },
      { type: 'response.completed', response: { id: 'r', status: 'completed', usage: {} } },
    ];
  }
  return [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: delta } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
    { type: 'message_stop' },
  ];
}

function nested(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

describe.each(WIRES)('WG6: events on the %s wire', (wire) => {
  describe.each(Object.entries(FRAMINGS))('%s', (_name, framed) => {
    it('are read when they are right', async () => {
      const { outcome } = await answer(wire, framed(withDelta(wire, 'Grüße 木')));
      expect(outcome.message).toMatchObject({ stopReason: 'stop', content: [{ type: 'text', text: 'Grüße 木' }] });
      expect(outcome.wire.endSeen).toBe(true);
    });

    it.each([
      ['a list', [1, { a: 2 }]],
      ['an object', { length: 5, x: 1 }],
    ])('do not reach the SDK when the text is %s', async (found, value) => {
      const { outcome, deltas } = await answer(wire, framed(withDelta(wire, value)));
      expect(outcome.wire.failure?.kind).toBe('bad-reply');
      expect(outcome.message.errorMessage).toContain(`is ${found}.`);
      expect(deltas.filter((delta) => 'delta' in delta && typeof delta.delta !== 'string')).toEqual([]);
    });
  });

  it('are checked whatever type the body claims to be', async () => {
    for (const claimed of ['text/plain', 'application/json']) {
      const { outcome } = await answer(wire, FRAMINGS['in one line each']!(withDelta(wire, ['x'])), claimed);
      expect(outcome.wire.failure?.kind).toBe('bad-reply');
    }
  });

  it('fail when they are nested without end, wherever that is', async () => {
    const [first, ...rest] = withDelta(wire, 'x');
    for (const levels of [250, 100_000]) {
      const deep = `{"more":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)},${JSON.stringify(first).slice(1)}`;
      const text = named(first!, dataLines(deep)) + rest.map(plain).join('');
      const { outcome } = await answer(wire, text);
      expect(outcome.message.errorMessage).toContain('nested more than 200 levels deep');
    }
    const [, ...others] = withDelta(wire, 'x');
    const { outcome } = await answer(wire, [{ ...first!, more: nested(100) }, ...others].map(plain).join(''));
    expect(outcome.message.stopReason).toBe('stop');
  });

  it('are bounded as lines are: many short data lines are no way around that', async () => {
    const { outcome } = await answer(wire, 'data: "\n'.repeat(600_000));
    expect(outcome.wire.failure?.kind).toBe('line-too-long');
  });
});

describe('WG3: calls after the model had finished are not whole', () => {
  const call =
    '{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"echo","arguments":"{}"}}]}}]}';
  const finish = plain({ choices: [{ index: 0, delta: { content: 'done' }, finish_reason: 'stop' }] });
  it.each([
    ['plain', call],
    ['with an escaped key', call.replace('tool_calls', String.raw`tool\u005fcalls`)],
    ['over two lines', call.replace('"tool_calls":', '"tool_calls":\n')],
  ])('%s', async (_name, json) => {
    const { outcome } = await answer('completions', `${finish}${dataLines(json)}\n\ndata: [DONE]\n\n`);
    expect(outcome.sealed).toEqual({ a: { ok: false, reason: 'after-end' } });
  });
});

it('WG2: an incomplete response is a length, however it is printed', async () => {
  const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 };
  const incomplete_details = { reason: 'max_output_tokens' };
  const event = { type: 'response.incomplete', response: { id: 'r', status: 'incomplete', incomplete_details, usage } };
  const { outcome } = await answer('responses', FRAMINGS['pretty-printed']!([event]));
  expect(outcome.message).toMatchObject({ stopReason: 'length', usage: { totalTokens: 10 } });
});

it('WG6: raw arguments that are a list are no arguments', async () => {
  const tool_calls = [{ index: 0, id: 'a', function: { name: 'echo', arguments: ['{}'] } }];
  const events = [{ choices: [{ delta: { tool_calls } }] }, { choices: [{ delta: {}, finish_reason: 'tool_calls' }] }];
  const { outcome } = await answer('completions', FRAMINGS['over two data lines']!(events));
  expect(Object.values(outcome.sealed)).not.toContainEqual({ ok: true });
  expect(outcome.wire.failure?.kind).toBe('bad-reply');
});
