import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answerCard, answered, approval, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { writeOddSession } from '../support/e2e/odd-session';
import { AppWindow } from '../support/e2e/window';
import { estimateHeight } from '../../src/renderer/features/transcript/use-items';
import { groupRows } from '../../src/renderer/state/group-rows';
import type { Row } from '../../src/shared/session-state/state';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Content that a window could choke on: what is wrong stays in its own row (docs/specs/safety.md A1). */
const home = newHome();
let folder: string;
let app: RunningApp;
let window: AppWindow;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-odd-'));
  app = await launchApp({ home });
  window = new AppWindow(app);
});
test.afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
  removeHome(home);
});

async function isUsable(): Promise<void> {
  await expect(window.transcript.getByText('The end.')).toBeVisible({ timeout: LONG });
  await window.composer.fill('still here');
  await expect(window.composer).toHaveValue('still here');
  await window.composer.fill('');
}

/** Imports a file and waits until its session is shown: the one before ends with the same words, and may be typed in until then. */
async function open(path: string): Promise<void> {
  const before = await window.shownId();
  await window.importByMenu([path]);
  await expect(window.row(before)).not.toHaveAttribute('aria-current', 'true', { timeout: LONG });
}

const OWN_NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

test('a tool may be called constructor', async () => {
  const calls = OWN_NAMES.map((name) => ({ type: 'toolCall', id: `call ${name}`, name, arguments: { a: 1 } }));
  const results = OWN_NAMES.map((name) => ({
    ...{ toolCallId: `call ${name}`, toolName: name },
    content: [{ type: 'text', text: `output of ${name}` }],
  }));
  await open(writeOddSession(folder, 'aaaa0001', calls, results));
  await isUsable();
  for (const name of OWN_NAMES) await expect(window.transcript.getByText(name, { exact: true })).toBeVisible();
  await window.shot('odd-tool-names');
  // After every restart too: what is stored is drawn again.
  await window.page.reload();
  await isUsable();
});

test('TS12: a reply that says nothing says so, with thinking or without', async () => {
  for (const [id, content] of [
    ['aaaa0020', []],
    ['aaaa0021', [{ type: 'thinking', thinking: 'Hm.' }]],
  ] as const) {
    await open(writeOddSession(folder, id, content));
    await isUsable();
    await expect(window.transcript.getByText('The model answered with nothing.')).toHaveCount(1);
    await expect(window.transcript.getByRole('button', { name: 'Retry' })).toHaveCount(0);
  }
});

test('TS16: what is of no known type is told in its place, with its text', async () => {
  const path = writeOddSession(
    folder,
    'aaaa0015',
    [
      { type: 'text', text: 'known' },
      { type: 'bar', note: 'part of a reply' },
    ],
    [],
    [
      { type: 'text', text: 'asked' },
      { type: 'audio', note: 'part of a question' },
    ],
  );
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const { id: parentId } = JSON.parse(lines.at(-1) ?? '') as { id: string };
  const timestamp = '2026-01-01T00:01:00.000Z';
  const foreign = [
    { type: 'foo', id: 'foo1', parentId, timestamp, note: 'an entry' },
    { type: 'message', id: 'foo2', parentId: 'foo1', timestamp, message: { role: 'oracle', note: 'a message' } },
  ];
  writeFileSync(path, `${[...lines, ...foreign.map((line) => JSON.stringify(line))].join('\n')}\n`);
  await open(path);
  await isUsable();
  // As tall as the list takes them to be before it measures them, or thousands have it laid out anew with each that comes.
  const entry: Row = { id: 'foo1', parentId, seq: 0, kind: 'unknown', time: 0, tokens: 0 };
  const px = estimateHeight(groupRows([entry])[0]);
  const rows = window.transcript.locator('[data-kind="unknown"]');
  expect(await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))).toEqual([px, px]);
  for (const [label, text] of [
    ['Part of unknown type “audio”', 'part of a question'],
    ['Part of unknown type “bar”', 'part of a reply'],
    ['Entry of unknown type “foo”', 'an entry'],
    ['Message of unknown type “oracle”', 'a message'],
  ] as const) {
    await window.transcript.getByRole('button', { name: label }).click();
    await expect(window.transcript.getByText(`"note":"${text}"`)).toBeVisible();
  }
  await takeShots(app, 'unknown-types');
});

