import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { logFailures } from '../../../src/main/agent/log-failures';
import type { StreamTransport } from '../../../src/main/agent/stream/types';
import { LogFile } from '../../../src/main/app/log-file';
import { closedPort } from '../../support/e2e/loopback';
import { createInlineTransport } from '../../support/inline-transport';
import { ask, LOOPBACK_KEY, modelsFor, startModelServer } from '../../support/model-server';
import type { AskOptions } from '../../support/model-server/drive';
import type { ModelServer, Wire } from '../../support/model-server';

const WIRES: Wire[] = ['completions', 'responses', 'messages'];
const SECRET = 'The launch code is 4711';
const NOTHING_SAID: AskOptions = { context: { messages: [{ role: 'user', content: SECRET, timestamp: 1 }] } };

const inner = createInlineTransport();
let server: ModelServer;
let folder: string;
let transport: StreamTransport;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await inner.close();
  await server.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-log-'));
  const file = new LogFile(folder);
  transport = logFailures(inner, { warn: (line) => void file.add('warn', line) });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the log holds, without the time. */
function logged(): string[] {
  let text: string;
  try {
    text = readFileSync(join(folder, 'main.log'), 'utf8');
  } catch {
    return [];
  }
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\[[^\]]*\] /, ''));
}

describe.each(WIRES)('WN19: a failure on the %s wire is one line in the log', (wire) => {
  const model = () => modelsFor(server)[wire];
  const fails = (options = NOTHING_SAID, asked = model()) => ask(transport, asked, options);
  const start = () => `[warn] A request to a model failed: provider "${model().provider}", model "loopback", `;

  it('of a rate limit, with the name that the server gave the request', async () => {
    server.script({ error: 'rate-limit', headers: { 'x-request-id': 'req_429', 'x-other': 'not for the log' } });
    await fails();
    expect(logged()).toEqual([`${start()}status 429, request "req_429", kind throttle`]);
  });

  it('of a server error that repeats the question and the key', async () => {
    const body = { error: { message: `No: ${LOOPBACK_KEY} asked ${SECRET}`, type: 'server_error' } };
    const headers = { 'request-id': `id-of-${LOOPBACK_KEY}`, 'x-request-id': 'second' };
    server.script({ error: { status: 500, body }, headers });
    const { outcome } = await fails();
    expect(outcome.message.errorMessage).toContain(SECRET);
    expect(logged()).toEqual([`${start()}status 500, request "id-of-[key]", kind server-error`]);
  });

  it('of a stream that is cut', async () => {
    server.script({ text: SECRET.repeat(40), cutAtByte: 600, ending: 'reset' });
    await fails();
    const [line, ...more] = logged();
    expect(more).toEqual([]);
    expect(line).toContain(`${start()}status 200, request "req_loopback", kind cut-stream`);
    expect(line).not.toContain('launch');
  });

  it('of a server that is not there', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    await fails(NOTHING_SAID, modelsFor({ url })[wire]);
    expect(logged()).toEqual([`${start()}status none, kind connection, code "ECONNREFUSED"`]);
  });

  it('of a wrong key, and of a quota', async () => {
    server.script([{ error: 'bad-key' }, { error: 'quota' }]);
    await fails();
    await fails();
    expect(logged()).toEqual([`${start()}status 401, kind unauthorized`, `${start()}status 429, kind quota`]);
  });

  it('but not of a reply that came, nor of one that the person stopped', async () => {
    server.script(({ body }) =>
      JSON.stringify(body).includes('Stop me') ? { text: 'so far', omitEnd: 'all', ending: 'hang' } : 'Fine.',
    );
    await fails();
    const controller = new AbortController();
    const stopped = ask(transport, model(), {
      context: { messages: [{ role: 'user', content: 'Stop me', timestamp: 1 }] },
      signal: controller.signal,
      onDelta: () => controller.abort(),
    });
    expect((await stopped).outcome.message.stopReason).toBe('aborted');
    expect(logged()).toEqual([]);
  });

  it('on one line and short, whatever server and endpoint call themselves', async () => {
    server.script({ error: 'rate-limit', headers: { 'x-request-id': `\u009b31m", kind ok${'é'.repeat(6000)}` } });
    const asked = { ...model(), id: `a\n[error] b\u001b[2J\u202e${'x'.repeat(1024 * 1024)}`, provider: `p"\r\n` };
    await fails(NOTHING_SAID, asked);
    const [line = '', ...more] = logged();
    expect(more).toEqual([]);
    expect(line).toContain('provider "p\\"⟨CR⟩⟨U+000A⟩", model "a⟨U+000A⟩[error] b⟨U+001B⟩[2J');
    expect(line).toContain('status 429, request "⟨U+009B⟩31m\\", kind ok');
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(line.length).toBeLessThan(600);
  });

  it('also where the key stands at the place where a value is cut', async () => {
    server.script({ error: 'rate-limit', headers: { 'x-request-id': 'r'.repeat(115) + LOOPBACK_KEY.repeat(20) } });
    await fails();
    expect(logged()[0]).toContain(`request "${'r'.repeat(115)}[key]…", kind throttle`);
  });
});
