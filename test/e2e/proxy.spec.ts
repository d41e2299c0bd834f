import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answered, LONG } from '../support/e2e/chat';
import { answerConsent } from '../support/e2e/consent';
import { filesHolding } from '../support/e2e/files';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';
import { startProxyServer, type ProxyServer } from '../support/proxy-server';

/** A provider behind a proxy: named by the environment, by hand, by the system (WN25). Nobody but the proxy knows its host. */
test.describe.configure({ mode: 'serial' });
const home = newHome();
// Elsewhere than on this computer a model needs a key, or a header.
const endpoint = { ...endpointOn('http://models.test', 'loopback'), headers: { 'X-Team': 'one' } };
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let proxy: ProxyServer;
let second: ProxyServer;

test.beforeAll(async () => {
  server = await startModelServer();
  const port = Number(new URL(server.url).port);
  proxy = await startProxyServer({ port });
  second = await startProxyServer({ port });
  writeEndpoint(home, endpoint);
  app = await launchApp({ home, size: { width: 1280, height: 800 }, env: { HTTP_PROXY: withPassword(proxy.url) } });
  window = new AppWindow(app);
  await window.startSession('Over a proxy', modelOf(endpoint));
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await Promise.all([server.close(), proxy.close(), second.close()]);
  removeHome(home);
});

const PASSWORD = 's3cret-word';
const withPassword = (url: string): string => url.replace('//', `//me:${PASSWORD}@`);
const pane = (): Locator => window.page.getByRole('region', { name: 'Network' });
const address = (): Locator => pane().getByRole('textbox', { name: 'Proxy address' });

async function talk(words: string): Promise<void> {
  server.script(words);
  await window.say('Say something');
  await answered(window.page, words);
}

test('WN25: the environment’s is used, without a word about it', async () => {
  await talk('Through the first.');
  expect(proxy.asked.map(({ line }) => line)).toContain('POST http://models.test/v1/chat/completions');
  expect(proxy.asked.at(-1)!.authorization).toBe(`Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`);
});

test('WN25: what gets into the log of its password is cut out there, and nothing else keeps it', async () => {
  await app.electron.evaluate((_electron, word) => {
    process.emit('unhandledRejection', new Error(`A proxy was quoted: ${word}`), Promise.resolve());
  }, PASSWORD);
  await expect.poll(() => filesHolding(home, 'A proxy was quoted: [redacted]').length).toBeGreaterThan(0);
  expect(filesHolding(home, PASSWORD)).toEqual([]);
});

test('WN25: one set by hand goes before it, once main has asked; SOCKS is refused in words', async () => {
  await window.page.keyboard.press('Control+,');
  await window.page.getByText('Advanced', { exact: true }).click();
  await pane().scrollIntoViewIfNeeded();
  await address().fill('socks5://127.0.0.1:1080');
  await address().press('Enter');
  await expect(pane()).toContainText('SOCKS is not supported');
  await address().fill(second.url);
  await address().press('Enter');
  expect(await answerConsent(app, 'Use it')).toContain(second.url);
  await expect(pane().getByRole('button', { name: 'Proxy: manual' })).toBeVisible();
  await takeShots(app, 'proxy-settings');
  expect(await seriousIssues(window.page)).toEqual([]);
  await window.page.keyboard.press('Escape');
  const before = proxy.asked.length;
  await talk('Through the second.');
  expect(second.asked.length).toBeGreaterThan(0);
  expect(proxy.asked).toHaveLength(before);
});

test('WN25: a proxy that is down is named, and nothing goes around it', async () => {
  await second.close();
  await window.request('settings.set', { key: 'retry.enabled', value: false });
  server.script('Never said.');
  const before = [server.requests.length, proxy.asked.length];
  await window.say('Are you there?');
  await expect(window.failure.getByRole('heading', { name: 'The proxy did not let the request through' })).toBeVisible({
    timeout: LONG,
  });
  await expect(window.failure).toContainText(second.url);
  expect([server.requests.length, proxy.asked.length]).toEqual(before);
  await takeShots(app, 'proxy-down');
  await window.request('settings.set', { key: 'network.proxy', value: 'system' });
  await window.failure.getByRole('button', { name: 'Retry' }).click();
  await answered(window.page, 'Never said.');
});

test('WN25: the system’s is used where the environment names none; a SOCKS one is refused in words', async () => {
  await app.close();
  app = await launchApp({ home });
  window = new AppWindow(app);
  const setSystem = (proxyRules: string): Promise<void> =>
    app.electron.evaluate(({ session }, rules) => session.defaultSession.setProxy({ proxyRules: rules }), proxyRules);
  await setSystem(`http=${new URL(proxy.url).host}`);
  const before = proxy.asked.length;
  await talk('Through the system’s.');
  expect(proxy.asked.length).toBeGreaterThan(before);
  await setSystem('socks5://127.0.0.1:1080');
  server.script('Never said.');
  const asked = server.requests.length;
  await window.say('And now?');
  await expect(window.failure.getByRole('heading', { name: 'The proxy can’t be used' })).toBeVisible({ timeout: LONG });
  await expect(window.failure).toContainText('SOCKS proxy, which Espalier can’t use');
  expect(server.requests).toHaveLength(asked);
});
