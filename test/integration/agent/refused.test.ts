import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveRequests } from '../../../src/main/ipc/server';
import { createSessionStore, type JournalStore } from '../../../src/main/journal/session-store';
import { randomHex } from '../../../src/main/random-hex';
import { SessionHost } from '../../../src/main/session/host/session-host';
import type { RequestHandlers, RequestName } from '../../../src/shared/ipc/contract';
import type { IpcResult } from '../../../src/shared/types';
import { nextId, promptOf, startHarness, type Harness } from '../../support/agent-harness';

/** What a person gave and main refuses: nothing of it is held anywhere, and the words say what to do. */

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ownPage = { senderFrame: { url: 'app://app/index.html', parent: null }, sender: { id: 7 } };

let dir: string;
let harness: Harness;
let store: JournalStore;
let host: SessionHost;
let id: string;
/** A request of the window, through schema and handler. */
let ask: (name: RequestName, params: unknown) => Promise<IpcResult<unknown>>;

async function start(): Promise<void> {
  store = await createSessionStore({
    ...{ dir: join(dir, 'sessions'), trashDir: join(dir, 'trash'), clock: Date.now, randomHex, log: silent },
  });
  host = new SessionHost({ ...harness.ports, store, sessionsDir: join(dir, 'sessions'), scratchDir: dir });
  const handlers = {
    'sessions.rename': ({ sessionId, title }) => host.rename(sessionId, title),
    'session.prompt': async ({ sessionId, ...prompt }) => (await host.session(sessionId)).prompt(prompt),
  } satisfies Partial<RequestHandlers>;
  serveRequests(handlers as unknown as RequestHandlers, {
    windowId: () => 7,
    log: silent,
    handle: (_channel, listener) => (ask = (name, params) => listener(ownPage, { name, params })),
  });
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'espalier-refused-'));
  harness = await startHarness();
  await start();
  ({ id } = await host.create({}));
});
afterEach(async () => {
  await host.dispose();
  await store.close();
  await harness.close();
  await rm(dir, { recursive: true, force: true });
});

async function talk(): Promise<void> {
  harness.server.script(['Answer.']);
  await (await host.session(id)).prompt(promptOf('First'));
  await harness.until('settled');
}

/** All that the session is on the disk. */
async function files(): Promise<Record<string, string>> {
  const names = (await readdir(join(dir, 'sessions'))).filter((name) => !name.endsWith('.index'));
  const texts = await Promise.all(names.map((name) => readFile(join(dir, 'sessions', name), 'utf8')));
  return Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']));
}

const BLANK = 'A title needs at least one visible character. Type one and try again; the title was left as it is.';
const LONG = 'The title can have at most 300 characters. Shorten it and try again; nothing was changed.';
const TITLES = [['', BLANK], [' \t\n\u00a0', BLANK], ['\u200b\u2060\u202e', BLANK], ['\u3164\u2800', BLANK], ['x'.repeat(301), LONG]]; // prettier-ignore

describe('a title that is refused (JN50)', () => {
  it.each(TITLES)('JN50: %j leaves list, header, journal and sidecar as they were', async (title, message) => {
    await talk();
    expect(await ask('sessions.rename', { sessionId: id, title: 'Garden' })).toMatchObject({ ok: true });
    const [before, summary] = [await files(), host.summary(id)];
    expect(summary.title).toBe('Garden');
    harness.events.length = 0;
    expect(await ask('sessions.rename', { sessionId: id, title })).toMatchObject({ ok: false, error: { message } });
    expect([await files(), host.summary(id), (await host.list())[0]]).toEqual([before, summary, summary]);
    expect(harness.events.filter(({ type }) => type === 'sessions_changed')).toEqual([]);
    await host.dispose();
    await store.close();
    await start();
    expect((await host.list())[0]?.title).toBe('Garden');
  });

  it.each(TITLES)('JN50: %j leaves a session without a file as it was', async (title, message) => {
    await ask('sessions.rename', { sessionId: id, title: 'Garden' });
    expect(await ask('sessions.rename', { sessionId: id, title })).toMatchObject({ ok: false, error: { message } });
    expect(host.summary(id).title).toBe('Garden');
    await talk();
    expect(host.summary(id).title).toBe('Garden');
  });

  it('JN50: the longest is taken, and so is one with a visible sign', async () => {
    for (const title of ['x'.repeat(300), '\u200b.', '数']) {
      expect(await ask('sessions.rename', { sessionId: id, title })).toMatchObject({ ok: true });
      expect(host.summary(id).title).toBe(title);
    }
  });
});

describe('safety A7: a message that is longer than the limit', () => {
  const prompt = (given: object): Promise<IpcResult<unknown>> =>
    ask('session.prompt', { sessionId: id, itemId: nextId(), text: 'x', attachments: [], mode: 'steer', ...given });
  const file = (data: string): object => ({ kind: 'text', name: 'a.log', mimeType: 'text/plain', data });

  it.each([
    [{ text: 'x'.repeat(5_000_001) }, 'The message is longer than the limit of 5,000,000 characters. Shorten it, or send it in parts; nothing was sent.'], // prettier-ignore
    [{ attachments: Array.from({ length: 21 }, () => file('')) }, 'A message can have 20 attachments. Remove some and try again; nothing was sent.'], // prettier-ignore
    [{ attachments: [file('x'.repeat(30_000_001))] }, 'An attached file is longer than the limit of 30,000,000 characters. Remove it and try again; nothing was sent.'], // prettier-ignore
  ])('safety A7: is refused with the limit, %#', async (given, message) => {
    expect(await prompt(given)).toEqual({ ok: false, error: { code: 'invalid', message } });
    expect([await files(), host.summary(id).entryCount]).toEqual([{}, 0]);
  });

  it('safety A7: what no person can have caused has other words', async () => {
    expect(await prompt({ mode: 'x'.repeat(400) })).toMatchObject({
      error: { message: 'Espalier did not understand that request. Nothing was changed.' },
    });
  });

  it('safety A7: the longest is taken', async () => {
    harness.server.script(['Answer.']);
    expect(await prompt({ text: 'x'.repeat(5_000_000) })).toMatchObject({ ok: true });
    await harness.until('settled');
  });
});
