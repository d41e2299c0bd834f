import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { EspalierBridge } from '../../src/shared/ipc/contract';
import { answerConsent, consentPage, dismissConsent } from '../support/e2e/consent';
import { dropFile } from '../support/e2e/drop';
import { closeSystemDialogs, GUARDED_ENDPOINT, guardHome, rightsOf } from '../support/e2e/guarded-home';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { exchange, header } from '../support/e2e/session-files';
import { AppWindow } from '../support/e2e/window';

/**
 * Script in the page that is no longer ours, with everything that the page has (docs/specs/safety.md C3, C4). Each test plays it
 * through the bridge of the real app.
 */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const folder = mkdtempSync(join(tmpdir(), 'espalier-page-'));
const victim = join(folder, 'not-given.jsonl');
/** A server on this computer, and what it was asked. */
function endpointServer() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end('{}');
  });
  const listen = async (): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  };
  return { asked, server, listen };
}
/** The attacker's: nobody agrees to it. */
const trap = endpointServer();
/** One that the person agrees to. */
const agreed = endpointServer();
let trapUrl = '';
let agreedUrl = '';
let app: RunningApp;
let win: AppWindow;

const endpoint = GUARDED_ENDPOINT;

test.beforeAll(async () => {
  trapUrl = await trap.listen();
  agreedUrl = await agreed.listen();
  writeFileSync(victim, `${[header(3, 'victim'), ...exchange(1, null).lines].join('\n')}\n`);
  guardHome(home);
  app = await launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
  win = new AppWindow(app);
  await closeSystemDialogs(app);
});
test.afterAll(async () => {
  await app.close();
  trap.server.close();
  agreed.server.close();
  removeHome(home);
  removeHome(folder);
});

/** A request as the page sends it, whatever it is; the text of the answer. */
function raw(name: string, params: unknown): Promise<string> {
  return app.page.evaluate(
    ([request, input]) =>
      (window.espalier as EspalierBridge)
        .request(request as never, input)
        .catch((error: unknown) => `threw ${String(error)}`),
    [name, params] as const,
  );
}

const testAgreed = (): Promise<string> =>
  raw('endpoints.test', { endpoint: { ...endpoint, id: 'agreed', baseUrl: agreedUrl, headers: {} } });

/** A request that was made after all others has come to its server: what they sent is there as well. */
async function expectNothingSent(): Promise<void> {
  const before = agreed.asked.length;
  await testAgreed();
  expect(agreed.asked.length).toBeGreaterThan(before);
  expect(trap.asked).toEqual([]);
}

/** A picture of main's own window, kept only where `ESPALIER_SHOTS` names a folder. */
async function shotOf(page: Page, name: string): Promise<void> {
  const shots = process.env.ESPALIER_SHOTS;
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
}

test('C3: a file made by script has no path, whatever it says of itself', async () => {
  const offered = await app.page.evaluate(async (path) => {
    const named = new File(['x'], path);
    const dressed = new File(['x'], 'a.jsonl');
    Object.defineProperty(dressed, 'path', { value: path });
    const heir = Object.create(dressed, { path: { value: path } }) as unknown;
    Object.defineProperty(File.prototype, 'path', { get: () => path, configurable: true });
    const after = new File(['x'], 'b.jsonl');
    const plain = { path, name: 'a.jsonl', size: 1, type: '', [Symbol.toStringTag]: 'File' };
    const made: unknown[][] = [
      [named],
      [dressed],
      [heir],
      [after],
      [plain],
      [path],
      [[path]],
      [null],
      [new Proxy(after, { get: () => path })],
    ];
    const answers: string[] = [];
    for (const files of [...made, path, { 0: path, length: 1 }, null]) {
      try {
        answers.push(await (window.espalier as EspalierBridge).offerFiles(files));
      } catch (error) {
        answers.push(`threw ${String(error)}`);
      }
    }
    return answers;
  }, victim);
  expect(offered).toHaveLength(12);
  for (const answer of offered)
    if (!answer.startsWith('threw')) expect(JSON.parse(answer)).toEqual({ ok: true, value: [] });
});

test('C3: a file that a person drops comes in', async () => {
  await dropFile(app.page, victim);
  await expect(app.page.getByText('Imported “Question 1”').first()).toBeVisible();
});

test('C3: no request takes a path', async () => {
  const sessions = (await win.request('app.bootstrap', {})).sessions.length;
  const sessionId = await win.shownId();
  const tries: [string, unknown][] = [
    ['sessions.import', { path: victim }],
    ['sessions.import', { file: victim }],
    ['sessions.create', { workspace: folder }],
    ['sessions.setWorkspace', { sessionId, path: folder }],
    ['sessions.chooseWorkspace', { sessionId, path: folder }],
    ['app.chooseFolder', {}],
  ];
  for (const [name, params] of tries)
    expect(await raw(name, params), name).toMatch(/^threw Error: Unknown request|"ok":false/);
  expect((await win.request('app.bootstrap', {})).sessions).toHaveLength(sessions);
});

test('C3: with the person’s yes the same request is sent: the servers hear what comes', async () => {
  const answer = testAgreed();
  const question = await consentPage(app);
  await expect(question.locator('body')).toHaveAttribute('data-consent', 'endpoint-test');
  expect(agreed.asked).toEqual([]);
  await answerConsent(app, 'Connect');
  await answer;
  expect(agreed.asked.length).toBeGreaterThan(0);
});

for (const [theme, kind, name, params] of [
  ['light', 'endpoint-address', 'endpoints.save', () => ({ endpoint: { ...endpoint, baseUrl: trapUrl } })],
  ['dark', 'endpoint-test', 'endpoints.test', () => ({ endpoint: { ...endpoint, baseUrl: trapUrl } })],
  ['light', 'tools.bash', 'settings.set', () => ({ key: 'tools.bash', value: 'ask' })],
  [
    'dark',
    'summary-endpoint',
    'settings.set',
    () => ({ key: 'compaction.remoteEndpoint', value: 'https://evil.invalid/' }),
  ],
] as const) {
  test(`C3: ${name} asks (${kind}), and Cancel leaves everything as it was`, async () => {
    await win.request('settings.set', { key: 'appearance.theme', value: theme });
    const before = await rightsOf(home, win);
    const answer = raw(name, params());
    const question = await consentPage(app);
    await expect(question.locator('body')).toHaveAttribute('data-consent', kind);
    await shotOf(question, `ask-${kind}-${theme}`);
    await dismissConsent(app);
    expect(await answer).toContain('"ok":false');
    expect(await rightsOf(home, win)).toEqual(before);
    await expectNothingSent();
  });
}

test('C3: after that many cancels nothing is asked any more, and nothing happens', async () => {
  const before = await rightsOf(home, win);
  for (const [name, params] of [
    ['settings.set', { key: 'tools.deniedPaths', value: [] }],
    ['settings.reset', { key: 'tools.deniedPaths' }],
    ['settings.reset', { key: 'tools.bash' }],
    ['endpoints.save', { endpoint: { ...endpoint, baseUrl: trapUrl } }],
    ['providers.setKey', { provider: 'lab', key: 'mine', keep: 'plain' }],
  ] as const)
    expect(await raw(name, params), name).toContain('"ok":false');
  expect(await rightsOf(home, win)).toEqual(before);
  await expectNothingSent();
});
