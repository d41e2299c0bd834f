import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { EspalierBridge } from '../../src/shared/ipc/contract';
import { dropFile } from '../support/e2e/drop';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { AppWindow } from '../support/e2e/window';
import { exchange, header } from '../support/e2e/session-files';

/**
 * Script in the page that is no longer ours, with everything that the page has (docs/specs/safety.md C3, C4). Each test plays it
 * through the bridge of the real app.
 */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const folder = mkdtempSync(join(tmpdir(), 'espalier-page-'));
const victim = join(folder, 'not-given.jsonl');
let app: RunningApp;
let win: AppWindow;

test.beforeAll(async () => {
  writeFileSync(victim, `${[header(3, 'victim'), ...exchange(1, null).lines].join('\n')}\n`);
  app = await launchApp({ home });
  win = new AppWindow(app);
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
  removeHome(folder);
});

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
  const tries: [string, unknown][] = [
    ['sessions.import', { path: victim }],
    ['sessions.import', { file: victim }],
    ['sessions.create', { workspace: folder }],
    ['sessions.setWorkspace', { sessionId: await win.shownId(), path: folder }],
    ['sessions.chooseWorkspace', { sessionId: await win.shownId(), path: folder }],
    ['app.chooseFolder', {}],
  ];
  for (const [name, params] of tries) {
    const answer = await app.page.evaluate(
      ([request, input]) =>
        window.espalier?.request(request as never, input).catch((error: unknown) => `threw ${String(error)}`),
      [name, params] as const,
    );
    expect(answer, name).toMatch(/^threw Error: Unknown request|"ok":false/);
  }
  expect((await win.request('app.bootstrap', {})).sessions).toHaveLength(sessions);
});
