import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answerCard, answered, approval, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Sessions that wait for the person: the inbox, the window's title, the way to the card from within and without, a restart. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
let server: ModelServer;
let app: RunningApp;
let win: AppWindow;
const ids: Record<'Alpha' | 'Beta' | 'Gamma', string> = { Alpha: '', Beta: '', Gamma: '' };

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  await start();
  await win.request('settings.set', { key: 'retry.enabled', value: false });
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

async function start(): Promise<void> {
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  win = new AppWindow(app);
  await recordNotes();
}

/** The one stand-in: what the system would show is written down, and the window is in front only where the test says so. */
async function recordNotes(): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow, Notification }) => {
    const scope = globalThis as unknown as { notes: Electron.Notification[]; closed: number[]; isHere: boolean };
    scope.notes = [];
    scope.closed = [];
    scope.isHere = false;
    Notification.isSupported = () => true;
    Notification.prototype.show = function (this: Electron.Notification) {
      scope.notes.push(this);
    };
    Notification.prototype.close = function (this: Electron.Notification) {
      scope.closed.push(scope.notes.indexOf(this));
    };
    const [window = null] = BrowserWindow.getAllWindows();
    BrowserWindow.getFocusedWindow = () => (scope.isHere ? window : null);
  });
}

interface Recorded {
  shown: string[];
  closed: number[];
}
const recorded = (): Promise<Recorded> =>
  app.electron.evaluate(() => {
    const { notes, closed } = globalThis as unknown as { notes: Electron.Notification[]; closed: number[] };
    return { shown: notes.map(({ title, body }) => `${title} | ${body}`), closed };
  });
const clickNote = (index: number): Promise<void> =>
  app.electron.evaluate((_electron, at) => {
    (globalThis as unknown as { notes: Electron.Notification[] }).notes[at]?.emit('click');
  }, index);
const setHere = (isHere: boolean): Promise<void> =>
  app.electron.evaluate((_electron, value) => void Object.assign(globalThis, { isHere: value }), isHere);

const titleOfWindow = (): Promise<string | undefined> =>
  app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getTitle());
const setSize = (width: number, height: number): Promise<void> =>
  app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]?.setContentSize(w, h), [
    width,
    height,
  ] as const);

/** In both themes. */
async function isAccessible(): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await win.request('settings.set', { key: 'appearance.theme', value: theme });
    await expect(win.page.locator('html')).toHaveAttribute('data-theme', theme);
    expect(await seriousIssues(win.page)).toEqual([]);
  }
  await win.request('settings.reset', { key: 'appearance.theme' });
}

const inbox = (): Locator => win.page.getByRole('heading', { name: /^Waiting for you/ });
const rows = (): Locator => win.page.getByRole('list', { name: 'Sessions' }).locator('[data-session], h2');

/** Starts a session that asks to run a command. */
async function ask(title: keyof typeof ids, command: string): Promise<void> {
  server.script({ content: [{ type: 'toolCall', name: 'bash', arguments: { command } }] });
  ids[title] = await win.startSession(title, modelOf(endpointOn(server.url, 'loopback')));
  await win.say(`Run it for ${title}`);
  await approval(win.page).first().waitFor({ timeout: LONG });
}

test('NT1, WN12: what waits stands above all others, the longest first, and the title counts it', async () => {
  await ask('Alpha', 'echo alpha');
  await ask('Beta', 'echo beta');
  await ask('Gamma', 'echo gamma');
  await expect(inbox()).toHaveText('Waiting for you 3');
  await expect(rows().first()).toContainText('Waiting for you');
  await expect(rows().nth(1)).toContainText('Alpha');
  await expect(rows().nth(1)).toContainText('Run echo alpha');
  await expect(rows().nth(2)).toContainText('Beta');
  await expect(rows().nth(3)).toContainText('Gamma');
  await expect.poll(titleOfWindow).toBe('(3) Gamma — waiting for you — Espalier');
  await takeShots(app, 'inbox');
  await isAccessible();
});

test('NT2: each was told once, by title and kind alone', async () => {
  expect((await recorded()).shown).toEqual([
    'Alpha | Waiting for your answer',
    'Beta | Waiting for your answer',
    'Gamma | Waiting for your answer',
  ]);
  expect((await recorded()).closed).toEqual([]);
});

