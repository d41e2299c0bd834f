import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { storedMarks } from '../support/e2e/database';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { watchMain } from '../support/e2e/main-thread';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';
import { gif, noisePng, png } from '../support/pictures';

/** Pictures on their way into a message: docs/specs/safety.md A7. */
const home = sharedHome();
let folder: string;
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async ({ shared }) => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-pictures-'));
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
});
test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function filesOf(pictures: Readonly<Record<string, Uint8Array>>): Promise<string[]> {
  for (const [name, bytes] of Object.entries(pictures)) await writeFile(join(folder, name), bytes);
  return Object.keys(pictures).map((name) => join(folder, name));
}

test('a picture that is too large is made smaller; what can’t be sent is refused in words; the ninth is left out', async () => {
  await window.startSession('Pictures', modelOf(endpointOn(server.url, 'loopback')));
  const { page } = window;
  const picker = page.locator('input[type=file][aria-label="Attach files"]');
  const large = noisePng(2200, 1400);
  expect(large.length).toBeGreaterThan(9_000_000);
  await picker.setInputFiles(
    await filesOf({
      'large.png': large,
      'bomb.png': png(60_000, 60_000),
      'broken.png': png(20, 20),
      'no.png': Buffer.from('no picture at all'),
      'moving.gif': Buffer.concat([gif(16, 16, 2), Buffer.alloc(4_000_000)]),
    }),
  );
  const problem = page.getByRole('region', { name: 'Message' }).getByRole('alert');
  await expect(problem).toContainText('“bomb.png” has 3600 megapixels; the limit is 40.', { timeout: LONG });
  await expect(problem).toContainText('“broken.png” is damaged');
  await expect(problem).toContainText('“no.png” can’t be read as a picture');
  await expect(problem).toContainText('“moving.gif” is an animation of 3.8 MB');
  await window.shot('attachments-refused');

  const small = noisePng(20, 20);
  await picker.setInputFiles(
    await filesOf(Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`${at}.png`, small]))),
  );
  await expect(problem).toContainText('A message can have at most 8 pictures; the last one was left out.', {
    timeout: LONG,
  });

  server.script('Eight pictures.');
  await window.say('Look at these');
  await answered(page, 'Eight pictures.');
  const sent = JSON.stringify(server.requests.at(-1)?.body).match(/data:image\/[a-z]+;base64,[^"]+/g) ?? [];
  expect(sent).toHaveLength(8);
  const bytes = sent.map((url) => ((url.length - url.indexOf(',')) * 3) / 4);
  expect(Math.max(...bytes)).toBeLessThan(3_760_000);
  expect(Math.max(...bytes)).toBeGreaterThan(100_000);
});

test('A9: eight large pictures keep main at no point for long', async () => {
  await window.startSession('Photos', modelOf(endpointOn(server.url, 'loopback')));
  const { page } = window;
  const picture = noisePng(1100, 1120);
  expect(picture.length).toBeGreaterThan(3_690_000);
  const names = Array.from({ length: 8 }, (_, at) => `photo-${at}.png`);
  await page
    .locator('input[type=file][aria-label="Attach files"]')
    .setInputFiles(await filesOf(Object.fromEntries(names.map((name) => [name, picture]))));
  await expect(page.getByRole('button', { name: /^Remove photo-\d\.png$/ })).toHaveCount(8, { timeout: LONG });
  const longest = await watchMain(app);
  server.script('Eight photos.');
  await window.say('And at these');
  await answered(page, 'Eight photos.');
  // The database takes the first messages of a session from main, large as they are.
  const sessionId = await window.shownId();
  const journal = await readFile(join(home, 'sessions', `${sessionId}.jsonl`), 'utf8');
  const seq = journal.trimEnd().split('\n').length - 1;
  await expect
    .poll(() => storedMarks(page), { timeout: LONG })
    .toContainEqual(expect.objectContaining({ sessionId, seq }));
  expect(await longest()).toBeLessThan(50);
});
