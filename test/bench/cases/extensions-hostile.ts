import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { launchApp, type RunningApp, writeEndpoint } from '../../support/electron-app';
import { endpointOn, modelOf } from '../../support/e2e/loopback';
import { AppWindow } from '../../support/e2e/window';
import type { Case, FigureInput } from '../../support/figures';
import { startModelServer } from '../../support/model-server';
import { putExtensions } from '../extensions/homes';
import { processorMs } from '../extensions/processor';
import { untilSeen } from '../extensions/until-seen';
import { percentile } from '../harness';
import { privateMemory } from '../window/plain-start';
import { type, watchKeys } from '../window/typing';

const command = (name: string, body: string): string =>
  `export default (pi) => { pi.registerCommand('${name}', { async handler(_args, ctx) { ${body} } }); };`;

/** What must not be felt. */
const HOSTILE = {
  'loop.ts': command('loop', 'for (;;) {}'),
  'loud.ts': command(
    'loud',
    `for (let i = 0; i < 1e6; i++) { ctx.ui.notify('n' + i); ctx.ui.setStatus('s', 'at ' + i); ctx.ui.setWidget('w', ['line ' + i]); if (i % 1000 === 0) await null; }`,
  ),
  'fat.ts': command('fat', `globalThis.kept = []; for (let i = 0; i < 34; i++) { globalThis.kept.push(Buffer.alloc(64 * 1024 * 1024, 1)); await new Promise((done) => setTimeout(done, 20)); } await new Promise(() => {});`), // prettier-ignore
};
const MINUTE_MS = 60_000;

/** Runs in the page: notes tasks of the window that take longer than a person should feel. */
function watchTasks(): void {
  const tasks: number[] = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  });
  Object.assign(window, { longTasks: tasks });
}

async function tasksOf(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks.splice(0));
}

const memoryOf = (app: RunningApp): number => privateMemory(app.electron.process().pid ?? 0).privateMb;

/** Issue 15: an extension that loops, floods or takes all memory costs the person nothing. */
const hostile: Case = {
  name: 'typing beside hostile extensions',
  issue: 15,
  times: [
    'src/renderer/features/composer/composer.tsx:Composer',
    'src/main/extensions/host/scope-process.ts:ScopeProcess',
  ],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const home = join(scratch, 'home');
    putExtensions(home, HOSTILE);
    const server = await startModelServer();
    writeEndpoint(home, endpointOn(server.url, 'loopback'));
    const app = await launchApp({ home, size: { width: 1280, height: 800 } });
    try {
      const { page } = app;
      const window = new AppWindow(app);
      const sessionId = await window.startSession('Hostile', modelOf(endpointOn(server.url, 'loopback')));
      const states = async () => (await window.request('extensions.list', {})).extensions;
      const untilStates = (wanted: string, isSo: (all: Awaited<ReturnType<typeof states>>) => boolean) =>
        untilSeen(wanted, async () => {
          const all = await states();
          const words = all.map(({ name, state, errors }) => `${name} ${state}, ${errors.length} errors`);
          return { isSo: isSo(all), seen: words };
        });
      const allRun = () =>
        untilStates('three that run', (all) => all.filter(({ state }) => state === 'running').length === 3);
      await allRun();
      await page.evaluate(watchKeys);
      await page.evaluate(watchTasks);
      await type(page);
      const typing = async () => {
        const from = processorMs(app);
        const keys = await type(page);
        const to = processorMs(app);
        return { keys, main: to.main - from.main, window: to.window - from.window };
      };
      const alone = await typing();
      const before = memoryOf(app);
      await tasksOf(page);
      const beside: Record<string, Awaited<ReturnType<typeof typing>> & { tasks: number[] }> = {};
      const ended = {
        loop: () =>
          untilStates('the one in its loop ended and named', (all) =>
            all.some(({ name, errors }) => name === 'loop' && errors.length > 0),
          ),
        // What it said last is shown, whatever was left out before; on a slow machine it is ended as one in a loop.
        loud: () =>
          untilSeen('its last status and line, or its end', async () => {
            const { extensionShows: shows } = await window.request('session.open', { sessionId });
            const seen = [...shows.statuses.map(({ text }) => text), ...shows.widgets.flatMap(({ lines }) => lines)];
            const isLast = seen.includes('at 999999') && seen.includes('line 999999');
            const wasEnded = (await states()).some(({ name, errors }) => name === 'loud' && errors.length > 0);
            if (isLast || wasEnded) log(`loud: ${isLast ? 'to its end' : 'was ended'}: ${seen.join(', ')}`);
            return { isSo: isLast || wasEnded, seen };
          }),
      };
      for (const name of ['loop', 'loud'] as const) {
        await run(page, sessionId, name);
        const typed = await typing();
        beside[name] = { ...typed, tasks: await tasksOf(page) };
        await ended[name]();
        log(
          `${name}: p95 ${percentile(typed.keys, 0.95).toFixed(1)} ms, tasks ${beside[name].tasks.map((ms) => ms.toFixed(0)).join(', ') || 'none'}`,
        );
      }
      await allRun();
      await run(page, sessionId, 'fat');
      let most = before;
      const backMs = await (async () => {
        await untilSeen('1 GB more than before', () => {
          most = Math.max(most, memoryOf(app));
          return Promise.resolve({ isSo: most >= before + 1_000, seen: [`${most.toFixed(0)} MB at most`] });
        });
        const at = Date.now();
        while (Date.now() - at < 2 * MINUTE_MS && memoryOf(app) > before + 150) await sleep(200);
        return Date.now() - at;
      })();
      await window.say('Still here?');
      await untilSeen('a request', () =>
        Promise.resolve({ isSo: server.requests.length > 0, seen: [`${server.requests.length} requests`] }),
      );
      const still = percentile(alone.keys, 0.95);
      const spent = ({ main, window: shown }: { main: number; window: number }): string => `${main} + ${shown} ms`;
      const latency = (name: string, words: string): FigureInput => ({
        name: `Typing latency beside an extension ${words}, p95`,
        value: percentile(beside[name]?.keys ?? [], 0.95),
        unit: 'ms',
        peer: still,
        note: `${beside[name]?.keys.length} keys; peer: the same keys with nothing to do; processor time of main and window ${spent(beside[name] ?? alone)}, with nothing to do ${spent(alone)}`,
        target: { on: 'value', op: '<=', bound: 32 },
      });
      const tasks = Object.values(beside).flatMap((each) => each.tasks);
      return [
        latency('loop', 'in an endless loop'),
        latency('loud', 'with a million notifications'),
        {
          name: 'Longest task of the window meanwhile',
          value: Math.max(0, ...tasks),
          unit: 'ms',
          target: { on: 'value', op: '<=', bound: 50 },
        },
        {
          name: 'Memory is back after an extension took 2 GB',
          value: backMs / 1000,
          unit: 's',
          note: `from ${most.toFixed(0)} MB to within 150 MB of ${before.toFixed(0)} MB`,
          target: { on: 'value', op: '<=', bound: 60 },
        },
      ];
    } finally {
      await app.close();
      await server.close();
    }
  },
};

/** As from the composer, whose text stays the test's own. */
async function run(page: Page, sessionId: string, name: string): Promise<void> {
  await page.evaluate((params) => void window.espalier?.request('session.prompt', params), {
    sessionId,
    itemId: crypto.randomUUID(),
    text: `/${name}`,
    attachments: [],
    mode: 'steer',
    command: true,
  } as never);
}

export default hostile;
