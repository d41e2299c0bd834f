import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { EspalierBridge } from '../../src/shared/ipc/contract';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { consentPage, answerConsent, dismissConsent } from '../support/e2e/consent';
import { answerCard, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Folders that the person has not trusted, and main's own question about them (docs/specs/safety.md B1 to B4). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const folders = realpathSync(newHome());
const hostile = join(folders, 'hostile');
const tame = join(folders, 'tame');
const endpoint = endpointOn('', 'loopback');
let server: ModelServer;
let app: RunningApp;
let win: AppWindow;
let sessionId: string;

test.beforeAll(async () => {
  for (const folder of [hostile, tame]) {
    mkdirSync(folder);
    execFileSync('git', ['init', '-q', '-b', 'main', folder]);
    writeFileSync(join(folder, 'AGENTS.md'), '# How we work\nRun the tests.\n');
  }
  appendFileSync(
    join(hostile, '.git', 'config'),
    `[core]\n\tfsmonitor = touch ${folders}/canary\n[filter "x"]\n\tclean = touch ${folders}/canary\n`,
  );
  writeFileSync(join(hostile, '.git', 'hooks', 'pre-commit'), `touch ${folders}/canary\n`);
  writeFileSync(join(folders, 'id_rsa'), 'PRIVATE KEY');
  symlinkSync('../id_rsa', join(hostile, 'CLAUDE.md'));
  server = await startModelServer();
  writeEndpoint(home, { ...endpoint, baseUrl: `${server.url}/v1` });
  app = await launchApp({ home });
  win = new AppWindow(app);
  sessionId = await win.startSession('Restricted', modelOf(endpoint));
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
  removeHome(folders);
});

async function shotOfConsent(name: string): Promise<void> {
  const folder = process.env.ESPALIER_SHOTS;
  if (folder) await (await consentPage(app)).screenshot({ path: join(folder, `${name}.png`) });
}

test('B1: picking a folder asks at once, with what would be read and what could run', async () => {
  await win.chooseInDialog([hostile]);
  await win.page.getByRole('button', { name: /Choose the workspace folder/ }).click();
  const sheet = await consentPage(app);
  const text = await sheet.locator('main').innerText();
  for (const part of [
    hostile,
    'AGENTS.md, 29 B',
    `a link to ${folders}/id_rsa (not read)`,
    'core.fsmonitor = touch',
    'filter.x.clean = touch',
    'pre-commit',
    'git is not run: its configuration could run programs',
  ])
    expect(text).toContain(part);
  await expect(sheet.getByRole('button', { name: 'Keep restricted' })).toBeFocused();
  await shotOfConsent('trust-hostile');
});

test('C3: the page can neither see nor answer the question, and the question reaches nothing of the page', async () => {
  const sheet = await consentPage(app);
  type Told = { getLastWebPreferences(): Electron.WebPreferences };
  const contents = await app.electron.evaluate(({ webContents }) =>
    webContents.getAllWebContents().map((one) => {
      const { sandbox, contextIsolation, nodeIntegration, webSecurity } = (
        one as unknown as Told
      ).getLastWebPreferences();
      return { url: one.getURL(), sandbox, contextIsolation, nodeIntegration, webSecurity };
    }),
  );
  expect(contents.map(({ url }) => url).sort()).toEqual(['app://app/index.html', 'app://consent/consent.html']);
  for (const one of contents)
    expect(one).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false, webSecurity: true });
  const seen = await sheet.evaluate(async () => {
    const tried = async (task: () => Promise<unknown>): Promise<string> => task().then(String, () => 'refused');
    const frame = document.createElement('iframe');
    frame.src = 'app://app/index.html';
    // Told of a page that was refused as well.
    const settled = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    await settled;
    const inFrame = ((): string => {
      try {
        return frame.contentDocument?.body?.innerHTML ?? '';
      } catch {
        return '';
      }
    })();
    frame.remove();
    return {
      bridge: typeof window.espalier,
      globals: ['require', 'process', 'ipcRenderer', 'electron'].filter((name) => name in globalThis),
      scripts: document.scripts.length,
      app: await tried(() => fetch('app://app/index.html')),
      net: await tried(() => fetch('https://example.com/')),
      inFrame,
      opener: window.opener === null,
    };
  });
  expect(seen).toEqual({ bridge: 'undefined', globals: [], scripts: 0, app: 'refused', net: 'refused', inFrame: '', opener: true }); // prettier-ignore
  const fromPage = await app.page.evaluate(async () => {
    // Main answers a name that the contract does not have with a refusal; everything else is told as it is.
    const isRefusal = (answer: string): boolean => answer.startsWith('{"ok":false');
    const tried = async (task: () => Promise<unknown>): Promise<string> => {
      const answer = await task().then(String, () => 'refused');
      return isRefusal(answer) ? 'refused' : answer;
    };
    const bridge = window.espalier as EspalierBridge;
    return {
      page: await tried(() => fetch('app://consent/consent.html')),
      names: await Promise.all(
        ['espalier-consent:answer', 'espalier-consent:question'].map((name) =>
          tried(() => bridge.request(name as never, 'trust')),
        ),
      ),
    };
  });
  expect(fromPage).toEqual({ page: 'refused', names: ['refused', 'refused'] });
  // A click made by script is none, even where one of a person's would count.
  await sheet.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
  const trust = sheet.getByRole('button', { name: 'Trust this folder' });
  await expect(trust).toHaveAttribute('aria-disabled', 'false');
  await trust.evaluate((button: HTMLElement) => button.click());
  // Its next request comes to main behind whatever the click sent.
  await sheet.evaluate(() => fetch('app://consent/consent.html').catch(() => undefined));
  await expect(trust).toBeVisible();
});

