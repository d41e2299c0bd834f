import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answerCard, answered, approval, LONG } from '../support/e2e/chat';
import { answerConsent } from '../support/e2e/consent';
import { journals } from '../support/e2e/files';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Real extension files in the data folder, in the real app (EX11, EX12, EX17): what they do, and that none of them costs a prompt. */
test.describe.configure({ mode: 'serial' });

const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
const SUMMARY = '## Goal\nShip the parser.';
const home = newHome();
const folder = join(home, 'extensions');
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

/** Puts an extension there, and waits until the session has it: a change of the folder is seen (EX17). */
async function install(name: string, body: string, state = 'running'): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.ts`), body);
  await expect.poll(() => stateOf(name), { timeout: LONG }).toBe(state);
}

/** Writes it anew, and waits until it was loaded again: what it registers has a command of that edit. */
async function edit(name: string, body: string): Promise<void> {
  const mark = `edit-${Date.now()}`;
  const registers = `pi.registerCommand('${mark}', { handler() {} });\n  pi.on(`;
  writeFileSync(join(folder, `${name}.ts`), body.replace('pi.on(', registers));
  await expect.poll(async () => (await viewOf(name))?.commands, { timeout: LONG }).toEqual([mark]);
}

async function viewOf(name: string) {
  const { extensions } = await window.request('extensions.list', {});
  return extensions.find((each) => each.name === name);
}

const stateOf = async (name: string): Promise<string | undefined> => (await viewOf(name))?.state;

const onBeforeCompact = (body: string): string => `
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
export default function (pi: ExtensionAPI) {
  pi.on('session_before_compact', async (event, ctx) => {${body}});
}`;

test.beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'canceller.ts'), onBeforeCompact('return { cancel: true };'));
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
  await window.startSession('A long one', modelOf(endpointOn(server.url, 'loopback')));
  for (const label of ['one', 'two', 'three', 'four']) await turn(label);
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

/** One more turn, so that there is something to compact. */
async function turn(label: string): Promise<void> {
  server.script(`Answer ${label}. ${WORDS}`);
  await window.say(`Question ${label}: ${WORDS}`);
  await answered(window.page, `Answer ${label}.`);
}

/** The compaction runs although the extension fails, and the failure is listed under its name. */
async function compactsAnyway(name: string, error: RegExp): Promise<void> {
  const before = await window.transcript.getByText(/Compacted \d+ messages/).count();
  server.script(SUMMARY);
  await window.say('/compact');
  await expect(window.transcript.getByText(/Compacted \d+ messages/)).toHaveCount(before + 1, { timeout: LONG });
  await expect
    .poll(async () => (await viewOf(name))?.errors.map((each) => each.error).join('\n'), { timeout: LONG })
    .toMatch(error);
}

test('one that was there at the start cancels a compaction', async () => {
  await expect.poll(() => stateOf('canceller'), { timeout: LONG }).toBe('running');
  const before = journals(home);
  const asked = server.requests.length;
  await window.say('/compact');
  await expect(window.page.getByText('Compaction cancelled. The session is unchanged.').first()).toBeVisible();
  expect(journals(home)).toBe(before);
  expect(server.requests).toHaveLength(asked);
});

test('one that is edited while it runs does what it says now', async () => {
  await edit(
    'canceller',
    onBeforeCompact(`
    const { firstKeptEntryId, tokensBefore } = event.preparation;
    return { compaction: { summary: 'Written by ' + ctx.cwd.length + ' letters', firstKeptEntryId, tokensBefore } };`),
  );
  await window.say('/compact');
  await expect(window.transcript.getByText(/Compacted \d+ messages/)).toHaveCount(1, { timeout: LONG });
  expect(journals(home)).toMatch(/Written by \d+ letters/);
  await window.request('extensions.setEnabled', { extensionId: (await viewOf('canceller'))!.id, enabled: false });
  await expect.poll(() => stateOf('canceller')).toBe('off');
});

test('one that throws', async () => {
  await install('thrower', onBeforeCompact(`throw new Error('I am no good');`));
  await turn('thrown');
  await compactsAnyway('thrower', /I am no good/);
});

test('one that ends its process', async () => {
  await install('quitter', onBeforeCompact('process.exit(3);'));
  await turn('exited');
  await compactsAnyway('quitter', /Its process ended|It ended its process/);
});

test('one in an endless loop, while the person types', async () => {
  await install('looper', onBeforeCompact('for (;;) {}'));
  await turn('looped');
  await compactsAnyway('looper', /did not give the thread back/);
});

test('one with a function that is missing is named with it', async () => {
  await install(
    'missing',
    `import { noSuchThing } from '@mariozechner/pi-coding-agent';
export default (pi) => { noSuchThing(); };`,
    'failed',
  );
  const view = await viewOf('missing');
  expect(view?.problem).toContain('noSuchThing of @mariozechner/pi-coding-agent is not available');
  expect(view?.problem).toContain('“missing”');
});

test('one with a tool: the model calls it, the person allows it for good, and its results go back', async () => {
  await install(
    'greeter',
    `import { Type } from 'typebox';
export default (pi) => {
  pi.registerTool({
    name: 'greet', label: 'Greet', description: 'Greets somebody.',
    parameters: Type.Object({ name: Type.String() }),
    async execute(_id, { name }) { return { content: [{ type: 'text', text: 'Hello ' + name }], details: {} }; },
  });
  pi.registerCommand('ask-me', {
    description: 'Asks something',
    async handler(args, ctx) {
      const yes = await ctx.ui.confirm('Really ' + args + '?', 'It asks.');
      ctx.ui.notify('You said ' + yes);
    },
  });
  pi.registerProvider('acme', {
    name: 'Acme AI', baseUrl: 'https://acme.invalid/v1', api: 'acme-api', apiKey: '$ACME_KEY',
    models: [{ id: 'm', contextWindow: 8000, maxTokens: 100 }], streamSimple() {},
  });
};`,
  );
  expect(await viewOf('greeter')).toMatchObject({ tools: ['greet'], commands: ['ask-me'] });
  const greet = (name: string) => ({ content: [{ type: 'toolCall' as const, name: 'greet', arguments: { name } }] });
  server.script([greet('Ada'), greet('Bea'), greet('Cy'), 'They were greeted.']);
  await window.say('Greet them');
  await answerCard(window.page, 'Allow once');
  const card = approval(window.page).first();
  await expect(card).toContainText('Bea', { timeout: LONG });
  await expect(card).toContainText('From the extension “greeter”.');
  const always = card.getByRole('button', { name: 'This tool, always here' });
  await expect(always).not.toHaveAttribute('aria-disabled', 'true', { timeout: LONG });
  await window.shot('tool-card');
  await always.click();
  expect(await answerConsent(app, 'Always allow')).toContain('whatever the agent calls it with');
  // The third call is not asked about, and says why (PM1, EX23).
  await answered(window.page, 'They were greeted.');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(/Hello Ada.*Hello Bea.*Hello Cy/);
  await expect(window.transcript.getByText('allowed always here').first()).toBeAttached();
  const { rules } = await window.request('approvals.rules', {});
  expect(rules).toMatchObject([{ tool: 'tool', rest: null, what: expect.stringContaining('greet of the extension') }]);
  await window.request('approvals.removeRule', { ruleId: rules[0]!.id });
});

test('EX25: Settings says whose key the code of an extension gets', async () => {
  await window.page.keyboard.press('Control+,');
  const settings = window.page.getByRole('dialog', { name: 'Settings' });
  await settings.getByRole('tab', { name: 'Providers' }).click();
  const gets = 'The extension greeter sends the requests itself and gets the key that you enter here.';
  await expect(settings.getByText(gets)).toBeVisible({ timeout: LONG });
  await expect(settings).toContainText('Where an extension gets one, its provider says so.');
  await settings.getByText(gets).scrollIntoViewIfNeeded();
  await window.shot('gives-key-providers');
  await settings.getByRole('tab', { name: 'Extensions' }).click();
  const row = settings.getByRole('listitem').filter({ has: window.page.getByRole('switch', { name: 'Use greeter' }) });
  await row.getByRole('button', { expanded: false }).click();
  await expect(row).toContainText('Gets the key ofAcme AI');
  await row.getByText('Gets the key of').scrollIntoViewIfNeeded();
  await window.shot('gives-key-extensions');
  await window.page.keyboard.press('Escape');
  await expect(settings).toBeHidden();
});

test('one with a command asks the person', async () => {
  await window.say('/ask-me go');
  const dialog = window.page.getByRole('dialog', { name: 'Really go?' });
  await dialog.getByRole('button', { name: 'Yes' }).click({ timeout: LONG });
  await expect(window.page.getByText('You said true')).toBeVisible({ timeout: LONG });
});