test('NT1: the key and a click walk to the card itself, round', async () => {
  const onCard = async (command: string): Promise<void> => {
    const card = approval(win.page).first();
    await expect(card).toContainText(command, { timeout: LONG });
    await expect(card).toBeFocused();
    await expect(card).toBeInViewport();
  };
  await win.page.keyboard.press('Alt+w');
  await onCard('echo alpha');
  await expect(win.row(ids.Alpha)).toHaveAttribute('aria-current', 'true');
  await win.page.keyboard.press('Alt+w');
  await onCard('echo beta');
  await win.button(/next one that waits/).click();
  await onCard('echo gamma');
  await win.row(ids.Beta).click();
  await onCard('echo beta');
  await win.row(ids.Alpha).focus();
  await win.page.keyboard.press('Enter');
  await onCard('echo alpha');
});

test('NT2: a click on a notification leads to the very card', async () => {
  await clickNote(1);
  const card = approval(win.page).first();
  await expect(card).toContainText('echo beta', { timeout: LONG });
  await expect(card).toBeFocused();
  expect((await recorded()).closed).toEqual([1]);
});

test('NT2: a click while no page listens leads there once one does', async () => {
  await app.electron.evaluate(({ BrowserWindow }) => {
    const { notes } = globalThis as unknown as { notes: Electron.Notification[] };
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    // Main has let go of the page by then.
    contents?.once('did-start-navigation', () => notes[0]?.emit('click'));
    contents?.reload();
  });
  const card = approval(win.page).first();
  await expect(card).toContainText('echo alpha', { timeout: LONG });
  await expect(card).toBeFocused();
  expect((await recorded()).closed).toEqual([1, 0]);
  await expect(inbox()).toHaveText('Waiting for you 3');
});