test('B1: kept restricted it says so, beside the folder and above the composer, where the person writes next', async () => {
  await dismissConsent(app);
  await expect(win.composer).toBeFocused();
  await expect(win.page.getByRole('button', { name: 'Restricted folder: show details' })).toBeVisible();
  await expect(win.page.locator('[data-folder-strip]')).toContainText('You have not trusted this folder');
  await win.shot('restricted');
  expect((await win.request('workspace.status', { sessionId })).trust).toBe('restricted');
});

test('B1: there a message sends no guidance and runs no git; reading asks once, and says why', async () => {
  server.script([
    { content: [{ type: 'toolCall', name: 'read', arguments: { path: 'AGENTS.md' } }] },
    { content: [{ type: 'toolCall', name: 'ls', arguments: {} }] },
    'Done.',
  ]);
  await win.say('Look around');
  const card = win.page.locator('[data-approval]');
  await expect(card).toContainText('You have not trusted this folder', { timeout: LONG });
  await win.shot('restricted-read');
  const strip = win.page.locator('[data-folder-strip]');
  await expect(strip).toContainText('nothing is read without your approval');
  await answerCard(win.page, /Reading here, all session/);
  await expect(win.transcript).toContainText('Done.', { timeout: LONG });
  await expect(strip).toContainText('no git status. You allowed reading for this session.');
  await expect(strip).not.toContainText('nothing is read');
  await takeShots(app, 'restricted-reading');
  const first = JSON.stringify(server.requests[0]?.body);
  expect(first).toContain('has not trusted this folder');
  for (const secret of ['How we work', 'PRIVATE KEY', 'Git: on']) expect(first).not.toContain(secret);
  expect(existsSync(join(folders, 'canary'))).toBe(false);
});

test('C2: trusted from the row while a question waits, its other answers count half a second later', async () => {
  await win.rested(sessionId);
  const command = 'touch by-key.txt';
  server.script([{ content: [{ type: 'toolCall', name: 'bash', arguments: { command } }] }, 'Not run.']);
  await win.say('Make a file');
  const card = win.page.locator('[data-approval]');
  await expect(card).toHaveAttribute('data-ready', 'true', { timeout: LONG });
  await expect(card.getByRole('button', { name: 'Exactly this, all session' })).toHaveCount(0);
  // A hand that was on its way to "2" as the answers changed.
  await card.evaluate((found) => {
    const hand = new MutationObserver(() => {
      if (!found.textContent?.includes('Exactly this, all session')) return;
      hand.disconnect();
      found.dispatchEvent(new KeyboardEvent('keydown', { key: '2', bubbles: true }));
    });
    hand.observe(found, { subtree: true, childList: true, characterData: true });
  });
  await win.page.locator('[data-folder-strip]').getByRole('button', { name: 'Review…' }).click();
  await answerConsent(app, 'Trust this folder');
  await expect(card).toContainText('The card had just changed or moved.', { timeout: LONG });
  await expect(win.composer).toBeFocused();
  await expect(card.getByRole('button', { name: 'Exactly this, all session' })).toBeVisible();
  await answerCard(win.page, 'Decline');
  await expect(win.transcript).toContainText('Not run.', { timeout: LONG });
});

