import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answerCard, answered, LONG, send, transcript } from '../support/e2e/chat';
import { answerConsent } from '../support/e2e/consent';
import { filesHolding, journals } from '../support/e2e/files';

/**
 * QS6: a canary key that went through the settings, and a text that may be found. Keys of the environment: `environment-keys.spec.ts`.
 * The keys must be in no file but the one that the person chose, in no output, and in no child's environment.
 */
test.describe.configure({ mode: 'serial' });

const canary = `sk-canary-${randomBytes(12).toString('hex')}`;
const marker = `findme${randomBytes(8).toString('hex')}`;
const home = newHome();
const credentials = join(home, 'credentials.json');
let app: RunningApp;

/** A provider that repeats the key it was given in its refusal, as some do. */
const talkative = createServer((request, response) => {
  const { authorization = '' } = request.headers;
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ error: { message: `Incorrect API key provided: ${authorization}`, code: 'invalid_api_key' } }),
  );
});

test.beforeAll(async () => {
  await new Promise<void>((resolve) => talkative.listen(0, '127.0.0.1', resolve));
  writeEndpoint(home, {
    id: 'talkative',
    name: 'Talkative',
    api: 'openai-completions',
    baseUrl: `http://127.0.0.1:${(talkative.address() as AddressInfo).port}/v1`,
    headers: {},
    models: [{ id: 'repeat', contextWindow: 32_000, maxTokens: 4_000, images: false, reasoning: false }],
  });
  app = await launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
});
test.afterAll(async () => {
  await app.close();
  talkative.close();
  removeHome(home);
});

test('a key goes in through the settings, kept where the person chose', async () => {
  const { page } = app;
  await page.keyboard.press('Control+,');
  const provider = page.getByRole('listitem').filter({ hasText: 'Talkative' });
  await provider.getByRole('button', { name: 'Add key' }).click({ timeout: LONG });
  // Escape leaves the form first; with something in it the form stays, and only the next one closes Settings.
  const field = provider.getByLabel('Key for Talkative');
  await field.press('Escape');
  await expect(field).toHaveCount(0);
  await provider.getByRole('button', { name: 'Add key' }).click();
  await field.fill(canary);
  await field.press('Escape');
  await expect(field).toHaveValue(canary);
  await expect(provider).toContainText('This key is not saved. Escape closes Settings and drops it.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Control+,');
  await provider.getByRole('button', { name: 'Add key' }).click({ timeout: LONG });
  await field.fill(canary);
  // Without a keyring the person chooses; with one it is encrypted.
  const plain = provider.getByRole('radio', { name: /plain text file/ });
  if ((await plain.count()) > 0) {
    await plain.check();
    await expect(provider.getByRole('button', { name: 'Save without a test' })).toBeDisabled();
    await provider.getByRole('checkbox', { name: /unencrypted/ }).check();
  }
  const isPlain = (await plain.count()) > 0;
  await provider.getByRole('button', { name: 'Save without a test' }).click();
  if (isPlain) expect(await answerConsent(app, 'Store unencrypted')).not.toContain(canary);
  await expect(provider).toContainText(/key (in a plain text file|stored, encrypted)/, { timeout: LONG });
  await page.keyboard.press('Escape');
});

test('a command sees no key', async () => {
  const { page } = app;
  await send(page, `Run \`env; echo ${marker}\``);
  await answerCard(page, 'Run once');
  await answered(page, 'It ran');
  expect(journals(home)).toContain('PATH=');
  expect(journals(home)).not.toMatch(/API_KEY/);
});

test('a provider that repeats the key in its refusal does not bring it into the session', async () => {
  const { page } = app;
  const [sessionId] = await page
    .locator('[data-session]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-session')));
  await page.evaluate(
    (id) =>
      window.espalier?.request('session.setModel', { sessionId: id ?? '', provider: 'talkative', modelId: 'repeat' }),
    sessionId,
  );
  await send(page, 'Who are you');
  await expect(transcript(page)).toContainText('Incorrect API key', { timeout: LONG });
  await expect(transcript(page)).not.toContainText(canary);
});

test('no child process has a key of the settings in its environment', async () => {
  const processes = descendants(app.electron.process().pid ?? 0);
  test.skip(process.platform !== 'linux', 'not run: only Linux tells it in /proc');
  expect(processes.length).toBeGreaterThan(1);
  for (const pid of processes) {
    for (const file of ['environ', 'cmdline'])
      expect(readFileSync(`/proc/${pid}/${file}`, 'utf8')).not.toContain(canary);
  }
});

test('the keys are in no file but the one of the keys', async () => {
  // The search finds what is there: the transcript is in the journal and in the window's database.
  const holdsMarker = filesHolding(home, marker);
  expect(holdsMarker.filter((path) => path.includes('sessions'))).not.toEqual([]);
  expect(holdsMarker.filter((path) => path.includes('IndexedDB'))).not.toEqual([]);
  expect(filesHolding(home, canary).filter((path) => path !== credentials)).toEqual([]);

  await app.close();
  expect(filesHolding(home, canary).filter((path) => path !== credentials)).toEqual([]);
  expect(`${app.output()}${app.problems.join()}`).not.toContain('canary');
});

/** All processes under `root`, itself excluded, by the parents that /proc names. */
function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      readlinkSync(`/proc/${name}/exe`);
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It ended meanwhile, or belongs to somebody else.
    }
  }
  const under = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || (parent > 1 && under(parent)));
  };
  return [...parents.keys()].filter(under);
}
