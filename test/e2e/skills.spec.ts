import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answerCard, answered, approval, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { ALL_SIZES, takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { sentContext, sentMessages, startModelServer, type ModelServer, type Reply } from '../support/model-server';

/** Skills, the person's instructions, and notes of folders within a workspace (EX18, EX21). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const folder = realpathSync(newHome());
const endpoint = endpointOn('', 'loopback');
let server: ModelServer;
let app: RunningApp;
let win: AppWindow;
let sessionId: string;

const own = join(home, 'skills', 'pdf-tools');
const dialog = () => win.page.getByRole('dialog', { name: 'Settings' });

/** What the newest request said before the messages. */
const system = (): string => sentContext(server.requests.at(-1)!).system;
const texts = (): string[] => sentMessages(server.requests.at(-1)!).map(({ text }) => text);

async function ask(text: string, ...script: Reply[]): Promise<void> {
  const end = `Done ${server.requests.length}.`;
  server.script([...script, end]);
  await win.say(text);
  await answered(win.page, end);
}
let calls = 0;
const call = (name: string, args: Record<string, unknown>): Reply => ({
  content: [{ type: 'toolCall', id: `c${(calls += 1)}`, name, arguments: args }],
});

async function openPane(): Promise<void> {
  await win.page.keyboard.press('Control+,');
  await dialog().getByRole('tab', { name: 'Instructions' }).click();
}

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, { ...endpoint, baseUrl: `${server.url}/v1` });
  mkdirSync(own, { recursive: true });
  writeFileSync(
    join(own, 'SKILL.md'),
    '---\nname: pdf-tools\ndescription: Extract text from PDF files. Use when reading PDFs.\n---\nRun extract.sh first.\n',
  );
  writeFileSync(join(own, 'formats.md'), 'PDF 1.4 to 2.0');
  for (const at of ['.claude/skills/release', 'packages/app/src', 'packages/lib'])
    mkdirSync(join(folder, at), { recursive: true });
  writeFileSync(
    join(folder, '.claude/skills/release/SKILL.md'),
    '---\nname: release\ndescription: How this project is released.\n---\nTag, then push.\n',
  );
  writeFileSync(join(folder, 'AGENTS.md'), 'Top notes.');
  writeFileSync(join(folder, 'packages/app/AGENTS.md'), 'In the app use tabs.');
  writeFileSync(join(folder, 'packages/app/src/main.ts'), 'export {};\n');
  writeFileSync(join(folder, 'packages/app/src/other.ts'), 'export {};\n');
  writeFileSync(join(folder, 'packages/lib/lib.ts'), 'export {};\n');
  app = await launchApp({ home });
  win = new AppWindow(app);
  sessionId = await win.startSession('Skills', modelOf(endpoint));
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
  removeHome(folder);
});

test('EX18: a skill of the person stands in the prompt, and the model reads in its folder unasked, whatever the workspace', async () => {
  await win.setWorkspace(sessionId, folder, 'Keep restricted');
  await ask('Read it', call('read', { path: join(own, 'SKILL.md') }), call('read', { path: join(own, 'formats.md') }));
  expect(system()).toContain('<name>pdf-tools</name>');
  expect(system()).toContain(`<location>${join(own, 'SKILL.md')}</location>`);
  expect(system()).not.toContain('release');
  expect(texts().some((text) => text.includes('Run extract.sh first.'))).toBe(true);
  expect(texts().some((text) => text.includes('PDF 1.4 to 2.0'))).toBe(true);
});

test('EX18: nothing else of the app’s folder may be read, and a skill is not the agent’s to change', async () => {
  await ask(
    'And these',
    call('read', { path: join(home, 'settings.json') }),
    call('write', { path: join(own, 'SKILL.md'), content: 'mine' }),
  );
  const refusals = texts().filter(
    (text) => text.includes('tools do not touch it') || text.includes('is not for tools'),
  );
  expect(refusals.length).toBe(2);
});

test('EX18: those of a workspace come with trust, `/skill:name` says the body, and their tokens are a part of the meter', async () => {
  const first = system();
  await win.request('workspace.status', { sessionId });
  await win.setWorkspace(sessionId, folder);
  await win.composer.fill('/skill:rel');
  await expect(win.page.getByRole('option', { name: '/skill:release' })).toContainText('.claude/skills');
  await ask('/skill:release version 2');
  expect(system()).toContain('<location>.claude/skills/release/SKILL.md</location>');
  expect(system()).not.toBe(first);
  expect(texts().at(-1)).toContain('Tag, then push.');
  expect(texts().at(-1)).toMatch(/<\/skill>\n\nversion 2$/);
  await win.page.getByRole('button', { name: /^Context:/ }).click();
  const meter = win.page.getByRole('dialog', { name: 'Context usage' });
  await expect(meter.getByText('Skills', { exact: true })).toBeVisible();
  await win.page.keyboard.press('Escape');
});

test('EX21: the prompt changes between runs alone', async () => {
  const before = system();
  const path = join(folder, '.claude/skills/release/SKILL.md');
  server.script([call('write', { path: 'note.txt', content: 'x' }), 'Written.']);
  await win.say('Write a note');
  await approval(win.page).waitFor();
  writeFileSync(path, '---\nname: release\ndescription: Released otherwise now.\n---\nPush.\n');
  await answerCard(win.page, 'Write once');
  await answered(win.page, 'Written.');
  expect(system()).toBe(before);
  await ask('Again');
  expect(system()).toContain('Released otherwise now.');
});

test('EX21: notes of a folder come once, behind the first result from there', async () => {
  await ask('Look', call('read', { path: 'packages/lib/lib.ts' }), call('read', { path: 'packages/app/src/main.ts' }));
  const told = (): number => texts().filter((text) => text.includes('In the app use tabs.')).length;
  expect(told()).toBe(1);
  expect(texts().at(-1)).toContain('packages/app/AGENTS.md');
  await ask('And the other', call('read', { path: 'packages/app/src/other.ts' }));
  expect(told()).toBe(1);
  await win.page.keyboard.press('Control+k');
  await win.page.keyboard.type('What the model sees now');
  await win.page.keyboard.press('Enter');
  const seen = win.page.getByRole('dialog').filter({ hasText: 'What the model sees' });
  await seen.hover();
  await expect(async () => {
    await win.page.mouse.wheel(0, 400);
    await expect(seen.getByText('In the app use tabs.').first()).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: LONG });
  await win.page.keyboard.press('Escape');
});

test('WN15, EX21: instructions and skills in Settings', async () => {
  await openPane();
  await dialog().getByLabel('For all sessions').fill('Answer in one sentence.');
  await dialog().getByLabel('For this workspace').fill('Here we write British English.');
  await dialog().getByRole('checkbox', { name: 'Skill pdf-tools' }).click();
  await expect(dialog().getByRole('checkbox', { name: 'Skill pdf-tools' })).not.toBeChecked();
  await takeShots(app, 'instructions', ALL_SIZES);
  await win.page.keyboard.press('Escape');
  await ask('Hello');
  expect(system()).toContain('Answer in one sentence.');
  expect(system()).toContain('Here we write British English.');
  expect(system()).not.toContain('pdf-tools');
  await win.startSession('Elsewhere', modelOf(endpoint));
  await ask('Hello there');
  expect(system()).toContain('Answer in one sentence.');
  expect(system()).not.toContain('British');
});