test('TS16, A2: of thousands of unknown parts twenty have a row, and the others are copied together', async () => {
  const parts = (kind: string) => Array.from({ length: 3_000 }, (_, n) => ({ type: kind, n }));
  await open(writeOddSession(folder, 'aaaa0016', parts('bar'), [], parts('audio')));
  const more = window.transcript.getByText('2,980 more of unknown types');
  await expect(more).toHaveCount(2, { timeout: LONG });
  await isUsable();
  await expect(window.transcript.getByRole('button', { name: /^Part of unknown type/ })).toHaveCount(40);
  await more.first().getByRole('button', { name: 'Copy their text' }).click();
  const copied = (): Promise<string> => app.electron.evaluate(({ clipboard }) => clipboard.readText());
  await expect.poll(async () => (await copied()).split('\n').length, { timeout: LONG }).toBe(2_980);
  expect(await copied()).toMatch(/^\{"type":"audio","n":20\}\n/);
  await takeShots(app, 'many-unknown');
});

test('thousands of marks on one letter stay in their message', async () => {
  const text = `Z${'\u0301'.repeat(3_000)} is one letter`;
  await open(writeOddSession(folder, 'aaaa0004', [{ type: 'text', text }]));
  const reply = window.transcript.locator('[data-kind="assistant"]').filter({ hasText: 'is one letter' });
  // Until then the rows are those of the session before, which ends as this one does.
  await expect(reply).toBeVisible({ timeout: LONG });
  await isUsable();
  const above = window.transcript.locator('[data-kind="user"]').first();
  await window.shot('marks');
  const withIt = await above.screenshot();
  await reply.evaluate((node) => ((node as HTMLElement).style.visibility = 'hidden'));
  expect(withIt.equals(await above.screenshot())).toBe(true);
});

test('A3: in a small window what is said about a broken file leaves the conversation in view', async () => {
  const path = writeOddSession(folder, 'aaaa0009', [{ type: 'text', text: 'broken file' }]);
  const [header = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  const broken = Array.from({ length: 12 }, (_, n) => `{"type":"message","id":"bad${n}","parentId":7,"message":${n}`);
  writeFileSync(path, [header, ...broken, '{"type":"message","id":"odd1","message":[]}', ...rest].join('\n'));
  const size = (width: number, height: number): Promise<void> =>
    app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]?.setContentSize(w, h), [
      width,
      height,
    ] as const);
  await size(960, 640);
  await open(path);
  await expect(window.transcript.getByText('broken file')).toBeVisible({ timeout: LONG });
  const notice = window.page.locator('[data-pane="transcript"] [role="alert"]').first();
  await expect(notice).toBeVisible();
  await window.shot('broken-file-small');
  const box = await notice.boundingBox();
  const feed = await window.transcript.locator('[data-transcript]').boundingBox();
  expect(box?.height).toBeLessThan(100);
  expect(feed?.height).toBeGreaterThan(180);
  await notice.getByRole('button', { name: 'Details' }).click();
  const words = window.page.getByLabel('Problems of this session’s file').locator('p').first();
  await expect(words).toBeInViewport();
  expect((await words.boundingBox())?.width).toBeGreaterThan(200);
  await window.page.keyboard.press('Escape');
  await isUsable();
  await size(1280, 800);
});

test('A9: a reply of 3,000 calls is one line and its newest cards', async () => {
  const ids = Array.from({ length: 3_000 }, (_, n) => `call-${n}`);
  const calls = ids.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { path: `${id}.ts` } }));
  const results = ids.map((id) => ({
    toolCallId: id,
    toolName: 'read',
    content: [{ type: 'text', text: `text of ${id}` }],
  }));
  await open(writeOddSession(folder, 'aaaa0002', calls, results));
  await window.transcript.getByText('call-2999.ts').waitFor();
  await isUsable();
  expect(await window.transcript.locator('[data-status]').count()).toBeLessThan(60);
  await window.button('2,980 earlier tool calls').click();
  // The earlier calls push the list about while they are drawn.
  await expect(async () => {
    await window.transcript.getByText('call-0.ts').click({ timeout: 5_000 });
  }).toPass({ timeout: LONG });
  await expect(window.transcript.getByText('text of call-0', { exact: true })).toBeVisible({ timeout: LONG });
  await window.shot('many-calls');
});

