import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { answered, approval, LONG, send } from '../support/e2e/chat';
import { answerConsent, consentPage } from '../support/e2e/consent';
import { endpointOn } from '../support/e2e/loopback';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { AppWindow } from '../support/e2e/window';

/** The yes to what main asks before keys go somewhere and the agent may do more (docs/specs/safety.md C3, C4). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
let app: RunningApp;
let win: AppWindow;

test.beforeAll(async () => {
  app = await launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
  win = new AppWindow(app);
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

/** The question as it stands, for eyes; then the button. */
async function agree(theme: 'light' | 'dark', name: string, button: string): Promise<string> {
  const page = await consentPage(app);
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
  const shots = process.env.ESPALIER_SHOTS;
  if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}.png`) });
  return answerConsent(app, button);
}

/** How often main's own window was brought to the front from now on: whether it gets the focus, only the window manager says. */
async function countFronts(): Promise<() => Promise<number>> {
  const window = await app.electron.evaluateHandle(({ BrowserWindow }) => {
    const asking = BrowserWindow.getAllWindows().find((one) => one.getParentWindow() !== null);
    const count = { fronts: 0 };
    if (asking) {
      const focus = asking.focus.bind(asking);
      asking.focus = () => {
        count.fronts += 1;
        focus();
      };
    }
    return count;
  });
  return () => window.evaluate(({ fronts }) => fronts);
}

test('an endpoint over http elsewhere, its key, and its move with the key', async () => {
  await win.request('settings.set', { key: 'appearance.theme', value: 'light' });
  const open = endpointOn('http://models.invalid:8000', 'open');
  const saving = win.request('endpoints.save', { endpoint: open });
  expect(await agree('light', 'endpoint-http', 'Use this address')).toContain('Unencrypted');
  await saving;
  await win.request('settings.set', { key: 'appearance.theme', value: 'dark' });
  const keeping = win.request('providers.setKey', { provider: open.id, key: 'sk-0123456789-wxyz', keep: 'session' });
  const asked = await agree('dark', 'key-http', 'Send unencrypted');
  expect(asked).toContain('ends in wxyz');
  expect(asked).not.toContain('0123456789');
  await keeping;
  const moved = { ...open, baseUrl: 'https://models.invalid/v1' };
  const moving = win.request('endpoints.save', { endpoint: moved });
  expect(await agree('dark', 'endpoint-moves', 'Send the key there too')).toContain('http://models.invalid:8000');
  await moving;
  const { providers } = await win.request('models.list', {});
  expect(providers.find(({ id }) => id === open.id)).toMatchObject({ keySource: 'session', available: true });
});

test('all changes of a folder', async () => {
  await win.request('settings.set', { key: 'appearance.theme', value: 'light' });
  const { scratchDir } = await win.request('app.bootstrap', {});
  mkdirSync(scratchDir, { recursive: true });
  await send(app.page, 'Write a haiku to notes.md');
  await expect(approval(app.page)).toBeVisible({ timeout: LONG });
  const { approvals } = await win.request('session.open', { sessionId: await win.shownId() });
  const [request] = approvals;
  expect(request?.choices).toContain('always');
  const answering = win.request('approvals.answer', {
    approvalId: request?.id ?? '',
    contentHash: request?.contentHash ?? '',
    decision: 'always',
  });
  await consentPage(app);
  // Main's window asks about the same call: the card waits, and its keys lead there.
  const card = approval(app.page);
  await expect(card).toContainText('Espalier is asking about this in a separate window.');
  // A name with spaces is told from the words around it.
  const name = card.getByRole('heading').locator('code');
  expect(await name.evaluate((code) => getComputedStyle(code).backgroundColor)).not.toBe('rgba(0, 0, 0, 0)');
  for (const answer of await card.getByRole('button', { name: /^(Write|Edits|Decline)/ }).all())
    await expect(answer).toHaveAttribute('aria-disabled', 'true');
  const fronts = await countFronts();
  for (const key of ['1', '3', 'Escape']) {
    await card.getByRole('button', { name: 'Show that window' }).focus();
    const before = await fronts();
    await app.page.keyboard.press(key);
    await expect.poll(fronts).toBe(before + 1);
  }
  const before = await fronts();
  await card.getByRole('button', { name: 'Show that window' }).click();
  await expect.poll(fronts).toBe(before + 1);
  const shots = process.env.ESPALIER_SHOTS;
  if (shots) await app.page.screenshot({ path: join(shots, 'asked-beside.png') });
  // A window that is loaded again is told as well.
  const asked = await win.request('session.open', { sessionId: await win.shownId() });
  expect(asked.askedBeside).toBe(request?.id);
  expect(await agree('light', 'folder-scope', 'Always allow')).toContain('without asking');
  await answering;
  expect((await win.request('approvals.rules', {})).rules).toHaveLength(1);
  expect(readFileSync(join(home, 'approvals.json'), 'utf8')).toContain('folder');
  await answered(app.page, 'notes.md');
});
