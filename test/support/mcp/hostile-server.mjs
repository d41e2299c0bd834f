/**
 * An MCP server over stdio that does what a bad one may do. What it does is said by its arguments:
 * `tools=<kind>`, `on=<how it starts>`; each tool is named by what a call of it does.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const options = new Map(process.argv.slice(2).map((arg) => arg.split('=')));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const note = (line) => options.has('notes') && appendFileSync(options.get('notes'), `${line}\n`);
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const schema = { type: 'object', properties: { text: { type: 'string' } } };
const tool = (name, more = {}) => ({ name, description: `Does ${name}.`, inputSchema: schema, ...more });

note(`start ${process.pid}`);
const on = options.get('on') ?? 'well';
if (on === 'exits') {
  process.stderr.write('cannot start: no such database\n');
  process.exit(3);
}
if (on === 'deaf') {
  // Ends neither when its input is closed nor when it is asked to.
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
}
if (on === 'greets') process.stdout.write('Welcome to the server!\n{"not": "a message"}\n');
if (on === 'endless-line') setInterval(() => process.stdout.write('x'.repeat(1_000_000)), 1);

const KINDS = {
  usual: () => [
    tool('echo', { annotations: { readOnlyHint: true } }),
    tool('fail'),
    tool('slow'),
    tool('progress'),
    tool('crash'),
    tool('never'),
    tool('ten-megabytes'),
    tool('image'),
    tool('structured'),
    tool('no-result'),
    tool('content-lie'),
    tool('environment'),
    tool('more-tools'),
  ],
  thousand: () =>
    Array.from({ length: 1_000 }, (_, at) => tool(`tool_${at}`, { description: `Reads the ledger of year ${at}.` })),
  lies: () => [
    tool('good'),
    tool('no-schema', { inputSchema: undefined }),
    tool('bad-type', { inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } }),
    tool('text-schema', { inputSchema: 'object' }),
    tool('array-schema', { inputSchema: { type: 'array' } }),
    tool('bad-argument', { inputSchema: { type: 'object', properties: { 'a b\u202e': {} } } }),
    tool('deep', { inputSchema: nested(200) }),
    tool('top-union', {
      inputSchema: { type: 'object', anyOf: [{ required: ['text'] }], properties: schema.properties },
    }),
    tool('huge', { description: 'd'.repeat(1_000_000) }),
    tool('huge-schema', { inputSchema: { ...schema, description: 's'.repeat(200_000) } }),
    tool('odd name\u202e/../‮'),
    tool('odd name\u202e/../_'),
    tool('good'),
    { description: 'no name' },
    17,
  ],
};
function nested(depth) {
  let inner = { type: 'string' };
  for (let at = 0; at < depth; at++) inner = { type: 'object', properties: { a: inner } };
  return inner;
}

let kind = options.get('tools') ?? 'usual';
const CALLS = {
  echo: (args) => text(`You said: ${args.text}`),
  fail: () => ({ ...text('It did not work.'), isError: true }),
  'ten-megabytes': () => text(`begin\n${'0123456789abcdef'.repeat(655_360)}\nend`),
  image: () => ({
    content: [
      { type: 'text', text: 'A picture' },
      {
        type: 'image',
        mimeType: 'image/png',
        data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      },
      { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zy8+' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
    ],
  }),
  structured: () => ({ structuredContent: { answer: 42 } }),
  'no-result': () => 'hello',
  'content-lie': () => ({ content: 'hello' }),
  environment: () => text(JSON.stringify({ names: Object.keys(process.env).sort(), cwd: process.cwd() })),
  'more-tools': () => {
    kind = 'lies';
    send({ method: 'notifications/tools/list_changed' });
    return text('There are others now.');
  },
};

function call(id, { name, arguments: args, _meta }) {
  note(`call ${name}`);
  if (name === 'crash') process.exit(7);
  if (name === 'never') return;
  if (name === 'slow') return void setTimeout(() => send({ id, result: text('At last.') }), 60_000);
  if (name === 'progress') {
    const progressToken = _meta?.progressToken;
    for (let at = 1; at <= 3; at++)
      setTimeout(() => {
        if (at === 3) send({ id, result: text('Done.') });
        else
          send({
            method: 'notifications/progress',
            params: { progressToken, progress: at, total: 3, message: `Step ${at}` },
          });
      }, at * 400);
    return;
  }
  const does = CALLS[name] ?? (() => text(`Done: ${name}`));
  send({ id, result: does(args ?? {}) });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/cancelled') note(`cancelled ${params.reason}`);
  if (on === 'silent') return;
  if (method === 'initialize') {
    const result = {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'hostile', version: '1' },
    };
    send({ id, result });
  } else if (method === 'tools/list') send({ id, result: { tools: KINDS[kind](), nextCursor: options.get('cursor') } });
  else if (method === 'tools/call') call(id, params);
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
});