test('A1: results that answer no call of their reply are drawn behind it', async () => {
  const text = (words: string): object[] => [{ type: 'text', text: words }];
  await open(
    writeOddSession(folder, 'aaaa0009', text('A reply without calls.'), [
      { toolCallId: 'nobody', toolName: 'bash', content: text('printed for nobody') },
      ...Array.from({ length: 60 }, (_, at) => ({ toolCallId: `x${at}`, toolName: 'ls', content: text(`list ${at}`) })),
    ]),
  );
  const cards = window.transcript.locator('[data-status]');
  // As many as of calls.
  await expect(cards).toHaveCount(20, { timeout: LONG });
  await cards.last().getByRole('button').first().click();
  await expect(cards.last()).toContainText('list 59');
  await isUsable();
  await window.shot('orphan-results');
});

test('after a blank window the last session is not opened by itself, but can be', async () => {
  await window.page.locator('[data-transcript]').press('End');
  await isUsable();
  const sessionId = await window.shownId();
  await app.close();
  // What a start leaves behind whose page could draw nothing.
  writeFileSync(join(home, 'drawing.json'), JSON.stringify({ sessionId, starts: 1, evidence: 'blank' }));
  app = await launchApp({ home, waitReady: false });
  window = new AppWindow(app);
  await expect(window.page.getByRole('heading', { name: 'The last session was not opened' })).toBeVisible({
    timeout: LONG,
  });
  await expect(window.row(sessionId)).toBeVisible();
  await expect(window.composer).toHaveCount(0);
  await window.shot('after-blank');
  await window.page.emulateMedia({ colorScheme: 'dark' });
  await window.shot('after-blank-dark');
  await window.button('Open as plain text').click();
  await expect(window.page.locator('[data-safe]').getByText('The end.')).toBeVisible({ timeout: LONG });
  await window.shot('safe-session-dark');
  await window.page.emulateMedia({ colorScheme: 'light' });
  await window.shot('safe-session');
  await window.button('Open normally').click();
  await isUsable();
});

/** A session whose commands are asked for, killed when `until` says so; then what the next start shows of it. */
async function afterKill(
  title: string,
  commands: string[],
  until: (first: AppWindow) => Promise<void>,
  look: (after: RunningApp, second: AppWindow, server: ModelServer) => Promise<void>,
): Promise<void> {
  const server = await startModelServer();
  const own = newHome();
  const endpoint = endpointOn(server.url, 'loopback');
  writeEndpoint(own, endpoint);
  const before = await launchApp({ home: own });
  try {
    const first = new AppWindow(before);
    await first.startSession(title, modelOf(endpoint));
    server.script({
      content: commands.map((command) => ({ type: 'toolCall', name: 'bash', arguments: { command } })),
    });
    await first.say('Go on');
    await until(first);
    await before.kill();
    const after = await launchApp({ home: own });
    await look(after, new AppWindow(after), server);
    await after.close();
  } finally {
    await before.kill();
    await server.close();
    removeHome(own);
  }
}

test('AG11: after a kill the call that was cut off and the one behind it read differently', async () => {
  const until = async (first: AppWindow): Promise<void> => {
    await answerCard(first.page, 'Run once');
    await expect(first.transcript.locator('[data-status="running"]')).toHaveCount(1, { timeout: LONG });
  };
  await afterKill('Cut off', ['sleep 40', 'echo second'], until, async (after, second) => {
    const tools = second.transcript.locator('[data-status]');
    await expect(tools.nth(0)).toContainText('interrupted, may have run', { timeout: LONG });
    await expect(tools.nth(1)).toContainText('not run: interrupted');
    await expect(tools.nth(1)).toContainText('interrupted');
    await takeShots(after, 'after-kill');
  });
});

