import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { launchApp, writeEndpoint } from '../../support/electron-app';
import type { Case, FigureInput } from '../../support/figures';
import { startModelServer } from '../../support/model-server';
import { percentile } from '../harness';
import { markdownText, sessionIdOf, type SessionOptions } from '../sessions';
import { putSessions, untilCopied } from '../window/sessions';

/** Never compacted: all 10,000 entries are read, handed over, turned into text and summarised in one request. */
const SESSION: SessionOptions = { entries: 10_000, markdown: true };
const MODEL = { provider: 'bench', modelId: 'loopback' };
const TOKENS_PER_SECOND = 150;
const SUMMARY_SECONDS = 40;
const KEYS = 100;
/** Milliseconds between two keys: a fast typist's. */
const PAUSE = 60;
/** The first keys after a start are no part of it: fonts and caches. */
const WARM_UP = 10;

/** Runs in the page: notes for every key the milliseconds from the press until the frame that shows it is painted. */
function watchKeys(): void {
  const seen: number[] = [];
  document.addEventListener(
    'keydown',
    ({ timeStamp }) => {
      requestAnimationFrame(() => {
        // A task after this frame's callbacks runs once the frame is painted.
        const painted = new MessageChannel();
        painted.port1.onmessage = () => seen.push(performance.now() - timeStamp);
        painted.port2.postMessage(null);
      });
    },
    { capture: true },
  );
  Object.assign(window, { seenKeys: seen });
}

/** Types into the composer and gives the time of each key; what was typed is there and is taken out again. */
async function type(page: Page): Promise<number[]> {
  const composer = page.locator('[data-composer]');
  await composer.focus();
  await page.evaluate(() => void ((window as unknown as { seenKeys: number[] }).seenKeys.length = 0));
  const text = 'the quick brown fox jumps over the lazy dog '.repeat(4).slice(0, KEYS + WARM_UP);
  await page.keyboard.type(text, { delay: PAUSE });
  if ((await composer.inputValue()) !== text) throw new Error('What was typed is not in the composer.');
  await page.waitForTimeout(200);
  const times = await page.evaluate(() => [...(window as unknown as { seenKeys: number[] }).seenKeys]);
  if (times.length !== text.length) throw new Error(`${times.length} of ${text.length} keys were seen.`);
  await composer.fill('');
  return times.slice(WARM_UP);
}

/** Issue 3: it never blocks typing. */
const typing: Case = {
  name: 'typing while compacting',
  issue: 3,
  times: ['src/renderer/features/composer/composer.tsx:Composer', 'src/main/compaction/compact.ts:compact'],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const home = join(scratch, 'home');
    await putSessions(home, [SESSION]);
    const sessionId = sessionIdOf(SESSION);
    const server = await startModelServer();
    writeEndpoint(home, {
      id: MODEL.provider,
      name: 'Bench',
      api: 'openai-completions',
      baseUrl: `${server.url}/v1`,
      headers: {},
      models: [{ id: MODEL.modelId, contextWindow: 20_000_000, maxTokens: 16_000, images: false, reasoning: false }],
    });
    const app = await launchApp({ home, size: { width: 1280, height: 800 } });
    try {
      const { page } = app;
      await untilCopied(page, [SESSION]);
      await page.locator(`[data-session="${sessionId}"]`).click();
      await page.evaluate((params) => window.espalier?.request('session.setModel', params), { sessionId, ...MODEL });
      await page.evaluate(watchKeys);
      await type(page);
      const alone = await type(page);
      const during: number[] = [];
      for (let round = 0; round < 2; round++) {
        const text = markdownText(SUMMARY_SECONDS * TOKENS_PER_SECOND * 4);
        server.script({ text, chunkChars: 4, tokensPerSecond: TOKENS_PER_SECOND });
        // Typing begins with the compaction, so that reading and serialising fall into it.
        await page.evaluate((id) => window.espalier?.request('session.compact', { sessionId: id }), sessionId);
        during.push(...(await type(page)));
        const cancel = page.getByRole('button', { name: 'Cancel', exact: true });
        if (!(await cancel.isVisible())) throw new Error('The compaction was over before the typing.');
        await cancel.click();
        await cancel.waitFor({ state: 'detached' });
      }
      if (server.requests.length < 2) throw new Error('No summary was asked for.');
      const p95 = (times: readonly number[]): number => percentile(times, 0.95);
      const after = await type(page);
      const still = p95([...alone, ...after]);
      const note = `${during.length} keys over two compactions of 10,000 entries; longest ${Math.max(...during).toFixed(0)} ms; peer: the same keys with nothing to do, before ${p95(alone).toFixed(1)} ms and after ${p95(after).toFixed(1)} ms`;
      log(note);
      return [
        {
          name: 'Typing latency while a compaction runs, p95',
          value: p95(during),
          unit: 'ms',
          peer: still,
          note,
          target: { on: 'value', op: '<=', bound: 32 },
        },
      ];
    } finally {
      await app.close();
      await server.close();
    }
  },
};

export default typing;
