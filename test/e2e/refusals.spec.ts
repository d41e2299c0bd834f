import { expect } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';

/** What a person types and main refuses: the words say what to do, and what was there stays. */

let app: RunningApp;
let window: AppWindow;

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take());
  window = new AppWindow(app);
});

test('JN50: a title that is blank or too long is refused by field and command alike', async () => {
  const id = await window.shownId();
  await window.say('/name Garden');
  const title = window.page.getByRole('heading', { level: 1 });
  await expect(title).toHaveText('Garden');
  await window.say(`/name ${'x'.repeat(301)}`);
  await expect(
    window.page.getByText('The title can have at most 300 characters. Shorten it and try again;'),
  ).toBeVisible();
  await window.row(id).focus();
  await window.page.keyboard.press('F2');
  await window.page.getByRole('textbox', { name: 'Session title' }).fill('   ');
  await window.page.keyboard.press('Enter');
  await expect(window.page.getByText('A title needs at least one visible character.')).toBeVisible();
  await expect(title).toHaveText('Garden');
  await expect(window.row(id)).toContainText('Garden');
  expect((await window.summary(id)).title).toBe('Garden');
});

test('safety A7: a message over the limit is refused with the limit, also where it comes in parts', async () => {
  const sessionId = await window.shownId();
  const text = 'x'.repeat(5_000_001);
  const prompt = { sessionId, itemId: '0123456789abcdef', text, attachments: [], mode: 'steer' as const };
  const { message } = await window.refusal('session.prompt', prompt);
  expect(message).toContain('longer than the limit of 5,000,000 characters');
  await expect(window.transcript.getByRole('article')).toHaveCount(0);
});
