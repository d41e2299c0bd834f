import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { LONG } from '../support/e2e/chat';
import { takeShots } from '../support/e2e/shots';
import { endpointOn } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { startModelServer } from '../support/model-server';

/** A pasted key says whose it is, or the person does, before it is kept (WN16). */
test.describe.configure({ mode: 'serial' });
const home = newHome();
let app: RunningApp;
let window: AppWindow;

test.beforeAll(async () => {
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  await window.page.keyboard.press('Control+,');
  await expect(row('Anthropic')).toBeVisible({ timeout: LONG });
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  removeHome(home);
});

const dialog = (): Locator => window.page.getByRole('dialog', { name: 'Settings' });
const row = (name: string): Locator => dialog().getByRole('listitem').filter({ hasText: name }).first();
const field = (): Locator => dialog().getByRole('textbox', { name: 'API key' });
const save = (): Locator => dialog().getByRole('button', { name: 'Save without a test' });
const paste = (): Promise<void> => dialog().getByRole('button', { name: 'Paste a key' }).click();
const keyOf = async (id: string): Promise<string> =>
  (await window.request('providers.keySource', { provider: id })).source;

test('WN16: by its beginning it goes to its provider', async () => {
  await paste();
  await expect(save()).toBeDisabled();
  await field().fill('sk-ant-api03-0123456789abcdef');
  await expect(dialog()).toContainText('A key for Anthropic. It is sent only there.');
  await takeShots(app, 'paste-key-known');
  await save().click();
  await expect(row('Anthropic')).toContainText('key for this run only');
  expect(await keyOf('anthropic')).toBe('session');
  expect(await keyOf('openai')).toBe('none');
});

test('WN16: sk- alone asks whose it is, and keeps nothing before', async () => {
  await paste();
  await field().fill('sk-0123456789abcdef');
  await expect(dialog()).toContainText('Several providers have keys that begin like this.');
  await expect(save()).toBeDisabled();
  await field().press('Enter');
  for (const id of ['openai', 'deepseek', 'moonshotai']) expect(await keyOf(id)).toBe('none');
  await dialog().getByRole('button', { name: 'Whose key: Choose the provider' }).click();
  await takeShots(app, 'paste-key-shared');
  await window.page.getByRole('menuitemradio', { name: 'DeepSeek' }).click();
  await save().click();
  await expect(row('DeepSeek')).toContainText('key for this run only');
  expect(await keyOf('openai')).toBe('none');
});

test('WN16: a key of one provider that is entered for another is told before it is kept', async () => {
  await row('Groq').getByRole('button', { name: 'Add key' }).click();
  await row('Groq').getByLabel('Key for Groq').fill('xai-0123456789abcdef');
  await expect(row('Groq')).toContainText('This looks like a key for xAI, not for Groq.');
  await takeShots(app, 'paste-key-other');
  expect(await seriousIssues(window.page)).toEqual([]);
  await row('Groq').getByRole('button', { name: 'Use it for xAI' }).click();
  await row('Groq').getByRole('button', { name: 'Save without a test' }).click();
  await expect.poll(() => keyOf('xai')).toBe('session');
  expect(await keyOf('groq')).toBe('none');
});

test('WN16: a choice that was made for one key is not kept for the next', async () => {
  const groq = row('Groq').getByLabel('Key for Groq');
  await row('Groq').getByRole('button', { name: 'Add key' }).click();
  await groq.fill('xai-fedcba9876543210');
  await row('Groq').getByRole('button', { name: 'Use it for xAI' }).click();
  await expect(row('Groq')).toContainText('It is kept for xAI and sent only there.');
  await groq.fill('hf_0123456789abcdef');
  await expect(row('Groq')).toContainText('This looks like a key for Hugging Face, not for Groq.');
  await expect(row('Groq')).not.toContainText('xAI');
  // Of the same provider, but not what was decided about.
  await groq.fill('xai-00000000000000');
  await expect(row('Groq')).toContainText('This looks like a key for xAI, not for Groq.');
  await groq.fill('');
  await row('Groq').getByRole('button', { name: 'Cancel' }).click();

  await paste();
  await field().fill('sk-fedcba9876543210');
  await dialog().getByRole('button', { name: 'Whose key: Choose the provider' }).click();
  await window.page.getByRole('menuitemradio', { name: 'OpenAI', exact: true }).click();
  await expect(save()).toBeEnabled();
  await field().fill('sk-00000000000000');
  await expect(save()).toBeDisabled();
  await field().fill('');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
});

