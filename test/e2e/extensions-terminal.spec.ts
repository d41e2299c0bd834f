import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { ALL_SIZES, takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Components of extensions in the real window, with real keys (EX24). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const folder = join(home, 'extensions');
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

const BODY = `
import { CustomEditor } from '@mariozechner/pi-coding-agent';
import { Input, matchesKey, SelectList } from '@mariozechner/pi-tui';
export default function (pi: any) {
  const command = (name: string, handler: any) => pi.registerCommand(name, { description: name, handler });
  command('vt-name', async (_args: string, ctx: any) => {
    const name = await ctx.ui.custom((tui: any, theme: any, _keys: any, done: any) => {
      const input = new Input();
      input.onSubmit = (value: string) => done(value);
      return {
        get focused() { return input.focused; },
        set focused(value: boolean) { input.focused = value; },
        render: (width: number) => [theme.fg('accent', '─'.repeat(width)), theme.bold('Your name'), ...input.render(width), '\\u001b]0;evil\\u0007\\u001b[38;2;255;255;0myellow\\u001b[0m <b>no tag</b> 日本'],
        invalidate() {},
        handleInput(data: string) { if (matchesKey(data, 'escape')) done(null); else input.handleInput(data); tui.requestRender(); },
      };
    });
    ctx.ui.notify('Name: ' + JSON.stringify(name));
  });
  command('vt-over', async (_args: string, ctx: any) => {
    const picked = await ctx.ui.custom((tui: any, theme: any, _keys: any, done: any) => {
      const same = (text: string) => text;
      const list = new SelectList(['one', 'two', 'three'].map((value) => ({ value, label: 'Number ' + value })), 5,
        { selectedPrefix: (t: string) => theme.fg('accent', t), selectedText: (t: string) => theme.fg('accent', t), description: same, scrollInfo: same, noMatch: same });
      list.onSelect = (item: any) => done(item.value);
      list.onCancel = () => done('cancelled');
      return { render: (w: number) => ['╭' + '─'.repeat(w - 2) + '╮', ...list.render(w - 2).map((l: string) => '│' + l), '╰' + '─'.repeat(w - 2) + '╯'], invalidate: () => list.invalidate(), handleInput: (d: string) => { list.handleInput(d); tui.requestRender(); } };
    }, { overlay: true, overlayOptions: { anchor: 'center', width: 36 } });
    ctx.ui.notify('Picked: ' + picked);
  });
  command('vt-editor', async (_args: string, ctx: any) => {
    ctx.ui.setWorkingIndicator({ frames: ['\\u001b[31m●'] });
    ctx.ui.addAutocompleteProvider((current: any) => ({
      getSuggestions: async (lines: string[], line: number, column: number) =>
        lines[line].slice(0, column).endsWith('#') ? { prefix: '#', items: [{ value: '#7', label: '#7', description: 'Parser fails' }] } : null,
      applyCompletion: (...args: any[]) => current.applyCompletion(...args),
    }));
    ctx.ui.setEditorComponent((tui: any, theme: any, keys: any) => new CustomEditor(tui, theme, keys));
  });
  command('vt-die', async (_args: string, ctx: any) => {
    await ctx.ui.custom(() => ({ render: () => ['about to end'], invalidate() {}, handleInput() { process.exit(4); } }));
  });
}`;

const toast = (text: string | RegExp): Locator => window.page.locator('[data-toast]').filter({ hasText: text });
const view = (): Locator => window.page.locator('[data-view]');
const keys = (): Locator => window.page.locator('[data-terminal]');
const composer = (): Locator => window.page.locator('[data-composer]');

/** Runs a command that shows a view, and waits until keys count in it. */
async function show(command: string, text: string): Promise<void> {
  await composer().fill(command);
  await composer().press('Enter');
  await expect(view()).toContainText(text, { timeout: LONG });
  await expect(keys()).toBeFocused();
}

test.beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'views.ts'), BODY);
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  await window.startSession('With views', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

test('EX24: in place of the composer: typed in, answered with Enter, read out, and the composer has the keyboard again', async () => {
  const { page } = window;
  await expect
    .poll(async () => (await window.request('extensions.list', {})).extensions[0]?.commands, { timeout: LONG })
    .toHaveLength(4);
  await show('/vt-name', 'Your name');
  await expect(composer()).toHaveCount(0);
  await expect(view()).toContainText('<b>no tag</b>');
  await expect(view()).not.toContainText('evil');
  expect(await view().locator('b').count()).toBe(0);
  await expect(page.getByRole('log', { name: 'Text of views' })).toContainText('Your name');
  expect(await seriousIssues(page)).toEqual([]);
  await takeShots(app, 'terminal-inline', ALL_SIZES);
  await expect(async () => {
    await page.keyboard.type('x');
    await expect(view()).toContainText('x', { timeout: 500 });
  }).toPass();
  await page.keyboard.press('Control+U');
  await page.keyboard.type('Ada');
  await expect(view()).toContainText('Ada');
  await page.keyboard.press('Enter');
  await expect(toast('Name: "Ada"')).toBeVisible();
  await expect(view()).toHaveCount(0);
  await expect(composer()).toBeFocused();
});

test('EX24: over the transcript: picked with the arrows; F6 leaves it; Close ends it without a result, and says so', async () => {
  const { page } = window;
  await show('/vt-over', 'Number one');
  await expect(view()).toHaveAttribute('data-view', 'overlay');
  await takeShots(app, 'terminal-overlay', ALL_SIZES);
  // Keys count there once the person can have seen it.
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(view()).toContainText('→ Number two', { timeout: 500 });
  }).toPass();
  await page.keyboard.press('Enter');
  await expect(toast('Picked: two')).toBeVisible();
  await show('/vt-over', 'Number one');
  await page.keyboard.press('F6');
  await expect(keys()).not.toBeFocused();
  await view().getByRole('button', { name: 'Close the view of views' }).click();
  await expect(toast('views: closed by you, without a result.')).toBeVisible();
  await expect(toast('Picked: undefined')).toBeVisible();
});

