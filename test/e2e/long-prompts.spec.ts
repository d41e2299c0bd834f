import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** A person's rows: who, when, and how much of a long prompt (TS12). */
const home = newHome();
const folder = mkdtempSync(join(tmpdir(), 'espalier-prompts-'));
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
  rmSync(folder, { recursive: true, force: true });
});

test('TS12: a person’s row names author and time, to the eye and to a screen reader', async () => {
  await window.startSession('Whose', modelOf(endpointOn(server.url, 'loopback')));
  server.script('Hello.');
  await window.say('Hi there');
  await answered(window.page, 'Hello.');
  const row = window.page.getByRole('article', { name: /^You, \d\d:\d\d$/ });
  await expect(row).toContainText(/You\s*\d\d:\d\d\s*Hi there/);
  await expect(row.locator('time')).toHaveAttribute('title', /\d{4} at \d\d:\d\d$/);
  await takeShots(app, 'prompt-author');
  await expect(window.page.getByRole('article', { name: /^You/ })).toHaveCount(1);
});
