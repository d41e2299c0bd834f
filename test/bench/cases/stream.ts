import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Case, FigureInput } from '../../support/figures';
import { launchApp, writeEndpoint } from '../../support/electron-app';
import { startModelServer } from '../../support/model-server';
import { generateEntries, markdownText, type SessionOptions } from '../sessions';
import { openAndPaint, putSessions, untilCopied } from '../window/sessions';

/** Compacted, so that the context fits a window as that of a real long session does. */
const SESSION: SessionOptions = { entries: 10_000, compactEvery: 400, markdown: true };
const TOKENS_PER_SECOND = 200;
const SECONDS = 20;
const MODEL = { provider: 'bench', modelId: 'loopback' };

/** Runs in the page: notes every task above 50 ms and the longest pause between frames until `stopWatching`. */
function startWatching(): void {
  const seen = { tasks: [] as number[], frames: [] as number[], done: false };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
  }).observe({ entryTypes: ['longtask'] });
  let last = performance.now();
  const frame = (): void => {
    const now = performance.now();
    seen.frames.push(now - last);
    last = now;
    if (!seen.done) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  Object.assign(window, { seen });
}

function stopWatching(): { tasks: number[]; frames: number[] } {
  const { seen } = window as unknown as { seen: { tasks: number[]; frames: number[]; done: boolean } };
  seen.done = true;
  return seen;
}

/**
 * What the machine alone does to such a count: small tasks of a fixed size, one a frame, that none but the machine can
 * make longer. Returns those above 50 ms.
 */
async function countPauses(seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let pauses = 0;
  while (performance.now() < until) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const start = performance.now();
    let sum = 0;
    for (let step = 0; step < 200_000; step += 1) sum += step % 7;
    if (performance.now() - start > 50 && sum > 0) pauses += 1;
  }
  return pauses;
}

/** Lets the prompt go and waits until the reply is stored. */
async function prompt(page: Page, sessionId: string): Promise<void> {
  await page.locator('[data-composer]').fill('Go on.');
  await page.locator('[data-composer]').press('Enter');
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await page
    .getByRole('button', { name: 'Stop', exact: true })
    .waitFor({ state: 'detached', timeout: 3 * SECONDS * 1000 });
  await page.locator(`[data-session="${sessionId}"]`).waitFor();
}

/** Issue 2: 200 tokens a second into an open session of 10,000 entries. */
const stream: Case = {
  name: 'stream-10k',
  issue: 2,
  times: ['src/main/agent/gate.ts:Gate.streamFn', 'src/renderer/features/transcript/transcript.tsx:Transcript'],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const home = join(scratch, 'home');
    const [sessionId = ''] = await putSessions(home, [SESSION]);
    const server = await startModelServer();
    const model = { id: MODEL.modelId, contextWindow: 400_000, maxTokens: 8_192, images: false, reasoning: false };
    writeEndpoint(home, {
      id: MODEL.provider,
      name: 'Bench',
      api: 'openai-completions',
      baseUrl: `${server.url}/v1`,
      headers: {},
      models: [model],
    });
    const text = markdownText(SECONDS * TOKENS_PER_SECOND * 4);
    server.script({ text, chunkChars: 4, tokensPerSecond: TOKENS_PER_SECOND });
    const app = await launchApp({ home, size: { width: 1280, height: 800 } });
    try {
      await untilCopied(app.page, [SESSION]);
      log('the database has the session');
      await app.page.evaluate(openAndPaint, [sessionId, lastMessage(SESSION)] as const);
      await app.page.evaluate((params) => window.espalier?.request('session.setModel', params), {
        sessionId,
        ...MODEL,
      });
      await app.page.evaluate(startWatching);
      await prompt(app.page, sessionId);
      const { tasks, frames } = await app.page.evaluate(stopWatching);
      const pauses = await app.page.evaluate(countPauses, SECONDS);
      const shown = await app.page.locator('[data-transcript]').textContent();
      if (server.requests.length === 0 || !shown?.includes(lastWords(text)))
        throw new Error('The reply did not arrive.');
      return [
        {
          name: 'Window tasks over 50 ms while 200 tokens/s stream into 10,000 entries',
          value: tasks.length,
          unit: 'tasks',
          peer: pauses,
          note: `peer: a small loop a frame, made longer by the machine alone; ${(text.length / 4 / TOKENS_PER_SECOND).toFixed(0)} s; longest ${Math.max(0, ...tasks).toFixed(0)} ms, longest pause between frames ${Math.max(...frames).toFixed(0)} ms`,
          target: { on: 'value', op: '=', bound: 0 },
        },
      ];
    } finally {
      await app.close();
      await server.close();
    }
  },
};

function lastMessage(options: SessionOptions): string {
  let id = '';
  for (const entry of generateEntries(options)) {
    const isResult =
      entry.type === 'message' && (entry as { message?: { role: string } }).message?.role === 'toolResult';
    if (!isResult) id = entry.id;
  }
  return id;
}

function lastWords(text: string): string {
  return (/[\p{L}\p{N} ]{12,}/gu.exec(text.slice(-200))?.[0] ?? '').trim();
}

export default stream;
