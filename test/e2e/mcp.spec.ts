import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp, writeEndpoint } from '../support/electron-app';
import { answerCard, answered, approval, LONG, stopButton } from '../support/e2e/chat';
import { answerConsent, dismissConsent } from '../support/e2e/consent';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { hostile, reference } from '../support/mcp/programs';
import { type ModelReply, type ModelServer, startModelServer } from '../support/model-server';

/** MCP servers in the app as a person has them: added, agreed to, called, failing (EX20). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const person = join(home, 'person');
const scratch = join(home, 'workspaces', 'scratch');
const notes = join(home, 'notes.txt');
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

const row = (name: string): Locator => app.page.locator(`[data-mcp-server="${name}"]`);
const call = (name: string, args: Record<string, unknown> = {}): ModelReply => ({
  content: [{ type: 'toolCall', name, arguments: args }],
});
const toolsSent = (): string[] => {
  const { tools } = server.requests.at(-1)?.body as { tools: { function: { name: string } }[] };
  return tools.map((tool) => tool.function.name);
};

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  mkdirSync(person, { recursive: true });
  // What other clients left there: shown, and never started by itself.
  writeFileSync(
    join(person, '.claude.json'),
    JSON.stringify({ mcpServers: { theirs: hostile(`notes=${notes}`), old: { type: 'sse', url: 'http://x' } } }),
  );
  const mcpServers = {
    hostile: hostile(`notes=${notes}`),
    memory: { ...reference('memory'), env: { MEMORY_FILE_PATH: join(home, 'memory.json') } },
  };
  writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
  app = await launchApp({ home, env: { HOME: person } });
  window = new AppWindow(app);
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

async function openPane(): Promise<void> {
  await app.page.keyboard.press('ControlOrMeta+,');
  await app.page.getByRole('tab', { name: 'MCP' }).click();
  await expect(app.page.getByRole('heading', { name: 'MCP', exact: true })).toBeVisible();
}

async function closePane(): Promise<void> {
  await app.page.keyboard.press('Escape');
  await expect(app.page.getByRole('dialog')).toHaveCount(0);
}

async function review(name: string): Promise<string> {
  await row(name)
    .getByRole('button', { name: `Review ${name}` })
    .click();
  const text = await answerConsent(app, 'Start it');
  await expect(row(name)).toContainText('running', { timeout: LONG });
  return text;
}

test('EX20: servers of files are shown with where they are from, and start after a yes', async () => {
  await window.startSession('Servers', modelOf(endpointOn(server.url, 'loopback')));
  await openPane();
  for (const name of ['hostile', 'memory', 'theirs']) await expect(row(name)).toContainText('waits for your review');
  await expect(row('theirs')).toContainText('from ~/.claude.json');
  await expect(app.page.getByRole('dialog')).toContainText('the transport “sse” is not supported');
  await row('theirs').getByRole('button', { name: 'Review theirs' }).click();
  await dismissConsent(app);
  const shown = await review('hostile');
  expect(shown).toContain('hostile-server.mjs');
  expect(shown).toContain('mcp.json');
  await review('memory');
  // Of the three, the one that was agreed to has run.
  expect(readFileSync(notes, 'utf8').match(/start/g)).toHaveLength(1);
  await expect(row('theirs')).toContainText('waits for your review');
  await takeShots(app, 'mcp-pane');
  await row('memory').getByRole('button', { name: 'Show details of memory' }).click();
  await expect(row('memory')).toContainText('create_entities');
  await takeShots(app, 'mcp-details');
  await row('memory').getByRole('button', { name: 'Hide details of memory' }).click();
  await closePane();
});

test('EX20: one is added in Settings: main asks, mcp.json keeps it, the person removes it', async () => {
  await openPane();
  await app.page.getByRole('button', { name: 'Add a server' }).click();
  const { command, args } = reference('filesystem', scratch);
  await app.page.getByLabel('Name', { exact: true }).fill('files');
  await app.page
    .getByRole('textbox', { name: 'Command', exact: true })
    .fill([command, ...args].map((word) => `"${word}"`).join(' '));
  await takeShots(app, 'mcp-form');
  await app.page.getByRole('button', { name: 'Add…' }).click();
  expect(await answerConsent(app, 'Start it')).toContain(scratch);
  await expect(row('files')).toContainText('running', { timeout: LONG });
  expect(JSON.parse(readFileSync(join(home, 'mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: { files: { command, args } },
  });
  await row('files').getByRole('button', { name: 'Switch files off' }).click();
  await expect(row('files')).toContainText('off');
  await row('files').getByRole('button', { name: 'Review files' }).click();
  await answerConsent(app, 'Start it');
  await expect(row('files')).toContainText('running', { timeout: LONG });
  await closePane();
});

test('EX20: tools are told to the model, asked for, called; results come back', async () => {
  writeFileSync(join(scratch, 'pear.txt'), 'A pear from the server');
  server.script([
    call('mcp__files__read_text_file', { path: join(scratch, 'pear.txt') }),
    call('mcp__memory__create_entities', { entities: [{ name: 'Pear', entityType: 'tree', observations: ['tall'] }] }),
    'Both are done.',
  ]);
  await window.say('Read and remember');
  await expect(approval(app.page).first()).toContainText('mcp__files__read_text_file', { timeout: LONG });
  await expect(approval(app.page).first()).toContainText('From the MCP server “files”');
  expect(toolsSent()).toEqual(expect.arrayContaining(['read', 'mcp__files__read_text_file', 'mcp__hostile__echo']));
  await answerCard(app.page, 'Allow once');
  await expect(approval(app.page).first()).toContainText('create_entities', { timeout: LONG });
  await answerCard(app.page, 'Allow once');
  await answered(app.page, 'Both are done.');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('A pear from the server');
  expect(readFileSync(join(home, 'memory.json'), 'utf8')).toContain('Pear');
});

test('EX20: a call is stopped and the server is told; one that ends fails its call and is started again', async () => {
  server.script([call('mcp__hostile__slow'), 'Never said.']);
  await window.say('Slowly');
  await answerCard(app.page, 'Allow once');
  await expect.poll(() => readFileSync(notes, 'utf8'), { timeout: LONG }).toContain('call slow');
  await stopButton(app.page).click();
  await expect(stopButton(app.page)).toHaveCount(0, { timeout: LONG });
  await expect.poll(() => readFileSync(notes, 'utf8'), { timeout: LONG }).toContain('cancelled');
  server.script([call('mcp__hostile__crash'), 'It crashed.']);
  await window.say('Crash');
  await answerCard(app.page, 'Allow once');
  await answered(app.page, 'It crashed.');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('It ended before it answered');
  await expect.poll(() => readFileSync(notes, 'utf8').match(/start/g)?.length, { timeout: LONG }).toBe(2);
  server.script([call('mcp__hostile__ten_megabytes'), 'It was long.']);
  await openPane();
  await expect(row('hostile')).toContainText('running', { timeout: LONG });
  await closePane();
  await window.say('Much');
  await answerCard(app.page, 'Allow once');
  await answered(app.page, 'It was long.');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('characters left out');
  expect(JSON.stringify(server.requests.at(-1)?.body).length).toBeLessThan(500_000);
});