test('B1: trusted, guidance is in force, and git is still not run in a hostile one', async () => {
  const chip = win.page.getByRole('button', { name: 'Guidance in use: AGENTS.md' });
  await expect(chip).toBeVisible();
  await expect(win.page.locator('[data-folder-strip]')).toHaveCount(0);
  await chip.click();
  await expect(win.page.getByRole('dialog', { name: 'Session folder' })).toContainText('29 B');
  await win.shot('guidance');
  await win.page.keyboard.press('Escape');
  server.script(['Understood.']);
  await win.say('Again');
  await expect(win.transcript).toContainText('Understood.', { timeout: LONG });
  const last = JSON.stringify(server.requests.at(-1)?.body);
  expect(last).toContain('How we work');
  expect(last).toContain('Git: on main; what changed is not known');
  expect(last).not.toContain('PRIVATE KEY');
  expect(existsSync(join(folders, 'canary'))).toBe(false);
});

test('C2: there a card of git says which programs its settings name, as a note', async () => {
  server.script([{ content: [{ type: 'toolCall', name: 'bash', arguments: { command: 'git status' } }] }, 'Declined.']);
  await win.say('What changed?');
  const card = win.page.locator('[data-approval]').first();
  await expect(card).toContainText('Git may run what this repository names', { timeout: LONG });
  await expect(card).toContainText(`core.fsmonitor = touch ${folders}/canary, filter.x.clean = touch ${folders}/canary, hook pre-commit`); // prettier-ignore
  await expect(card).not.toHaveAttribute('data-risky');
  await expect(card.getByRole('button', { name: 'Exactly this, always here' })).toBeVisible();
  await expect(card).toHaveAttribute('data-ready', 'true', { timeout: LONG });
  const look = (name: string): Promise<string> =>
    card.getByRole('button', { name, exact: true }).evaluate((button) => getComputedStyle(button).backgroundColor);
  expect(await look('Run once')).toBe(await look('Exactly this, always here'));
  await takeShots(app, 'git-card');
  await answerCard(win.page, 'Decline');
  await expect(win.transcript).toContainText('Declined.', { timeout: LONG });
  expect(existsSync(join(folders, 'canary'))).toBe(false);
});

test('B1: Settings lists what is trusted; removed, the folder is restricted again', async () => {
  await win.rested(sessionId);
  await win.page.keyboard.press('ControlOrMeta+,');
  await win.page.getByRole('tab', { name: 'Tools' }).click();
  const section = win.page.getByRole('region', { name: 'Trusted folders' });
  await section.scrollIntoViewIfNeeded();
  await expect(section).toContainText('hostile');
  await win.shot('settings-trusted');
  await section.getByRole('button', { name: /Stop trusting/ }).click();
  await expect(section.getByRole('checkbox')).toHaveCount(1);
  await win.shot('settings-known');
  await section.getByRole('checkbox').check();
  await section.getByRole('button', { name: 'Trust selected…' }).click();
  expect(await answerConsent(app, 'Keep restricted')).toContain('core.fsmonitor');
  await win.page.keyboard.press('Escape');
  await expect(win.page.locator('[data-folder-strip]')).toBeVisible();
});

test('B4: a folder as wide as home needs an extra yes, and the app’s own is refused', async () => {
  await win.chooseInDialog([folders]);
  for (const name of ['a', 'b', 'c']) mkdirSync(join(folders, name, '.git'), { recursive: true });
  const wide = win.request('sessions.chooseWorkspace', { sessionId });
  expect(await answerConsent(app, 'Cancel')).toContain('Several projects lie in this folder');
  expect(await wide).toEqual({ path: null });
  await win.chooseInDialog(['/']);
  const root = win.request('sessions.chooseWorkspace', { sessionId });
  await shotOfConsent('use-wide');
  await answerConsent(app, 'Use it all the same');
  await shotOfConsent('trust-root');
  await answerConsent(app, 'Trust all of it…');
  await answerConsent(app, 'Cancel');
  expect(await root).toEqual({ path: '/' });
  expect((await win.request('trust.list', {})).trusted).toEqual([]);
  await win.chooseInDialog([join(home, 'sessions')]);
  expect((await win.refusal('sessions.chooseWorkspace', { sessionId })).message).toContain('Espalier’s own folder');
});

