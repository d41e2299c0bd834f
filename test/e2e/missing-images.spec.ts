import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { dependencies } from '../../package.json';
import { isDevelopmentRuntime } from '../../src/main/runtime';
import type { RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { writeOddSession } from '../support/e2e/odd-session';
import { takeShots } from '../support/e2e/shots';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { noisePng } from '../support/pictures';
import type { ModelServer } from '../support/model-server';

/** Pictures in imported sessions: those that the file only names, because oh-my-pi keeps them beside it, and those in it. */
const home = sharedHome();
const BLOB = `blob:sha256:${'0f'.repeat(32)}`;
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
});

test('those that are only named are shown as missing and sent as words, never as data', async () => {
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

test('F2: in a development runtime one from a workspace is drawn after a click, one that was attached at once', async () => {
  const version = await app.electron.evaluate(() => process.versions.electron ?? '');
  const isOld = isDevelopmentRuntime(version);
  await expect(window.button('Development runtime')).toHaveCount(isOld ? 1 : 0);
  const data = noisePng(20, 20).toString('base64');
  const image = { type: 'image', data, mimeType: 'image/png' };
  const call = { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'plan.png' } };
  const result = { toolCallId: 'c', toolName: 'read', content: [image] };
  const file = writeOddSession(home, 'cccc0001', [call], [result], [{ type: 'text', text: 'See this.' }, image]);
  await window.importByMenu([file]);
  await expect(window.transcript.getByText('The end.')).toBeVisible({ timeout: LONG });
  const drawn = window.transcript.locator('img[src^="data:image/png"]');
  const isDrawn = (of: Locator): Promise<number> => of.evaluate((one: HTMLImageElement) => one.naturalWidth);
  const fromWorkspace = window.transcript.getByRole('img', { name: 'plan.png' });
  await expect(window.transcript.getByRole('img', { name: 'Attached picture 1' })).toBeVisible();
  await expect.poll(() => isDrawn(drawn.first())).toBe(20);
  if (isOld) {
    await expect(window.transcript).toContainText('20 × 20 pixels');
    await expect(drawn).toHaveCount(1);
    await expect(fromWorkspace).toHaveCount(0);
    await window.shot('picture-held');
    await window.button('Show the picture').click();
  }
  await expect(drawn).toHaveCount(2);
  await expect.poll(() => isDrawn(fromWorkspace)).toBe(20);
});

test('F1: About opens the licence of every library that is shipped', async () => {
  await window.page.keyboard.press('ControlOrMeta+,');
  await window.page.getByRole('tab', { name: 'About' }).click();
  await window.button('Show licences').click();
  const licences = window.page.getByRole('region', { name: 'Third-party licences' });
  await expect(licences).toContainText('Espalier holds the work of others.');
  const text = (await licences.textContent()) ?? '';
  const named = [...text.matchAll(/^-{80}\n(\S+) \S+ \(/gm)].map(([, name]) => name);
  // Nothing but the names of others.
  const { 'radix-ui': _names, ...shipped } = dependencies;
  expect(named).toEqual(expect.arrayContaining([...Object.keys(shipped), '@radix-ui/react-dialog']));
  for (const words of ['Permission is hereby granted, free of charge', 'SIL OPEN FONT LICENSE', 'Apache License'])
    expect(text).toContain(words);
  await takeShots(app, 'licences');
  await window.page.keyboard.press('Escape');
});
