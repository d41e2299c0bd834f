import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { act, messageWith } from '../support/e2e/branches';
import { answered } from '../support/e2e/chat';
import { GraphPage } from '../support/e2e/graph';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';

/** What the + and its likes begin comes: a branch of its own, or another version of a prompt, as chip and ghost said (GR5, GR21). */
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let server: ModelServer;
let id: string;

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
});
test.describe.configure({ mode: 'serial' });
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

async function talk(question: string): Promise<void> {
  const answer = `About ${question}.`;
  server.script(answer);
  await window.say(question);
  await answered(app.page, answer);
  await window.rested(id);
}

test('GR5, GR21, GR17: branches that are begun are there; a prompt in other words is a version, and no turn more', async () => {
  const chip = app.page.getByRole('group', { name: 'Where your message goes' });
  const ghost = graph.pane.locator('[data-ghost]');
  const counts = async (branches: number, turns: number): Promise<void> => {
    await expect(app.page.getByRole('tab', { name: /Branches/ })).toContainText(String(branches));
    await expect(graph.pane).toContainText(`${turns} turns · ${branches} branches`);
  };
  const plusOf = async (title: string): Promise<void> => {
    const row = graph.titled(title).first();
    const { x, y } = await graph.middleOf(row);
    await app.page.mouse.move(x, y);
    await row.locator('[data-plus]').click({ force: true });
  };
  id = await window.startSession('Ideas', modelOf(endpointOn(server.url, 'loopback')));
  for (const question of ['One', 'Two', 'Three', 'Four']) await talk(question);
  for (const idea of ['Idea A', 'Idea B', 'Idea C']) {
    await plusOf('Two');
    await expect(chip).toContainText('New branch from ‹Two›');
    await expect(ghost).toContainText('New branch here');
    await talk(idea);
  }
  await counts(4, 7);
  for (const idea of ['Idea A', 'Idea B', 'Idea C']) await expect(graph.titled(idea)).toHaveCount(1);

  await plusOf('Idea C');
  await expect(chip).toContainText('New version of ‹Idea C›');
  await expect(ghost).toContainText('New version of ‹Idea C›');
  await talk('Idea C, in other words');
  await expect(graph.head.locator('[data-variants]')).toContainText('2/2');
  server.script('Again.');
  await act(messageWith(window, 'About Idea C, in other words.', 'assistant'), 'Regenerate reply');
  await answered(app.page, 'Again.');
  await window.rested(id);
  await expect(graph.head.locator('[data-variants]')).toContainText('3/3');
  await counts(4, 7);
  // An answer that was asked for again has the + of its prompt.
  await plusOf('Idea C, in other words');
  await expect(chip).toContainText('New version of ‹Idea C, in other words›');
  await chip.getByRole('button', { name: 'Back to HEAD' }).click();

  await act(messageWith(window, 'One', 'user'), 'Edit and resend');
  await expect(chip).toContainText('New version of ‹One›');
  await expect(ghost).toContainText('New version of ‹One›');
  await chip.getByRole('button', { name: 'Back to HEAD' }).click();

  await graph.choose('Errors');
  await act(messageWith(window, 'About Two.', 'assistant'), 'Branch from here');
  await expect(ghost).toContainText('from ‹Two›');
  // It covers no row.
  const yOf = async (what: Locator): Promise<number> => (await what.boundingBox())?.y ?? 0;
  await expect.poll(async () => (await yOf(graph.head)) - (await yOf(ghost))).toBeGreaterThan(26);
  await chip.getByRole('button', { name: 'Back to HEAD' }).click();
  await graph.choose('All');
});

test('GR24: the palette has what can be done in the graph while that has the keyboard, and only then', async () => {
  const { page } = app;
  const hide = page.getByRole('option', { name: 'Hide this branch' });
  await graph.titled('Idea A').click({ position: { x: 120, y: 14 }, force: true });
  await graph.plane.focus();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('option', { name: 'Branch from here B' })).toBeVisible();
  await expect(page.getByRole('option', { name: 'Show turns with errors only' })).toHaveCount(1);
  await page.getByPlaceholder('What do you want to do?').fill('hide this');
  await expect(hide).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-toast]')).toContainText('The branch is hidden');
  // As long as it is read it is there (GR29).
  await page.getByRole('region', { name: 'Reading another branch' }).getByRole('button', { name: /^Back/ }).click();
  await expect(graph.titled('Idea A')).toHaveCount(0);
  await window.composer.focus();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('option', { name: 'New session' }).first()).toBeVisible();
  await expect(hide).toHaveCount(0);
  await page.keyboard.press('Escape');
});
