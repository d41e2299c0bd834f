import { join } from 'node:path';
import { launchApp, writeEndpoint } from '../../support/electron-app';
import type { Case, FigureInput } from '../../support/figures';
import { startModelServer } from '../../support/model-server';
import { percentile } from '../harness';
import { markdownText, sessionIdOf, type SessionOptions } from '../sessions';
import { putSessions, untilCopied } from '../window/sessions';
import { type, watchKeys } from '../window/typing';

/** Never compacted: all 10,000 entries are read, handed over, turned into text and summarised in one request. */
const SESSION: SessionOptions = { entries: 10_000, markdown: true };
const MODEL = { provider: 'bench', modelId: 'loopback' };
const TOKENS_PER_SECOND = 150;
const SUMMARY_SECONDS = 40;

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