test('AG11: after a kill at an open question the call reads as not run, and so it is told to the model', async () => {
  // What a terminal would hide stands there as well.
  const command = `echo never; ${'echo again; '.repeat(20)}echo hidden\recho the end`;
  const until = (first: AppWindow): Promise<void> =>
    expect(first.page.getByRole('button', { name: 'Run once' })).toBeVisible({ timeout: LONG });
  await afterKill('At a question', [command], until, async (after, second, server) => {
    const tool = second.transcript.locator('[data-status]');
    await expect(tool).toContainText('not run: interrupted', { timeout: LONG });
    await expect(second.transcript).not.toContainText('may have run');
    await tool.getByRole('button').click();
    await expect(tool.getByLabel('The whole call')).toContainText(/echo hidden⟨U\+000D⟩echo the end/);
    await takeShots(after, 'after-kill-at-question');
    server.script('I see.');
    await second.button('Continue').click();
    await answered(second.page, 'I see.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('before this call was made. Nothing was done.');
    // C1: what the model was told stands there now; what it is about as well.
    const whole = tool.getByLabel('The whole call', { exact: true });
    if ((await whole.count()) === 0) await tool.getByRole('button', { name: 'Show the whole call' }).click();
    await expect(whole).toContainText(/echo hidden⟨U\+000D⟩echo the end/);
  });
});

test('AG11: after a kill the card names the command that the person had put in place, and so it is told to the model', async () => {
  const until = async (first: AppWindow): Promise<void> => {
    const card = approval(first.page).first();
    await expect(card.getByRole('button', { name: 'Run once' })).not.toHaveAttribute('aria-disabled', 'true', {
      timeout: LONG,
    });
    await card.getByRole('button', { name: 'Edit' }).click();
    const field = card.getByRole('textbox');
    await field.fill('echo instead; sleep 40');
    await field.press('Control+Enter');
    await expect(card).toContainText('You changed it.', { timeout: LONG });
    await answerCard(first.page, 'Run once');
    const running = first.transcript.locator('[data-status="running"]');
    await expect(running).toContainText('echo instead; sleep 40', { timeout: LONG });
    await expect(running).toContainText('You changed it. The agent asked for: echo asked');
    // It prints: what is killed is the command itself.
    await expect(first.transcript.getByText('instead', { exact: true })).toBeVisible({ timeout: LONG });
  };
  await afterKill('Edited', ['echo asked'], until, async (after, second, server) => {
    const tool = second.transcript.locator('[data-status]');
    await expect(tool).toContainText('echo instead; sleep 40', { timeout: LONG });
    await expect(tool).toContainText('interrupted, may have run');
    await expect(tool).toContainText('You changed it. The agent asked for: echo asked');
    await takeShots(after, 'after-kill-edited');
    server.script('I see.');
    await second.button('Continue').click();
    await answered(second.page, 'I see.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('If it ran, it was this: echo instead; sleep 40');
    await expect(tool).toContainText('echo instead; sleep 40');
  });
});

test('a kill alone is no blank window: the last session is opened again', async () => {
  await open(writeOddSession(folder, 'aaaa0003', [{ type: 'text', text: 'A plain answer.' }]));
  await expect(window.transcript.getByText('A plain answer.')).toBeVisible({ timeout: LONG });
  const sessionId = await window.shownId();
  // WN3: main has written down which one is shown, whatever the window's database was doing.
  await expect.poll(() => readShown(), { timeout: LONG }).toContain(sessionId);
  await app.kill();
  // As a kill leaves it while the session was being drawn.
  writeFileSync(join(home, 'drawing.json'), JSON.stringify({ sessionId, starts: 1, evidence: null }));
  app = await launchApp({ home });
  window = new AppWindow(app);
  expect(await window.shownId()).toBe(sessionId);
  // It rests on screen: nothing is left for the next start.
  await expect.poll(() => readMarker(), { timeout: LONG }).toBe('');
});

test('a window that hangs while it draws a session and is closed: the session is not opened by itself', async () => {
  const sessionId = await window.shownId();
  await window.request('app.drawing', { sessionId, state: 'begins' });
  await window.page.evaluate(() => {
    setTimeout(() => {
      for (;;);
    });
  });
  // By the window's own button, which asks the page; no quit.
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
  await app.gone;
  app = await launchApp({ home, waitReady: false });
  window = new AppWindow(app);
  await expect(window.page.getByRole('heading', { name: 'The last session was not opened' })).toBeVisible({
    timeout: LONG,
  });
});

const readMarker = (): string => read('drawing.json');
const readShown = (): string => read('shown.json');

function read(name: string): string {
  try {
    return readFileSync(join(home, name), 'utf8');
  } catch {
    return '';
  }
}
