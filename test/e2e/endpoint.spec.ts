import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { answerConsent } from '../support/e2e/consent';
import { answered, LONG } from '../support/e2e/chat';
import { closedPort, endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer, type Wire } from '../support/model-server';

/** An endpoint of one's own: tested, saved and chatted with, as a person does it; then every wire format. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async () => {
  server = await startModelServer();
  app = await launchApp({ home });
  window = new AppWindow(app);
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

test('Test says what is wrong with an address, then what the right one offers; Save keeps it', async () => {
  await window.composer.press('Control+,');
  const settings = window.page.getByRole('dialog', { name: 'Settings' });
  await settings.getByRole('button', { name: 'Add an endpoint' }).click({ timeout: LONG });
  const form = settings.getByRole('form', { name: 'New endpoint' });
  await form.getByLabel('Name', { exact: true }).fill('My server');
  await form.getByLabel('Base URL').fill(`http://127.0.0.1:${await closedPort()}/v1`);
  await form.getByRole('button', { name: 'Test' }).click();
  await answerConsent(app, 'Connect');
  await expect(form.getByRole('alert')).toHaveText('Nothing answers at that address. Is the server running?', {
    timeout: LONG,
  });
  await form.getByLabel('Base URL').fill(`${server.url}/v1`);
  await form.getByRole('button', { name: 'Test' }).click();
  expect(await answerConsent(app, 'Connect')).toContain(new URL(server.url).origin);
  await expect(form.getByRole('status')).toContainText('It works and offers 1 model.', { timeout: LONG });
  await form.getByRole('button', { name: '+ loopback' }).click();
  await expect(form.getByLabel('Model name')).toHaveValue('loopback');
  await form.getByLabel('Context window in tokens').fill('200000');
  await window.shot('endpoint-form');
  await form.getByRole('button', { name: 'Save endpoint' }).click();
  // A yes to a test was one to a test alone.
  expect(await answerConsent(app, 'Use this address')).toContain(new URL(server.url).origin);
  const row = settings.getByRole('listitem').filter({ hasText: 'My server' });
  await expect(row.getByText('no key needed', { exact: true })).toBeVisible({ timeout: LONG });
  // One word for it, wherever it stands.
  await expect(settings).not.toContainText('no key set');
  // WN16: it says that it is saved; its model is that of new sessions by one press, and of this one, in which nothing was said yet.
  const saved = settings.getByRole('status').filter({ hasText: 'My server is saved' });
  await expect(saved).toContainText('Choose it in a session, or for all new ones.');
  await expect(saved.getByRole('button', { name: 'Use for new sessions' })).toBeFocused();
  await expect(saved).toBeInViewport({ ratio: 0.5 });
  await takeShots(app, 'endpoint-saved');
  await saved.getByRole('button', { name: 'Use for new sessions' }).click();
  await expect(saved).toContainText('New sessions use loopback.');
  await expect(settings.getByRole('button', { name: 'Model for new sessions: loopback' })).toBeVisible();
  await saved.getByRole('button', { name: 'Done' }).click();
  await expect(saved).toBeHidden();
  await window.page.keyboard.press('Escape');
  await expect(settings).toBeHidden();
});

test('WN16: its model is that of the session in which nothing was said, and answers', async () => {
  await expect(window.page.getByRole('button', { name: 'Model: loopback' })).toBeVisible({ timeout: LONG });
  server.script('Words from my own server.');
  await window.say('Hello there');
  await answered(window.page, 'Words from my own server.');
  // A server on this computer is not asked for a title as well.
  expect(server.requests.map(({ body }) => body.model)).toEqual(['loopback']);
  await expect(window.page.getByRole('button', { name: /^Context: .* \/ 200k tokens, reported/ })).toBeVisible({
    timeout: LONG,
  });
});

for (const wire of ['completions', 'responses', 'messages'] as const satisfies readonly Wire[]) {
  test(`the ${wire} format: test, key, tool call and answer`, async () => {
    const endpoint = endpointOn(server.url, `own-${wire}`, wire);
    expect(await window.request('endpoints.test', { endpoint })).toEqual({
      ok: true,
      message: 'It works and offers 1 model.',
      models: ['loopback'],
    });
    await window.request('endpoints.save', { endpoint });
    await window.request('providers.setKey', { provider: endpoint.id, key: `key-of-${wire}`, keep: 'session' });
    const before = server.requests.length;
    server.script((request) => {
      const last = sentMessages(request).at(-1);
      if (last?.role === 'tool') return `Seen over ${wire}.`;
      return { content: [{ type: 'toolCall', name: 'ls', arguments: {} }] };
    });
    const sessionId = await window.startSession(`Over ${wire}`, modelOf(endpoint));
    await window.say('Look around');
    await answered(window.page, `Seen over ${wire}.`);
    expect(await window.rested(sessionId)).toMatchObject({ state: 'idle' });
    const [call, answer] = server.requests.slice(before);
    expect(call?.wire).toBe(wire);
    expect(JSON.stringify(call?.headers)).toContain(`key-of-${wire}`);
    expect(answer && sentMessages(answer).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
}

test('MT3: a known id brings window, images and price through an endpoint of one’s own, and the form says so', async () => {
  const endpoint = endpointOn(server.url, 'own-known', 'completions');
  const models = [
    { id: 'anthropic/claude-sonnet-4-5', contextWindow: 0, maxTokens: 8192, images: false, reasoning: false },
  ];
  await window.request('endpoints.save', { endpoint: { ...endpoint, models } });
  const model = { provider: 'own-known', modelId: models[0]!.id };
  const { providers } = await window.request('models.list', {});
  expect(providers.find(({ id }) => id === 'own-known')?.models).toMatchObject([
    { images: true, cost: { input: 3, output: 15 }, contextWindow: expect.any(Number) },
  ]);
  const sessionId = await window.startSession('A known model', model);
  server.script({ text: 'Priced words.', usage: { input: 1000, output: 100 } } as never);
  await window.say('What does this cost?');
  await answered(window.page, 'Priced words.');
  await window.rested(sessionId);
  await expect(window.page.getByRole('button', { name: /^Context: .* \/ (200k|1M) tokens/ })).toBeVisible({
    timeout: LONG,
  });
  await window.page.keyboard.press('Control+,');
  const settings = window.page.getByRole('dialog', { name: 'Settings' });
  const row = settings.getByRole('listitem').filter({ hasText: endpoint.name }).first();
  await row.getByRole('button', { name: 'Edit' }).click({ timeout: LONG });
  await expect(row).toContainText(/Known model: a window of (200k|1M) tokens, images, and its maker’s prices\./);
  await takeShots(app, 'endpoint-known');
  await row.getByLabel('Context window in tokens').fill('64000');
  await expect(row).toContainText('Known model: its maker’s prices.');
  await window.page.keyboard.press('Escape');
  await expect(settings).toBeHidden();
});

test('AG10: the meter follows at once when more becomes known of the model', async () => {
  const endpoint = endpointOn(server.url, 'own-completions', 'completions');
  await window.startSession('A smaller window', modelOf(endpoint));
  const models = endpoint.models.map((model) => ({ ...model, contextWindow: 48_000 }));
  await window.request('endpoints.save', { endpoint: { ...endpoint, models } });
  await expect(window.page.getByRole('button', { name: /^Context: .* · window 48k\./ })).toBeVisible({ timeout: LONG });
});

test('MT3: an unknown window is said so, and Set leads to where it is set', async () => {
  const endpoint = endpointOn(server.url, 'own-completions', 'completions');
  const models = endpoint.models.map((model) => ({ ...model, contextWindow: 0 }));
  await window.request('endpoints.save', { endpoint: { ...endpoint, models } });
  const meter = window.page.getByRole('button', { name: /^Context: .* · window unknown[.,] / });
  await expect(meter).toBeVisible({ timeout: LONG });
  server.script('Words over an unknown window.');
  await window.say('Hello again');
  await answered(window.page, 'Words over an unknown window.');
  for (const colorScheme of ['light', 'dark'] as const) {
    await window.page.emulateMedia({ colorScheme });
    await window.shot(`window-unknown-${colorScheme}`);
  }
  await window.page.getByRole('button', { name: 'Set the context window of' }).click();
  const settings = window.page.getByRole('dialog', { name: 'Settings' });
  const field = settings.getByRole('form', { name: /^Edit / }).getByLabel('Context window in tokens');
  await expect(field).toBeFocused({ timeout: LONG });
  for (const colorScheme of ['light', 'dark'] as const) {
    await window.page.emulateMedia({ colorScheme });
    await window.shot(`window-set-${colorScheme}`);
  }
  await field.fill('64000');
  await field.press('Enter');
  await expect(field).toBeHidden({ timeout: LONG });
  await window.page.keyboard.press('Escape');
  await expect(window.page.getByRole('button', { name: /^Context: .* \/ 64k tokens/ })).toBeVisible({ timeout: LONG });
  await expect(window.page.getByRole('button', { name: 'Set the context window of' })).toBeHidden();
});

test('all of this logs no warning and no error in the window', () => {
  expect(app.problems).toEqual([]);
});
