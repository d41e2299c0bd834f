import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession } from '@playwright/test';
import { zero, type CaseContext, type FigureInput } from '../../support/figures';
import {
  appCase,
  newSession,
  openApp,
  request,
  rested,
  say,
  shownSession,
  sleep,
  type FaultApp,
} from '../../support/faults/fault-app';
import { endlessReply, prepareScriptedHome } from '../../support/faults/scripted-run';

const MIB = 1024 * 1024;
/** Replies with a tool call before a run ends with words. */
const ROUNDS = 8;
/** Sessions at a time: older ones are deleted, so that what is kept does not grow by itself. */
const KEPT_SESSIONS = 6;
/** A person reads, too; and the heap of an hour must not be that of a thousand cycles on a fast machine. */
const CYCLE_MS = 12_000;
/** Share of the time before the figures count: caches fill, code is compiled. */
const WARM_UP = 0.25;
/** Chromium compiles and frees in steps; this is the least that a line can be drawn through. */
const LEAST_SAMPLES = 8;

/** The app after a cycle, in the same state each time, garbage collected. */
interface Sample {
  minutes: number;
  mainBytes: number;
  windowBytes: number;
  mainListeners: number;
  windowListeners: number;
  nodes: number;
}

/** QR10: an hour of sessions that come, work with tools, are looked at and go. */
async function soak({ scratch, isCi, log }: CaseContext): Promise<FigureInput[]> {
  const minutes = Number(process.env.ESPALIER_SOAK_MINUTES ?? (isCi ? 5 : 60));
  const { home, server } = await prepareScriptedHome(scratch);
  server.script((_request, n) => (n % (ROUNDS + 1) < ROUNDS ? endlessReply(n) : { text: 'Done.' }));
  const app = await openApp(home, undefined, { args: ['--js-flags=--expose-gc'] });
  const devtools = await app.page.context().newCDPSession(app.page);
  await devtools.send('Performance.enable');

  const startedAt = Date.now();
  const elapsed = (): number => (Date.now() - startedAt) / 60_000;
  const samples: Sample[] = [];
  const sessions: string[] = [];
  for (let cycle = 0; elapsed() < minutes || samples.length < LEAST_SAMPLES / (1 - WARM_UP); cycle += 1) {
    const next = sleep(CYCLE_MS);
    await workAndLook(app, sessions, cycle);
    await next;
    const sample = { minutes: elapsed(), ...(await takeSample(app, devtools)) };
    samples.push(sample);
    if (cycle % 10 === 0) log(inWords(sample));
  }
  log(inWords(samples.at(-1)!));
  await app.close();

  const problems = problemsOf(app);
  // Which ones they are is all that tells a fault of the app from one of the machine.
  for (const problem of new Set(problems)) log(problem.slice(0, 300));
  const counted = samples.filter((sample) => sample.minutes >= samples.at(-1)!.minutes * WARM_UP);
  const note = `${samples.at(-1)!.minutes.toFixed(1)} min, ${samples.length} sessions of ${ROUNDS} tool calls; ${counted.length} samples after warm-up`;
  return [
    growth('R10 growth of main’s heap', slopeOf(counted, 'mainBytes'), counted, 'mainBytes', note),
    growth('R10 growth of the window’s heap', slopeOf(counted, 'windowBytes'), counted, 'windowBytes', note),
    added('R10 listeners added in main', counted, 'mainListeners', note),
    added('R10 listeners added in the window', counted, 'windowListeners', note),
    zero('R10 unhandled rejections, errors and warnings', problems.length, 'messages', problems[0] ?? note),
  ];
}

