import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { writeOddSession } from '../support/e2e/odd-session';
import { AppWindow } from '../support/e2e/window';

/** Content that a window could choke on: what is wrong stays in its own row (docs/specs/safety.md A1). */
const home = newHome();
let folder: string;
let app: RunningApp;
let window: AppWindow;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-odd-'));
  app = await launchApp({ home });
  window = new AppWindow(app);
});
test.afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
  removeHome(home);
});

async function isUsable(): Promise<void> {
  await expect(window.transcript.getByText('The end.')).toBeVisible({ timeout: LONG });
  await window.composer.fill('still here');
  await expect(window.composer).toHaveValue('still here');
  await window.composer.fill('');
}

const OWN_NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

test('a tool may be called constructor', async () => {
  const calls = OWN_NAMES.map((name) => ({ type: 'toolCall', id: `call ${name}`, name, arguments: { a: 1 } }));
  const results = OWN_NAMES.map((name) => ({
    ...{ toolCallId: `call ${name}`, toolName: name },
    content: [{ type: 'text', text: `output of ${name}` }],
  }));
  await window.importByMenu([writeOddSession(folder, 'aaaa0001', calls, results)]);
  await isUsable();
  for (const name of OWN_NAMES) await expect(window.transcript.getByText(name, { exact: true })).toBeVisible();
  await window.shot('odd-tool-names');
  // After every restart too: what is stored is drawn again.
  await window.page.reload();
  await isUsable();
});
