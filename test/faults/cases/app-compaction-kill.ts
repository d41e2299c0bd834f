import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { AppEvent, EventBatch } from '../../../src/shared/ipc/contract';
import type { CompactionEntry } from '@shared/session/records/entry';
import { zero, type CaseContext, type FigureInput } from '../../support/figures';
import { appCase, inTranscript, newSession, openApp, request, rested, say, shownSession, sleep, summaryOf, type FaultApp } from '../../support/faults/fault-app'; // prettier-ignore
import { prepareScriptedHome } from '../../support/faults/scripted-run';
import { ShownEntries } from '../../support/faults/shown-entries';
import { journalPath, waitUntilAlike } from '../../support/faults/stores';
import { seededRandom } from '../../support/model-server/truncated-calls';
import { sentContext } from '../../support/model-server';

const SEED = 20_261_122;
const WORDS = 'lorem ipsum dolor sit amet '.repeat(20);
const SUMMARY =
  `## Goal\nShip the parser.\n\n## Critical Context\n${'One more fact that must not be lost. '.repeat(12)}`.trim();
/** Tokens a second of the summary: it takes about a second and a half. */
const PACE = 90;
/** Latest moment of a kill without a phase, ms after the command. */
const SPAN_MS = 2_500;
/** How long a phase may take to begin on a busy machine. */
const PHASE_MS = 60_000;

/** The moments of a compaction at which main is killed; `any` is some moment from the command on. */
const PHASES = ['plan', 'history', 'before commit', 'entry', 'any'] as const;
type Phase = (typeof PHASES)[number];

/** The file as it is after the kill, held against what it was. */
type FileState = 'old' | 'old and the entry' | 'something else';

/** kill -9 of main in every phase of a compaction; after each restart the file, both stores and the session are looked through. */
async function killInCompaction({ scratch, isCi, log }: CaseContext): Promise<FigureInput[]> {
  // The short form: each phase once, except the one that may be any.
  const kills = isCi ? 4 : 20;
  const random = seededRandom(SEED);
  const { home, server } = await prepareScriptedHome(scratch);
  const settings = { 'model.default': 'loop/loopback', 'compaction.keepRecentTokens': 100 };
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
  server.script((asked) =>
    sentContext(asked).system.startsWith('You write summaries')
      ? { text: SUMMARY, chunkChars: 4, tokensPerSecond: PACE }
      : `An answer. ${WORDS}`,
  );
  const shown = new ShownEntries();
  const wrong = { lost: 0, duplicated: 0, file: 0, unlike: 0, running: 0, unusable: 0 };
  const found: Record<FileState, number> = { old: 0, 'old and the entry': 0, 'something else': 0 };
  let sessionId = '';
  let messages = 0;

  const talk = async (app: FaultApp): Promise<boolean> => {
    const text = `Question ${(messages += 1)}.`;
    const { entryCount } = await summaryOf(app.page, sessionId);
    await say(app.page, `${text} ${WORDS}`);
    await inTranscript(app.page, text).waitFor();
    while ((await summaryOf(app.page, sessionId)).entryCount < entryCount + 2) await sleep(50);
    return (await rested(app.page, sessionId)) === 'idle';
  };

  let app = await openApp(home, shown);
  await newSession(app.page);
  await say(app.page, `Question ${(messages += 1)}. ${WORDS}`);
  await inTranscript(app.page, 'An answer.').waitFor();
  sessionId = await shownSession(app.page);
  await rested(app.page, sessionId);

  for (let kill = 0; kill < kills; kill += 1) {
    const phase = PHASES[kill % PHASES.length] ?? 'any';
    for (let turn = 0; turn < 2; turn += 1) if (!(await talk(app))) wrong.unusable += 1;
    const before = readFileSync(journalPath(home, sessionId));
    await untilPhase(app.page, sessionId, phase, random);
    await app.kill();

    const state = stateOf(before, readFileSync(journalPath(home, sessionId)));
    found[state] += 1;
    if (state === 'something else') wrong.file += 1;
    // The window was told of it, so it has to be there.
    if (phase === 'entry' && state !== 'old and the entry') wrong.lost += 1;

    app = await openApp(home, shown);
    wrong.unlike += (await waitUntilAlike(home, app.inPage)).length;
    const after = stateOf(before, readFileSync(journalPath(home, sessionId)));
    if (after !== state) wrong.file += 1;
    await openSession(app.page, sessionId);
    if (await isShownRunning(app.page, sessionId)) wrong.running += 1;
    const losses = shown.check(home);
    wrong.lost += losses.lost;
    wrong.duplicated += losses.duplicated;
    log(`kill ${kill + 1}, ${phase}: the file is ${state}`);
  }
  if (!(await talk(app))) wrong.unusable += 1;
  await app.close();

  const note = `${kills} kills, ${found['old and the entry']} with the entry, ${found.old} without, ${shown.total} entries shown, seed ${SEED}`;
  return [
    zero('compaction-kill: entries shown as saved and then lost', wrong.lost, 'entries', note),
    zero('compaction-kill: entries twice', wrong.duplicated, 'entries', note),
    zero('compaction-kill: files that are neither old nor old and one whole entry', wrong.file, 'files', note),
    zero('compaction-kill: copies that differ after a restart', wrong.unlike, 'sessions', note),
    zero('compaction-kill: sessions shown as compacting after a restart', wrong.running, 'sessions', note),
    zero('compaction-kill: sessions that did not answer afterwards', wrong.unusable, 'sessions', note),
    {
      name: 'compaction-kill: kills with the rarer outcome (with or without the entry)',
      value: Math.min(found.old, found['old and the entry']),
      unit: 'kills',
      note,
      target: { on: 'value', op: '>=', bound: 1 },
    },
  ];
}