test('WN16: Enter does not keep a key where another provider is recognized', async () => {
  const groq = row('Groq').getByLabel('Key for Groq');
  await row('Groq').getByRole('button', { name: 'Add key' }).click();
  await groq.fill('hf_0123456789abcdef');
  await groq.press('Enter');
  await expect(row('Groq').getByRole('alert')).toContainText('Choose one of the buttons below.');
  for (const id of ['groq', 'huggingface']) expect(await keyOf(id)).toBe('none');
  // Said in so many words it is kept.
  await row('Groq').getByRole('button', { name: 'Save here anyway' }).click();
  await expect.poll(() => keyOf('groq')).toBe('session');
  expect(await keyOf('huggingface')).toBe('none');
  // None of them is in a file: there is no keyring here.
  expect(() => readFileSync(join(home, 'credentials.json'), 'utf8')).toThrow();
});

test('WN16: a key is tested before it is kept; a wrong one is refused in words, and kept only if the person says so', async () => {
  const server = await startModelServer();
  const endpoint = endpointOn(server.url, 'mine');
  try {
    await window.saveEndpoint(endpoint);
    const mine = row(endpoint.name);
    const key = mine.getByLabel(`Key for ${endpoint.name}`);
    await mine.getByRole('button', { name: 'Add key' }).click();
    await key.fill('mine-0123456789abcdef');

    // A server that is silent: the person sees what goes on, and stops it.
    server.script({ hostile: 'hang-before-headers' });
    await mine.getByRole('button', { name: 'Test and save' }).click();
    await server.received(1);
    await expect(mine.getByRole('status')).toHaveText(`Asking ${endpoint.name} one short question with this key.`);
    await takeShots(app, 'key-test-on');
    await mine.getByRole('button', { name: 'Stop the test' }).click();
    await expect(mine.getByRole('alert')).toHaveText('Cancelled. The key is not tested.');

    server.script({ error: { status: 401, body: { error: { message: 'Incorrect API key provided' } } } });
    await mine.getByRole('button', { name: 'Test again' }).click();
    await expect(mine.getByRole('alert')).toContainText(`${endpoint.name} refused the key.`);
    await takeShots(app, 'key-test-refused');
    expect(await seriousIssues(window.page)).toEqual([]);
    expect(await keyOf('mine')).toBe('none');
    await mine.getByRole('button', { name: 'Save anyway' }).click();
    await expect.poll(() => keyOf('mine')).toBe('session');

    server.script('Yes.');
    await mine.getByRole('button', { name: 'Change key' }).click();
    await key.fill('mine-fedcba9876543210');
    await key.press('Enter');
    await expect(key).toBeHidden();
    expect(JSON.stringify(server.requests.at(-1)?.headers)).toContain('mine-fedcba9876543210');
    const asked = server.requests.length;

    // Leaving the form ends the test, and nothing is kept.
    server.script({ hostile: 'hang-before-headers' });
    await window.request('providers.removeKey', { provider: 'mine' });
    await mine.getByRole('button', { name: 'Add key' }).click();
    await key.fill('mine-0123456789abcdef');
    await key.press('Enter');
    await server.received(asked + 1);
    await mine.getByRole('button', { name: 'Add key' }).click();
    await server.requests[asked]?.closed;
    expect(await keyOf('mine')).toBe('none');
  } finally {
    await server.close();
  }
});
