import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Pictures that oh-my-pi keeps beside its session files: the file that is imported only names them. */
const home = newHome();
const BLOB = `blob:sha256:${'0f'.repeat(32)}`;
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

test('they are shown as missing and sent as words, never as data', async () => {
  const image = { type: 'image', data: BLOB, mimeType: 'image/png' };
  const text = (words: string): object => ({ type: 'text', text: words });
  const call = { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'plan.png' } };
  const messages = [
    { role: 'user', content: [text('What is in this picture?'), image], timestamp: 1 },
    { role: 'assistant', content: [call], stopReason: 'toolUse', timestamp: 2 },
    { role: 'toolResult', toolCallId: 'c', toolName: 'read', content: [image], isError: false, timestamp: 3 },
    { role: 'assistant', content: [text('A plan.')], stopReason: 'stop', timestamp: 4 },
  ];
  const lines = messages.map((message, at) =>
    JSON.stringify({ type: 'message', id: `m${at}`, parentId: at > 0 ? `m${at - 1}` : null, timestamp: '2026-01-01T00:00:00.000Z', message }),
  ); // prettier-ignore
  const file = join(home, 'named.jsonl');
  writeFileSync(
    file,
    `${JSON.stringify({ type: 'session', version: 3, id: 'named', cwd: '' })}\n${lines.join('\n')}\n`,
  );
  const { id } = await window.importFile(file);
  await window.show(id);
  await window.request('session.setModel', { sessionId: id, ...modelOf(endpointOn(server.url, 'loopback')) });
  await expect(window.transcript.getByText('Image missing')).toHaveCount(2);
  await window.shot('image-missing');

  server.script(['I can’t see it.']);
  await window.say('And now?');
  await expect(window.transcript).toContainText('I can’t see it.', { timeout: LONG });
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  expect(sent.split('[image missing]')).toHaveLength(3);
  expect(sent).not.toContain('blob:sha256');
  expect(sent).not.toContain('image_url');
});
