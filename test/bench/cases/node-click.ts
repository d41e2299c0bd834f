import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Case, FigureInput } from '../../support/figures';
import { launchApp, writeEndpoint } from '../../support/electron-app';
import { MainThread, MARK } from '../../support/faults/main-thread';
import { journalOf, nestedSession } from '../../support/graph-sessions';
import { startModelServer } from '../../support/model-server';
import { median, percentile } from '../harness';
import { markdownText, seededRandom } from '../sessions';
import { type Click, clickNodes, goToHead } from '../window/node-clicks';
import { untilMarked } from '../window/sessions';

const TURNS = 10_000;
const BRANCHES = 300;
const ID = '00000000-0000-4000-8000-0000000c11c5';
const MODEL = { provider: 'bench', modelId: 'loopback' };
const TOKENS_PER_SECOND = 200;
/** Longer than all the clicks take; the reply is stopped then. */
const STREAM_SECONDS = 600;
/** In each picture, half of them on HEAD's path. */
const CLICKS = 100;
/** The first clicks after a start are no part of it: code is compiled, fonts are read. */
const WARM_UP = 12;
const BOUND_MS = 150;
/** Longest that opening it is waited for. */
const OPEN_MS = 120_000;
const TASK_MS = 50;
const PICTURES = ['rail', 'canvas'] as const;
/** Of the session with all turns unfolded. */
const LENGTH_PX = { rail: 185_000, canvas: 780_000 };

/** QP20: from a click on any node to its message, in the real window; also while the agent streams. */
const nodeClick: Case = {
  name: 'P20',
  issue: 14,
  times: [
    'src/renderer/features/graph/graph-pane.tsx:GraphPane',
    'src/renderer/features/transcript/transcript.tsx:Transcript',
    'src/main/session/branches/read-path.ts:readPath',
  ],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const home = join(scratch, 'home');
    const { onHead, entries } = putSession(home);
    const server = await startModelServer();
    writeEndpoint(home, {
      id: MODEL.provider,
      name: 'Bench',
      api: 'openai-completions',
      baseUrl: `${server.url}/v1`,
      headers: {},
      models: [{ id: MODEL.modelId, contextWindow: 20_000_000, maxTokens: 8_192, images: false, reasoning: false }],
    });
    server.script({
      text: markdownText(STREAM_SECONDS * TOKENS_PER_SECOND * 4),
      chunkChars: 4,
      tokensPerSecond: TOKENS_PER_SECOND,
    });
    const app = await launchApp({ home, size: { width: 1280, height: 800 }, graph: true });
    try {
      const { page } = app;
      await untilMarked(page, [[ID, entries]]);
      log('the database has the session');
      await page.locator(`[data-session="${ID}"]`).click();
      await page.locator('[data-pane="graph"] [data-graph]').waitFor({ timeout: OPEN_MS });
      await page.evaluate((params) => window.espalier?.request('session.setModel', params), {
        sessionId: ID,
        ...MODEL,
      });
      await page.getByRole('button', { name: /^Filter:/ }).click();
      await page.getByRole('menuitem', { name: 'Unfold all' }).click();
      const random = seededRandom(20);
      const figures: FigureInput[] = [];
      const clicks = async (picture: Picture, how: string): Promise<void> => {
        await show(page, picture);
        const options = { onHead, lengthPx: LENGTH_PX[picture], random };
        await clickNodes(page, WARM_UP, options);
        const made = await clickNodes(page, CLICKS, options);
        log(`${picture}, ${how}: ${made.map(({ ms }) => ms.toFixed(0)).join(', ')} ms`);
        figures.push(...figuresOf(made, picture, how));
      };
      for (const picture of PICTURES) await clicks(picture, 'at rest');

      const back = page.getByRole('button', { name: /^Back/ }).first();
      if (await back.isVisible()) await back.click();
      await page.getByRole('feed', { name: 'Transcript', exact: true }).waitFor();
      await page.locator('[data-composer]').fill('Go on.');
      await page.locator('[data-composer]').press('Enter');
      const stop = page.getByRole('button', { name: 'Stop', exact: true });
      await stop.waitFor();
      const thread = await MainThread.start(page);
      for (const picture of PICTURES) await clicks(picture, 'streaming');
      await page.evaluate((mark) => void performance.mark(`${mark}clicks`), MARK);
      const { long, tasks, longestMs, slowness } = await thread.stop(TASK_MS);
      if (!(await stop.isVisible())) throw new Error('The reply was over before the clicks.');
      for (const { ms, most } of long) log(`${ms} ms: ${most}`);
      figures.push({
        name: `P20 window tasks over ${TASK_MS} ms of processor time while nodes are clicked and ${TOKENS_PER_SECOND} tokens/s stream`,
        value: long.length,
        unit: 'tasks',
        note: `of ${tasks}, longest ${longestMs.toFixed(0)} ms; machine ${slowness.toFixed(2)} times as slow as that of the bar`,
        target: { on: 'value', op: '=', bound: 0 },
      });
      return figures;
    } finally {
      await app.close();
      await server.close();
    }
  },
};

type Picture = (typeof PICTURES)[number];

async function show(page: Page, picture: Picture): Promise<void> {
  const shown = page.locator(`[data-pane="graph"] [data-graph="${picture}"]`);
  if (!(await shown.isVisible())) await page.getByRole('button', { name: `Show as ${picture}` }).click();
  await shown.waitFor();
  await goToHead(page);
  // Of so many turns the canvas shows chapters until somebody goes nearer.
  const isTurn = page.locator('[data-pane="graph"] .react-flow [data-kind="turn"]');
  for (let steps = 0; steps < 20 && !(await isTurn.first().isVisible()); steps++)
    await page.getByRole('button', { name: 'Zoom in' }).click();
}

function figuresOf(clicks: readonly Click[], picture: Picture, how: string): FigureInput[] {
  return [true, false].map((isOnHead) => {
    const times = clicks.filter((click) => click.isOnHead === isOnHead).map(({ ms }) => ms);
    return {
      name: `P20 click to message, p95, ${picture}, ${isOnHead ? 'HEAD’s path' : 'other branches'}, ${how}`,
      value: percentile(times, 0.95),
      unit: 'ms',
      note: `${TURNS} turns, ${BRANCHES} branches; ${times.length} clicks, median ${median(times).toFixed(0)}, worst ${Math.max(...times).toFixed(0)} ms`,
      target: { on: 'value', op: '<=', bound: BOUND_MS },
    };
  });
}

/** Writes the session into the home of an app that does not run yet. Gives what is on HEAD's path, and how many entries there are. */
function putSession(home: string): { onHead: ReadonlySet<string>; entries: number } {
  const session = nestedSession(TURNS, BRANCHES);
  const random = seededRandom(14);
  const lines = journalOf(session, {
    id: ID,
    textOf: ({ kind, seq }) => markdownText((kind === 'user' ? 200 : 1_200) * (0.5 + random()), seq),
  });
  mkdirSync(join(home, 'sessions'), { recursive: true });
  writeFileSync(join(home, 'sessions', `${ID}.jsonl`), `${lines.join('\n')}\n`);
  const parents = new Map(session.entries.map(({ id, parentId }) => [id, parentId]));
  const onHead = new Set<string>();
  for (let at: string | null | undefined = session.leafId; at; at = parents.get(at)) onHead.add(at);
  return { onHead, entries: lines.length - 1 };
}

export default nodeClick;
