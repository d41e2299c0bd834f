import { createHash } from 'node:crypto';
import { killWindow, throughMain } from '../../support/faults/crash-window';
import {
  appCase,
  inTranscript,
  median,
  newSession,
  openApp,
  say,
  sleep,
  type FaultApp,
} from '../../support/faults/fault-app';
import { numberedReply, readTranscript, watchedProblems, watchWindow } from '../../support/faults/numbered-words';
import { prepareScriptedHome } from '../../support/faults/scripted-run';
import { idOf } from '../../support/faults/shown-entries';
import { journalIds, journalLines } from '../../support/faults/stores';
import { zero, type CaseContext, type FigureInput } from '../../support/figures';
import { seededRandom } from '../../support/model-server/truncated-calls';

const SEED = 7;
/** The app asks the person after the third crash in a minute (QB4): then it is started anew. */
const KILLS_A_START = 3;
const WORDS = 400;
const PACE = 200;

interface Found {
  repaintMs: number[];
  problems: string[];
  differing: number;
  unfinished: number;
  frames: number;
}

async function restedThroughMain(app: FaultApp): Promise<void> {
  const inPage = throughMain(app);
  for (let tries = 0; tries < 600; tries += 1) {
    if (await inPage(() => document.querySelector('[data-transcript]')?.getAttribute('aria-busy') === 'false')) return;
    await sleep(50);
  }
  throw new Error('The run did not end.');
}

const digest = (rows: readonly string[]): string => createHash('sha256').update(rows.join('\n')).digest('hex');

/** QR7: kills the window's process while a reply streams into it; the run in main must not notice. */
async function killWindows({ scratch, isCi, log }: CaseContext): Promise<FigureInput[]> {
  const kills = isCi ? 5 : 50;
  const random = seededRandom(SEED);
  const { home, server } = await prepareScriptedHome(scratch);
  let isEnding = false;
  server.script((_request, n) => (isEnding ? { text: 'Done.' } : numberedReply(n, WORDS, PACE)));
  const found: Found = { repaintMs: [], problems: [], differing: 0, unfinished: 0, frames: 0 };

  for (let done = 0; done < kills;) {
    const app = await openApp(home);
    const inPage = throughMain(app);
    await newSession(app.page);
    const before = new Set(journalIds(home));
    isEnding = false;
    const asked = server.requests.length;
    await say(app.page, 'Talk for a while.');
    await inTranscript(app.page, 'w20').waitFor({ timeout: 60_000 });
    for (let kill = 0; kill < KILLS_A_START && done < kills; kill += 1, done += 1) {
      await sleep(random() * 1_200);
      found.repaintMs.push(await killWindow(app));
      await watchWindow(inPage);
      await sleep(400);
      const { problems, frames } = await watchedProblems(inPage);
      found.problems.push(...problems, ...(frames === 0 ? ['no frame was drawn'] : []));
      found.frames += frames;
    }
    isEnding = true;
    await restedThroughMain(app);
    found.problems.push(...(await watchedProblems(inPage)).problems);
    const survived = await readTranscript(inPage);
    await app.close();
    const sessionId = journalIds(home).find((id) => !before.has(id)) ?? '';
    if (!isComplete(home, sessionId, server.requests.length - asked)) found.unfinished += 1;
    // The same session in a window that never crashed is what the survivor has to look like.
    const fresh = await openApp(home);
    await fresh.page.locator('[data-entry]').first().waitFor();
    const plain = await readTranscript(fresh.inPage);
    await fresh.close();
    if (survived.length === 0 || digest(survived) !== digest(plain)) {
      found.differing += 1;
      log(`transcripts differ: ${survived.length} and ${plain.length} rows`);
      survived.forEach((row, at) => row !== plain[at] && log(`${at}: ${differenceOf(row, plain[at] ?? '')}`));
    }
  }
  for (const problem of found.problems.slice(0, 10)) log(problem);
  return report(found, kills);
}

/** The two texts from shortly before where they part. */
function differenceOf(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 20);
  return `at ${at} “${one.slice(from, at + 60)}” | “${other.slice(from, at + 60)}”`;
}

/** A run that nobody disturbed asks once for each reply and stores one entry for each reply and tool result. */
function isComplete(home: string, sessionId: string, requests: number): boolean {
  const entries = journalLines(home, sessionId).map((line) => JSON.parse(line) as { message?: { role?: string } });
  const count = (role: string): number => entries.filter(({ message }) => message?.role === role).length;
  const ids = journalLines(home, sessionId).map(idOf);
  return (
    count('user') === 1 &&
    count('toolResult') === count('assistant') - 1 &&
    requests >= count('assistant') &&
    new Set(ids).size === ids.length
  );
}

function report(found: Found, kills: number): FigureInput[] {
  const note = `${kills} kills of the renderer, seed ${SEED}`;
  return [
    zero('R7 transcripts that differ from a window that never crashed', found.differing, 'sessions', note),
    zero(
      'R7 gaps or repeats in words on screen and event numbers',
      found.problems.length,
      'gaps',
      `${note}, ${found.frames} frames`,
    ),
    zero('R7 runs that did not end as undisturbed ones do', found.unfinished, 'runs', note),
    {
      name: 'R7 repaint after a kill of the renderer, median',
      value: median(found.repaintMs) / 1000,
      unit: 's',
      isOfMachine: true,
      note: `${note}; slowest ${(Math.max(...found.repaintMs) / 1000).toFixed(2)} s`,
      target: { on: 'value', op: '<=', bound: 1 },
    },
  ];
}

export default [appCase('R7-kill-window', killWindows)];