/** Gives the command and resolves when its moment has come; a phase that never begins is an error. */
async function untilPhase(page: Page, sessionId: string, phase: Phase, random: () => number): Promise<void> {
  const reached = waitFor(page, sessionId, phase);
  await request(page, 'session.compact', { sessionId });
  if (phase === 'any') return sleep(random() * SPAN_MS);
  await reached;
  if (phase === 'history') await sleep(random() * 1_000);
}

/** Resolves with the first event of a phase, seen by the window as the person's is. */
async function waitFor(page: Page, sessionId: string, phase: Phase): Promise<void> {
  await page.evaluate(
    ([wanted, id, lastWords, limitMs]) => {
      let text = '';
      const isIt = (event: AppEvent): boolean => {
        if (!('sessionId' in event) || event.sessionId !== id) return false;
        if (wanted === 'entry') return event.type === 'entry_appended' && event.line.line.includes('"compaction"');
        if (wanted === 'plan') return event.type === 'job_start';
        if (event.type !== 'job_progress' || event.textDelta === undefined) return false;
        text += event.textDelta;
        return wanted === 'history' || text.trimEnd().endsWith(lastWords);
      };
      const seen = new Promise<void>((resolve, reject) => {
        setTimeout(() => reject(new Error(`The phase ${wanted} did not begin.`)), limitMs);
        window.espalier?.onEvents((batch) => {
          const { events } = JSON.parse(batch) as EventBatch;
          if (events.some(isIt)) resolve();
        });
      });
      Object.assign(window, { phaseSeen: seen });
    },
    [phase, sessionId, SUMMARY.slice(-20), PHASE_MS] as const,
  );
  if (phase !== 'any') await page.evaluate(() => (window as unknown as { phaseSeen: Promise<void> }).phaseSeen);
}

function stateOf(before: Buffer, after: Buffer): FileState {
  if (after.equals(before)) return 'old';
  const added = after.subarray(before.length).toString('utf8');
  if (!after.subarray(0, before.length).equals(before) || !/^[^\n]+\n$/.test(added)) return 'something else';
  try {
    const { type, summary } = JSON.parse(added) as CompactionEntry;
    return type === 'compaction' && summary.startsWith(SUMMARY) ? 'old and the entry' : 'something else';
  } catch {
    return 'something else';
  }
}

async function openSession(page: Page, sessionId: string): Promise<void> {
  await page.locator(`[data-session="${sessionId}"]`).click();
  await page.locator(`[data-session="${sessionId}"][aria-current="true"]`).waitFor();
  await page.locator('[data-transcript] [data-entry]').first().waitFor();
}

/** Main or the window believes that the compaction still goes on. */
async function isShownRunning(page: Page, sessionId: string): Promise<boolean> {
  const { job } = await request(page, 'session.open', { sessionId });
  const summary = await summaryOf(page, sessionId);
  const cards = await page.getByRole('region', { name: 'Compaction' }).count();
  return job !== null || summary.state === 'compacting' || cards > 0;
}

export default appCase('compaction-kill', killInCompaction, { timeoutMinutes: 30, issue: 3 });
