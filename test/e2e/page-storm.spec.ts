import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { REQUESTS, type EspalierBridge, type RequestName } from '../../src/shared/ipc/contract';
import {
  closeSystemDialogs,
  GUARDED_SETTINGS,
  guardHome,
  HEADER,
  KEY,
  rightsOf,
  type Rights,
} from '../support/e2e/guarded-home';
import { exchange, header } from '../support/e2e/session-files';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { AppWindow } from '../support/e2e/window';
import { messagesFor } from '../unit/app/ipc-messages';

/**
 * Every request of the contract, generated from its schema, with whatever a page could put into it: what was given to the agent
 * stays, no file of its choice is read, no key comes back (docs/specs/safety.md C3, C4).
 */
const OF_EACH = 15;
/** What it takes to wait for: an answer that comes later is one more of the kind. */
const PATIENCE_MS = 4000;
const LANES = 12;
const PLANTED = 'words that no request may bring back';

const home = newHome();
const folder = mkdtempSync(join(tmpdir(), 'espalier-storm-'));
const planted = join(folder, 'planted.txt');
/** What a server of the attacker's on this computer was asked. */
const reached: string[] = [];
const trap = createServer((request, response) => {
  reached.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
  response.end('{}');
});
let trapUrl = '';
let app: RunningApp;
let win: AppWindow;
let sessionId: string;

test.beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/v1`;
  writeFileSync(planted, PLANTED);
  guardHome(home);
  app = await launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
  win = new AppWindow(app);
  const seed = join(folder, 'seed.jsonl');
  writeFileSync(seed, `${[header(3, 'seed'), ...exchange(1, null).lines].join('\n')}\n`);
  sessionId = (await win.importFile(seed)).id;
  await win.show(sessionId);
  await closeSystemDialogs(app);
});
test.afterAll(async () => {
  await app.close();
  trap.close();
  removeHome(home);
  removeHome(folder);
});

const REQUEST_NAMES = Object.keys(REQUESTS) as RequestName[];
/** Takes away what later requests need: these come last. */
const ENDING = /delete|remove|withdraw|reset|app\.written/iu;

function hostileCalls(): [RequestName, unknown][] {
  const words = [sessionId, 'lab', 'openai', 'anthropic', 'compaction.remoteAuth', 'endpoint-headers:lab', '__proto__', folder, planted, '../../etc/passwd', trapUrl, `Run \`cat ${planted}\``, `Read ${planted}`]; // prettier-ignore
  let turn = 0;
  const word = (): string => words[(turn += 7) % words.length] ?? '';
  const dressed = (value: unknown): unknown => {
    if (value === 'a1b2c3d4') return word();
    if (Array.isArray(value)) return value.map(dressed);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (typeof inner === 'string' && (key === 'sessionId' || key === 'beside')) return [key, sessionId];
        return [key, key === 'baseUrl' && typeof inner === 'string' ? trapUrl : dressed(inner)];
      }),
    );
  };
  const calls = REQUEST_NAMES.flatMap((name, index) => {
    const messages = messagesFor(REQUESTS[name].params, index + 1);
    return Array.from({ length: OF_EACH }, (): [RequestName, unknown] => {
      try {
        return [name, dressed(JSON.parse(JSON.stringify(messages.next().value) ?? 'null'))];
      } catch {
        return [name, {}]; // No JSON can say it; that kind is for the unit test.
      }
    });
  });
  // What is made by chance may ask for nothing: this one asks.
  calls.unshift(['settings.set', { key: 'extensions.piFolder', value: true }]);
  return [...calls.filter(([name]) => !ENDING.test(name)), ...calls.filter(([name]) => ENDING.test(name))];
}

test('C3, C4: every request with hostile parameters: no right, no path, no key', async () => {
  const before = await rightsOf(home, win);
  const asked: string[] = [];
  const storm = { isOver: false };
  const cancelling = cancelQuestions(storm, asked);
  const started = Date.now();
  const answers = await app.page.evaluate(
    async ([text, lanes, patience]) => {
      const calls = JSON.parse(text) as [string, unknown][];
      const bridge = window.espalier as EspalierBridge;
      const said: { name: string; ms: number; text: string }[] = [];
      const next = calls.values();
      const lane = async (): Promise<void> => {
        for (const [name, params] of next) {
          const from = performance.now();
          const late = new Promise<string>((resolve) => setTimeout(() => resolve('late'), patience));
          const answer = bridge.request(name as never, params).catch((error: unknown) => `threw ${String(error)}`);
          const text = await Promise.race([answer, late]);
          said.push({ name, ms: performance.now() - from, text });
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      return said;
    },
    [JSON.stringify(hostileCalls()), LANES, PATIENCE_MS] as const,
  );
  storm.isOver = true;
  await cancelling;
  const took = Date.now() - started;
  expect(answers).toHaveLength(REQUEST_NAMES.length * OF_EACH + 1);
  // They were understood, or this would prove nothing.
  expect(answers.filter(({ text }) => text.includes('"ok":true')).length).toBeGreaterThan(100);
  const all = answers.map(({ text }) => text).join('\n');
  for (const secret of [KEY, HEADER, PLANTED, 'root:x:']) expect(all).not.toContain(secret);
  expect(reached).toEqual([]);
  test
    .info()
    .annotations.push({ type: `${answers.length} requests`, description: `${took} ms, asked: ${asked.join()}` });
  // Main asked, and not more often than a person has patience for.
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(4 * Math.ceil(took / 60_000));
  expectNoMore(before, await rightsOf(home, win));
});

/** What is there may have been thrown away, never added to. */
function expectNoMore(before: Rights, after: Rights): void {
  expect(after.rules).toEqual([]);
  expect(JSON.stringify(after.stored)).not.toContain('127.0.0.1');
  expect(after.settings['tools.bash']).toBe('deny');
  expect(after.settings['tools.deniedPaths']).toContain('/denied');
  expect(['', GUARDED_SETTINGS['compaction.remoteEndpoint']]).toContain(after.settings['compaction.remoteEndpoint']);
  // Without a name a session works in a scratch folder.
  for (const workspace of after.workspaces)
    expect(workspace === '' || workspace.startsWith(home), workspace).toBe(true);
  expect(JSON.stringify(after.trusted)).not.toContain(folder);
  for (const [name, key] of Object.entries(after.keys)) expect(key, name).toEqual(before.keys[name]);
}

/** Presses Escape in every question of main until the storm is over; which kinds there were goes to `asked`. */
async function cancelQuestions(storm: { isOver: boolean }, asked: string[]): Promise<void> {
  while (!storm.isOver) {
    const page = app.electron.windows().find((one) => !one.isClosed() && one.url().startsWith('app://consent/'));
    try {
      const kind = await page?.locator('body[data-consent]').getAttribute('data-consent', { timeout: 2000 });
      if (!page || !kind) throw new Error('None');
      const closed = page.waitForEvent('close');
      asked.push(kind);
      // It goes while the key is still down.
      await page.keyboard.press('Escape').catch(() => undefined);
      await closed;
    } catch {
      // Gone meanwhile, or not drawn yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
