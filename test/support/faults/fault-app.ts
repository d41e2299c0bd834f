import type { Locator, Page } from '@playwright/test';
import type { RequestName, RequestParams, RequestResult } from '../../../src/shared/ipc/contract';
import type { IpcResult, SessionSummary } from '../../../src/shared/types';
import { launchApp, type LaunchOptions, type RunningApp } from '../electron-app';
import type { Case } from '../figures';
import { PATIENCE } from '../patience';
import { startModelServer, type ModelServer } from '../model-server';
import { idOf, type ShownEntries } from './shown-entries';
import { journalIds, journalLines, type InPage } from './stores';

const LONG = 60_000 * PATIENCE;
/** A start may take this long on a busy machine; how long it took is a figure, not a time-out. */
const OPEN_LIMIT_MS = 120_000 * PATIENCE;

export interface FaultApp extends RunningApp {
  /** Milliseconds from the start of the process until the window could be used. */
  openMs: number;
  inPage: InPage;
}

/** What a case started and has not ended yet: ended after it, however it ends. */
const open = new Set<() => Promise<void>>();

/** A case of issue 2 that starts the app; whatever it leaves running is ended after it. */
export function appCase(name: string, run: Case['run'], options: Partial<Case> = {}): Case {
  return {
    name,
    issue: 2,
    ...options,
    async run(context) {
      try {
        return await run(context);
      } finally {
        for (const end of [...open].reverse()) await end().catch(() => undefined);
        open.clear();
      }
    },
  };
}

/** Starts the app on `home` and waits until it can be used; `shown` hears from then on what the window shows as saved. */
export async function openApp(
  home: string,
  shown?: ShownEntries,
  more: Pick<LaunchOptions, 'env' | 'args'> = {},
): Promise<FaultApp> {
  const startedAt = performance.now();
  const app = await launchApp({ ...more, home, waitReady: false });
  const end = async (how: () => Promise<void>): Promise<void> => {
    await how();
    open.delete(app.kill);
  };
  open.add(app.kill);
  const composer = app.page.locator('[data-composer]');
  // Killed twice within seconds of a start, the app asks before it opens that session again (docs/specs/safety.md A4).
  const anyway = app.page.getByRole('button', { name: 'Open normally', exact: true });
  await composer.or(anyway).first().waitFor({ timeout: OPEN_LIMIT_MS });
  if (await anyway.isVisible()) await anyway.click();
  await composer.waitFor({ timeout: OPEN_LIMIT_MS });
  const openMs = performance.now() - startedAt;
  await shown?.watch(app.page);
  return {
    ...app,
    openMs,
    inPage: (script) => app.page.evaluate(script),
    close: () => end(app.close),
    kill: () => end(app.kill),
  };
}

/** The model server of a case; it is closed after it. */
export async function startCaseServer(): Promise<ModelServer> {
  const server = await startModelServer();
  open.add(() => server.close());
  return server;
}

/** Sends a message through the composer, as a person does. */
export async function say(page: Page, text: string): Promise<void> {
  await page.locator('[data-composer]').fill(text);
  await page.locator('[data-composer]').press('Enter');
}

/** Text in the transcript of the shown session; the list beside it repeats some of it. */
export function inTranscript(page: Page, text: string | RegExp): Locator {
  return page.locator('[data-transcript]').getByText(text).first();
}

/** Opens a fresh session with its keyboard shortcut and waits until it is the shown one. */
export async function newSession(page: Page): Promise<void> {
  const current = page.locator('[data-session][aria-current="true"]');
  const before = (await current.count()) > 0 ? await current.getAttribute('data-session') : null;
  if (before === null || (await isUnused(page, before))) return;
  await page.keyboard.press('Control+N');
  await page.locator(`[data-session][aria-current="true"]:not([data-session="${before}"])`).waitFor({ timeout: LONG });
}

async function isUnused(page: Page, sessionId: string): Promise<boolean> {
  return (await summaryOf(page, sessionId)).entryCount === 0;
}

/** The id of the session that the window shows. */
export async function shownSession(page: Page): Promise<string> {
  const id = await page.locator('[data-session][aria-current="true"]').getAttribute('data-session');
  if (!id) throw new Error('The window shows no session.');
  return id;
}

/** A request of the contract through the page's own bridge; throws with the message for the person. */
export async function request<N extends RequestName>(
  page: Page,
  name: N,
  params: RequestParams<N>,
): Promise<RequestResult<N>> {
  const text = await page.evaluate(
    ([method, input]) => window.espalier?.request(method as RequestName, input) ?? 'null',
    [name, params] as const,
  );
  const answer = JSON.parse(text) as IpcResult<RequestResult<N>>;
  if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`);
  return answer.value;
}

export async function summaryOf(page: Page, sessionId: string): Promise<SessionSummary> {
  const { sessions } = await request(page, 'app.bootstrap', {});
  const summary = sessions.find(({ id }) => id === sessionId);
  if (!summary) throw new Error(`There is no session ${sessionId}`);
  return summary;
}

/** Waits until the session rests; returns the state in which it does. */
export async function rested(page: Page, sessionId: string): Promise<SessionSummary['state']> {
  const until = Date.now() + LONG;
  for (;;) {
    const { state } = await summaryOf(page, sessionId);
    if (state === 'idle' || state === 'error') return state;
    if (Date.now() > until) throw new Error(`Session ${sessionId} is still ${state} after ${LONG / 1000} s.`);
    await sleep(50);
  }
}

/** Entries on screen that are no whole entry of a journal: torn or invented ones. */
export async function countTornShown(home: string, inPage: InPage): Promise<number> {
  const whole = new Set(journalIds(home).flatMap((id) => journalLines(home, id).map(idOf)));
  const shown = await inPage(() =>
    [...document.querySelectorAll<HTMLElement>('[data-entry]')].map((row) => row.dataset.entry ?? ''),
  );
  return shown.filter((id) => !whole.has(id)).length;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