test('EX24: an editor in the place of the field: what is written there is the draft, and Enter sends it', async () => {
  const { page } = window;
  const editor = page.locator('[data-editor]');
  server.script(['Well said.']);
  await window.say('/vt-editor');
  await expect(editor).toContainText('─', { timeout: LONG });
  await expect(keys()).toBeFocused();
  await page.keyboard.type('Hello from there');
  await expect(editor).toContainText('Hello from there');
  await takeShots(app, 'terminal-editor', ALL_SIZES);
  // The app's own shortcuts are the app's.
  await page.keyboard.press('Control+K');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(keys()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-transcript]')).toContainText('Hello from there');
  await expect(page.locator('[data-transcript]')).toContainText('Well said.', { timeout: LONG });
  await expect(editor).not.toContainText('Hello from there');
  await page.keyboard.type('See #');
  await expect(editor).toContainText('See #');
  await editor.getByRole('button', { name: 'Use Espalier’s own' }).click();
  await expect(composer()).toHaveValue('See #');
  await expect(composer()).toBeFocused();
  await page.keyboard.press('End');
  await expect(page.getByRole('option').filter({ hasText: 'Parser fails' })).toBeVisible();
  await takeShots(app, 'terminal-completes', ALL_SIZES);
  await page.keyboard.press('Enter');
  await expect(composer()).toHaveValue('See #7');
  await page.getByRole('button', { name: 'Use the editor of views' }).click();
  await expect(editor).toContainText('See #7');
  await window.request('extensions.reload', {});
  await expect(editor).toHaveCount(0, { timeout: LONG });
  await expect(composer()).toHaveValue('See #7');
  await composer().fill('');
});

test('EX24: a view whose process ends is closed with a word', async () => {
  await window.say('/vt-die');
  await expect(view()).toContainText('about to end', { timeout: LONG });
  await window.page.waitForFunction(() => document.activeElement?.matches('[data-terminal]'));
  await expect(async () => {
    await window.page.keyboard.press('a');
    await expect(view()).toHaveCount(0, { timeout: 2_000 });
  }).toPass();
  await expect(toast(/views: Its process ended/)).toBeVisible({ timeout: LONG });
  await expect(composer()).toBeFocused();
});