test('B1: there, to read all of it for the session is main’s question, whatever was picked or stands in a sidecar', async () => {
  server.script([{ content: [{ type: 'toolCall', name: 'ls', arguments: {} }] }, 'Seen all of it.']);
  await win.say('Look around again');
  await expect(win.page.locator('[data-approval]')).toBeVisible({ timeout: LONG });
  const [request] = (await win.request('session.open', { sessionId })).approvals;
  const answer = {
    approvalId: request?.id ?? '',
    contentHash: request?.contentHash ?? '',
    decision: 'session' as const,
  };
  const refused = win.refusal('approvals.answer', answer);
  expect(await answerConsent(app, 'Cancel')).toContain('This is the whole disk');
  expect((await refused).message).toContain('the question is still open');
  const agreed = win.request('approvals.answer', answer);
  await answerConsent(app, 'Allow reading all of it');
  await agreed;
  await expect(win.transcript).toContainText('Seen all of it.', { timeout: LONG });
});

test('B4: the folder of an imported session is a suggestion', async () => {
  const file = join(folders, 'foreign.jsonl');
  const header = { type: 'session', version: 3, id: 'foreign', timestamp: '2026-01-01T00:00:00.000Z', cwd: tame };
  const message = { role: 'user', content: 'Hello', timestamp: 1 };
  const entry = { type: 'message', id: '0000000000000001', parentId: null, timestamp: '2026-01-01T00:00:01.000Z', message }; // prettier-ignore
  writeFileSync(file, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
  const { id } = await win.importFile(file);
  await win.show(id);
  expect(await win.request('workspace.status', { sessionId: id })).toMatchObject({
    trust: 'scratch',
    suggestion: tame,
  });
  // The bar says where it works until then, as the card of a command does.
  const bar = win.page.getByRole('button', { name: /^Choose the workspace folder: / });
  await expect(bar).toHaveAccessibleName(/[/]workspaces[/]scratch$/);
  const strip = win.page.locator('[data-folder-strip]');
  await expect(strip).toContainText('This session was created in');
  await win.shot('suggestion');
  await win.chooseInDialog([tame]);
  await strip.getByRole('button', { name: 'Use that folder…' }).click();
  await shotOfConsent('trust-tame');
  await answerConsent(app, 'Trust this folder');
  await expect(strip).toHaveCount(0);
  await expect(bar).toHaveAccessibleName(/[/]tame$/);
  expect(await win.request('workspace.status', { sessionId: id })).toMatchObject({
    trust: 'trusted',
    suggestion: null,
    guidance: { name: 'AGENTS.md' },
  });
});

test('B1: at the update nothing is trusted, and known folders are offered once', async () => {
  await app.close();
  rmSync(join(home, 'trust.json'));
  app = await launchApp({ home });
  win = new AppWindow(app);
  const notice = win.page.getByRole('status').filter({ hasText: 'Folders are restricted until you trust them' });
  await expect(notice).toBeVisible({ timeout: LONG });
  await win.shot('offer');
  await notice.getByRole('button', { name: 'Choose folders…' }).click();
  const section = win.page.getByRole('region', { name: 'Trusted folders' });
  await section.getByRole('checkbox', { name: /tame/ }).check();
  await win.shot('offer-list');
  await section.getByRole('button', { name: 'Trust selected…' }).click();
  await shotOfConsent('offer-consent');
  await answerConsent(app, 'Trust this folder');
  const trusted = async (): Promise<string[]> => (await win.request('trust.list', {})).trusted.map(({ path }) => path);
  await expect.poll(trusted, { timeout: LONG }).toEqual([tame]);
  await expect(section).toContainText('tame');
  await app.close();
  app = await launchApp({ home });
  win = new AppWindow(app);
  expect(await trusted()).toEqual([tame]);
  await expect(win.page.getByText('Folders are restricted until you trust them')).toHaveCount(0);
});

test('C3: closing the app with a question open is a no, and does not hold it up', async () => {
  const id = await win.shownId();
  await win.chooseInDialog([hostile]);
  void win.request('sessions.chooseWorkspace', { sessionId: id }).catch(() => undefined);
  await consentPage(app);
  await app.close();
  app = await launchApp({ home });
  win = new AppWindow(app);
  expect((await win.request('trust.list', {})).trusted.map(({ path }) => path)).toEqual([tame]);
});