test('NT1: where the list is hidden the bar has the count and the way', async () => {
  await win.page.keyboard.press('Control+b');
  await expect(inbox()).toHaveCount(0);
  await takeShots(app, 'inbox-hidden');
  await isAccessible();
  // The smallest window, and a name that no bar has room for.
  await win.request('sessions.rename', { sessionId: ids.Alpha, title: '\u202eAlpha '.repeat(40).trim() });
  await setSize(480, 400);
  await expect(win.button('3 waiting')).toBeInViewport({ ratio: 1 });
  const bar = win.page.locator('[data-pane="bar"]');
  expect(await bar.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  await win.shot('inbox-smallest');
  await win.button('Show sessions').click();
  await expect(inbox()).toBeVisible();
  await win.shot('inbox-smallest-list');
  await win.page.keyboard.press('Control+b');
  await win.request('sessions.rename', { sessionId: ids.Alpha, title: 'Alpha' });
  await setSize(1280, 800);
  await win.button('3 waiting').click();
  const card = approval(win.page).first();
  await expect(card).toContainText('echo beta', { timeout: LONG });
  await expect(card).toBeFocused();
  await win.page.keyboard.press('Control+b');
  await expect(win.button('3 waiting')).toHaveCount(0);
  await expect(inbox()).toBeVisible();
});

test('NT1, NT2: an answer takes the notification back, and the session goes to its place', async () => {
  await win.row(ids.Gamma).click();
  await expect(approval(win.page).first()).toContainText('echo gamma');
  server.script('Gamma ran.');
  await answerCard(win.page, 'Run once');
  await answered(win.page, 'Gamma ran.');
  await expect(inbox()).toHaveText('Waiting for you 2');
  await expect.poll(titleOfWindow).toBe('(2) Gamma — Espalier');
  await expect.poll(recorded).toMatchObject({ closed: [1, 0, 2] });
  // It was done at once: nobody is told.
  expect((await recorded()).shown).toHaveLength(3);
});

test('NT2: nobody at the window is told, and what failed elsewhere is', async () => {
  await setHere(true);
  server.script({ error: { status: 400, body: { error: { message: 'No', type: 'invalid_request_error' } } } });
  await win.say('Fail while I look');
  await expect(win.failure).toBeVisible({ timeout: LONG });
  await win.rested(ids.Gamma);
  expect((await recorded()).shown).toHaveLength(3);
  await setHere(false);
  server.script({ error: { status: 400, body: { error: { message: 'No', type: 'invalid_request_error' } } } });
  await win.say('Fail while I am away');
  await expect
    .poll(async () => (await recorded()).shown.at(-1), { timeout: LONG })
    .toBe('Gamma | Stopped early: something failed');
  await expect(win.row(ids.Gamma).getByRole('img', { name: 'stopped with an error' })).toBeVisible();
  // Who comes to the window sees it there.
  await app.electron.evaluate(({ app: electron }) => void electron.emit('browser-window-focus'));
  await expect.poll(recorded).toMatchObject({ closed: [1, 0, 2, 3] });
});

test('NT1: after a restart nothing waits, and what was asked or failed is marked as stopped early', async () => {
  await app.kill();
  await start();
  await expect(inbox()).toHaveCount(0);
  await expect(win.row(ids.Alpha).getByRole('img', { name: 'stopped early' })).toBeVisible();
  await expect(win.row(ids.Beta).getByRole('img', { name: 'stopped early' })).toBeVisible();
  await expect(win.row(ids.Gamma).getByRole('img', { name: 'stopped with an error' })).toBeVisible();
  expect(await recorded()).toEqual({ shown: [], closed: [] });
  await takeShots(app, 'after-restart');
  // It can be gone on with, and asks again.
  await win.show(ids.Alpha);
  server.script({ content: [{ type: 'toolCall', name: 'bash', arguments: { command: 'echo again' } }] });
  await win.button('Continue').click();
  await expect(inbox()).toHaveText('Waiting for you 1', { timeout: LONG });
  await expect.poll(titleOfWindow).toBe('(1) Alpha — waiting for you — Espalier');
  await win.request('session.stop', { sessionId: ids.Alpha });
  await win.rested(ids.Alpha);
  await expect.poll(titleOfWindow).toBe('Alpha — stopped early — Espalier');
});

test('NT1, NT2: a summary that waits for its review needs the person, and a click opens it', async () => {
  await recordNotes();
  const other = ids.Beta;
  await win.show(ids.Gamma);
  await win.request('settings.set', { key: 'compaction.keepRecentTokens', value: 1 });
  server.script('## Goal\nGamma in short.');
  await win.request('session.compact', { sessionId: ids.Gamma, review: true });
  const review = win.page.getByRole('dialog', { name: 'Review the summary' });
  await expect(review.or(win.button('Review'))).toBeVisible({ timeout: LONG });
  await expect(win.page.locator('h2', { hasText: 'Waiting for you' })).toHaveText('Waiting for you 1');
  await expect.poll(recorded).toMatchObject({ shown: ['Gamma | Waiting for your answer'] });
  if (await review.isVisible()) await win.page.keyboard.press('Escape');
  await expect(win.row(ids.Gamma)).toContainText('Review a summary');
  await win.show(other);
  await clickNote(0);
  await expect(review).toBeVisible({ timeout: LONG });
  await review.getByRole('button', { name: 'Accept' }).click();
  await expect(inbox()).toHaveCount(0);
  await win.rested(ids.Gamma);
  // Its last turn failed all the same.
  await expect(win.row(ids.Gamma).getByRole('img', { name: /stopped/ })).toBeVisible();
});

test('NT3: Settings say what the system can show', async () => {
  const open = async (): Promise<void> => {
    await win.page.keyboard.press('Control+,');
    await win.page.getByRole('tab', { name: 'Notifications' }).click();
  };
  const setSupport = (isSupported: boolean): Promise<void> =>
    app.electron.evaluate(({ Notification }, value) => void (Notification.isSupported = () => value), isSupported);
  await setSupport(false);
  await win.page.reload();
  await expect(win.composer).toBeVisible({ timeout: LONG });
  await open();
  await expect(win.page.getByRole('tabpanel')).toContainText('This desktop shows no notifications');
  await expect(win.page.getByRole('tabpanel').getByRole('switch')).toHaveCount(0);
  await takeShots(app, 'notifications-unsupported');
  await setSupport(true);
  await win.page.reload();
  await expect(win.composer).toBeVisible({ timeout: LONG });
  await open();
  await expect(win.page.getByRole('switch', { name: 'A session needs you' })).toBeChecked();
  await takeShots(app, 'notification-settings');
  await isAccessible();
  await win.page.getByRole('switch', { name: 'A session is done' }).click();
  await expect.poll(async () => (await win.request('app.bootstrap', {})).settings['notifications.done']).toBe(false);
});