/** One cycle: a new session works, the person scrolls, opens what there is to open, looks at another one and comes back. */
async function workAndLook(app: FaultApp, sessions: string[], cycle: number): Promise<void> {
  const { page } = app;
  await newSession(page);
  const sessionId = await shownSession(page);
  sessions.push(sessionId);
  await say(page, `Work on, cycle ${cycle}.`);
  await rested(page, sessionId);
  const transcript = page.locator('[data-transcript]');
  await transcript.hover();
  for (const by of [-1_500, -1_500, 3_000]) await page.mouse.wheel(0, by);
  await page.keyboard.press('Control+K');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const earlier = sessions.at(-2);
  if (earlier !== undefined) {
    await page.locator(`[data-session="${earlier}"]`).click();
    await page.locator(`[data-session="${earlier}"][aria-current="true"]`).waitFor();
    await page.locator('[data-entry]').first().waitFor();
    await page.locator(`[data-session="${sessionId}"]`).click();
    await page.locator(`[data-session="${sessionId}"][aria-current="true"]`).waitFor();
    await page.locator('[data-entry]').first().waitFor();
  }
  if (sessions.length > KEPT_SESSIONS) await request(page, 'sessions.delete', { sessionId: sessions.shift()! });
  await page.locator('[data-composer]').focus();
}

async function takeSample(app: FaultApp, devtools: CDPSession): Promise<Omit<Sample, 'minutes'>> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN;
  const main = await app.electron.evaluate(({ app: electronApp, BrowserWindow, ipcMain }) => {
    (globalThis as { gc?: () => void }).gc!();
    const window = BrowserWindow.getAllWindows()[0]!;
    const emitters: NodeJS.EventEmitter[] = [process, electronApp, ipcMain, window, window.webContents];
    const listeners = emitters.flatMap((one) => one.eventNames().map((name) => one.listenerCount(name)));
    return { bytes: process.memoryUsage().heapUsed, listeners: listeners.reduce((sum, count) => sum + count, 0) };
  });
  return {
    mainBytes: main.bytes,
    mainListeners: main.listeners,
    windowBytes: metric('JSHeapUsedSize'),
    windowListeners: metric('JSEventListeners'),
    nodes: metric('Nodes'),
  };
}

const inWords = ({ minutes, mainBytes, windowBytes, mainListeners, windowListeners, nodes }: Sample): string =>
  `${minutes.toFixed(1)} min: main ${(mainBytes / MIB).toFixed(1)} MB, ${mainListeners} listeners; ` +
  `window ${(windowBytes / MIB).toFixed(1)} MB, ${windowListeners} listeners, ${nodes} nodes`;

/** Least squares, in MB per ten minutes. */
function slopeOf(samples: readonly Sample[], of: 'mainBytes' | 'windowBytes'): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = samples.map((sample) => sample.minutes / 10);
  const y = samples.map((sample) => sample[of] / MIB);
  const [meanX, meanY] = [mean(x), mean(y)];
  const shared = mean(x.map((value, at) => (value - meanX) * (y[at]! - meanY)));
  return shared / mean(x.map((value) => (value - meanX) ** 2));
}

function growth(
  name: string,
  slope: number,
  samples: readonly Sample[],
  of: 'mainBytes' | 'windowBytes',
  note: string,
): FigureInput {
  const at = samples.map((sample) => sample[of] / MIB);
  return {
    name,
    value: Math.round(slope * 100) / 100,
    unit: 'MB/10 min',
    note: `${note}; ${at[0]!.toFixed(1)} MB at first, ${at.at(-1)!.toFixed(1)} at last`,
    target: { on: 'value', op: '<=', bound: 1 },
  };
}

/** The fewest of the first and of the last third: rows on screen come and go, a leak stays in every sample. */
function added(
  name: string,
  samples: readonly Sample[],
  of: 'mainListeners' | 'windowListeners',
  note: string,
): FigureInput {
  const third = Math.ceil(samples.length / 3);
  const fewest = (some: readonly Sample[]): number => Math.min(...some.map((sample) => sample[of]));
  const [first, last] = [fewest(samples.slice(0, third)), fewest(samples.slice(-third))];
  return {
    name,
    value: last - first,
    unit: 'listeners',
    note: `${note}; ${first} at first, ${last} at last`,
    target: { on: 'value', op: '<=', bound: 0 },
  };
}

function problemsOf(app: FaultApp): string[] {
  const logs = join(app.home, 'logs');
  const logged = readdirSync(logs).flatMap((name) =>
    readFileSync(join(logs, name), 'utf8')
      .split('\n')
      .filter((line) => /\[(?:error|warn)\]/.test(line)),
  );
  return [...app.problems, ...logged];
}

export default [appCase('R10-soak', soak, { timeoutMinutes: 90 })];
