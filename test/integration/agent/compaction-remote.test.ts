import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logFailures } from '../../../src/main/agent/log-failures';
import type { StreamTransport } from '../../../src/main/agent/stream/types';
import type { CompactionEntry, SessionEntry } from '@shared/session/records/entry';
import type { Settings } from '../../../src/shared/settings';
import { createInlineTransport } from '../../support/inline-transport';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { sentContext, type CapturedRequest } from '../../support/model-server';

/** Summaries written by a person's own server, over a real socket (SU37). */
let harness: Harness;
let server: Server;
let url: string;
let received: { body: { systemPrompt: string; prompt: string }; authorization: string | undefined; path: string }[];
let respond: (response: ServerResponse, request: IncomingMessage) => void;

const KEY = 'rk-very-secret-123456';
const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
const LOCAL_SUMMARY = '## Goal\nWritten by a model.';
const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

beforeEach(async () => {
  received = [];
  respond = json({ summary: '## Goal\nWritten elsewhere.' });
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const body = JSON.parse(text) as (typeof received)[number]['body'];
      received.push({ body, authorization: request.headers.authorization, path: request.url ?? '' });
      respond(response, request);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await harness.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const localSummaries = (): number => harness.server.requests.filter(isSummary).length;
const fileText = (): string => harness.log.stored.map(({ line }) => line).join('\n');
const compactions = (): CompactionEntry[] =>
  harness.log.stored
    .slice(1)
    .map(({ line }) => JSON.parse(line) as SessionEntry)
    .filter((entry): entry is CompactionEntry => entry.type === 'compaction');

/** A session of three turns with the endpoint set. */
async function start(settings: Partial<Settings> = {}, key?: string, transport?: StreamTransport): Promise<void> {
  harness = await startHarness({
    ...(transport ? { transport } : {}),
    settings: { 'compaction.keepRecentTokens': 500, 'compaction.remoteEndpoint': `${url}/compact`, ...settings },
  });
  harness.models.remote = key;
  harness.server.script((request) => (isSummary(request) ? LOCAL_SUMMARY : WORDS));
  for (let turn = 0; turn < 3; turn++) {
    await harness.session.prompt(promptOf(`Question ${turn}: ${WORDS}`));
    await harness.settled(turn + 1);
  }
}

async function compacted(): Promise<Extract<Harness['events'][number], { type: 'compaction_end' }>> {
  await harness.session.compact({ instructions: 'Mind the parser' });
  return harness.until('compaction_end');
}

const remoteOnly = { 'compaction.remoteFallback': false };

describe('a remote summary', () => {
  it('SU37: is asked for by POST and stored like any other, at no known cost, in the name of its host', async () => {
    respond = json({ summary: ' ## Goal\nWritten elsewhere.\n', shortSummary: ' Written\n elsewhere, in short. ' });
    await start();
    expect((await compacted()).entryId).toBeDefined();
    expect(localSummaries()).toBe(0);
    const [{ body, authorization, path }] = received as [(typeof received)[number]];
    expect([path, authorization, Object.keys(body)]).toEqual(['/compact', undefined, ['systemPrompt', 'prompt']]);
    expect(body.systemPrompt).toMatch(/^You write summaries/);
    expect(body.prompt).toContain('<conversation>\n[User]: Question 0');
    expect(body.prompt).toContain('Additional focus: Mind the parser');
    const [entry] = compactions();
    expect(entry).toMatchObject({
      summary: '## Goal\nWritten elsewhere.',
      shortSummary: 'Written elsewhere, in short.',
      usage: { input: 0, output: 0, cost: { total: 0 } },
      details: { espalier: { model: `remote/${new URL(url).host}`, calls: 1 } },
    });
    const deltas = harness.events.flatMap((event) => (event.type === 'compaction_progress' ? [event.textDelta] : []));
    expect(deltas.join('')).toContain('Written elsewhere.');
  });

  it.each<[string, (response: ServerResponse, request: IncomingMessage) => void]>([
    ['status 503, kind server-error', (response) => response.writeHead(503, `No ${KEY} here`).end(`Bad key ${KEY}`)],
    ['status none, kind bad-reply', json({ nothing: WORDS })],
    ['status none, kind connection, code "ECONNRESET"', (_response, request) => request.socket.destroy()],
  ])('WN19: one that fails is one line in the log, without words of the server or the key: %s', async (end, answer) => {
    const lines: string[] = [];
    respond = answer;
    await start(remoteOnly, KEY, logFailures(createInlineTransport(), { warn: (line) => lines.push(line) }));
    await compacted();
    const { host } = new URL(url);
    expect(lines).toEqual([`A request to a model failed: provider "remote", model "${host}", ${end}`]);
  });

  it('SU37: carries the stored key as a bearer token; a server that repeats it gets it into no error and no file', async () => {
    respond = (response) => response.writeHead(401, `No ${KEY} here`).end(`Bad key ${KEY}`);
    await start(remoteOnly, KEY);
    const end = await compacted();
    expect(received[0]!.authorization).toBe(`Bearer ${KEY}`);
    expect(end.errorMessage).toBe('Compaction failed: Remote compaction failed (401 No [key] here)');
    expect(JSON.stringify(harness.events) + fileText()).not.toContain(KEY);
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['500', (response) => response.writeHead(500).end('oops'), 'Remote compaction failed (500 Internal Server Error)'],
    ['a redirect', (response) => response.writeHead(307, { location: `${url}/other` }).end(), 'Remote compaction failed (307 Temporary Redirect)'],
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Sign in'), 'Remote compaction response missing summary'],
    ['no summary', json({ text: 'x' }), 'Remote compaction response missing summary'],
    ['a blank summary', json({ summary: ' \n' }), 'Remote compaction response missing summary'],
    ['a summary that is no text', json({ summary: ['x'] }), 'Remote compaction response missing summary'],
    ['cut-off JSON', (response) => response.end('{"summary": "hal'), 'Remote compaction response missing summary'],
    ['more than 1 MiB', json({ summary: 'x'.repeat(1024 * 1024) }), 'Remote compaction failed (reply larger than 1 MiB)'],
    ['a dropped connection', (response) => response.destroy(), 'Remote compaction failed (ECONNRESET)'],
    ['a reply that breaks off', (response) => { response.writeHead(200, { 'content-length': 100 }); response.write('{"summ'); setTimeout(() => response.destroy(), 20); }, 'Remote compaction failed (ECONNRESET)'],
  ])('SU37: %s fails with the reason; nothing is written and no model is asked', async (_name, how, text) => {
    respond = how;
    await start(remoteOnly);
    const before = fileText();
    const end = await compacted();
    expect(end).toMatchObject({ aborted: false, errorMessage: `Compaction failed: ${text}` });
    expect(fileText()).toBe(before);
    expect([received.length, localSummaries()]).toEqual([1, 0]);
  }); // prettier-ignore

  it('SU37: more than 1 MiB is not read to its end', async () => {
    let written = 0;
    respond = (response) => {
      const chunk = Buffer.alloc(64 * 1024, 120);
      const more = (): void => {
        if (response.destroyed || written > 256 * 1024 * 1024) return;
        written += chunk.length;
        if (response.write(chunk)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    };
    await start(remoteOnly);
    expect((await compacted()).errorMessage).toContain('reply larger than 1 MiB');
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('SU37: nothing within the time limit, or only a beginning, is given up', async () => {
    respond = (response) => void response.writeHead(200).write('{"summary": "');
    await start({ ...remoteOnly, 'compaction.remoteTimeoutMs': 150 });
    expect((await compacted()).errorMessage).toBe('Compaction failed: Remote compaction timed out');
  });

  it('SU37: cancelling ends a request that hangs; the file is as it was', async () => {
    let gone = (): void => undefined;
    const closed = new Promise<void>((resolve) => (gone = resolve));
    respond = (response) => void response.on('close', gone);
    await start();
    const before = fileText();
    await harness.session.compact();
    await expect.poll(() => received.length).toBe(1);
    harness.session.cancelJob();
    expect(await harness.until('compaction_end')).toMatchObject({ aborted: true });
    await closed;
    expect([fileText(), localSummaries()]).toEqual([before, 0]);
  });

  it('SU37: after a failure the models are asked, where that is allowed', async () => {
    respond = json({}, 503);
    await start();
    expect((await compacted()).entryId).toBeDefined();
    expect(compactions()[0]!.summary).toBe(LOCAL_SUMMARY);
    expect(JSON.stringify(compactions()[0]!.details)).not.toContain('remote/');
    expect([received.length, localSummaries()]).toEqual([1, 1]);
  });

  it('SU37: it needs no model that could be asked', async () => {
    await start();
    const resolve = harness.models.resolve.bind(harness.models);
    harness.models.resolve = () => resolve({ provider: 'gone', modelId: 'gone' });
    expect((await compacted()).entryId).toBeDefined();
    expect(compactions()[0]!.summary).toBe('## Goal\nWritten elsewhere.');
  });
});
