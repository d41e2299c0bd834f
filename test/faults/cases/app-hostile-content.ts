import { join } from 'node:path';
import { AppWindow } from '../../support/e2e/window';
import { appCase, openApp, type FaultApp } from '../../support/faults/fault-app';
import { contentCases, recordCases, type HostileCase } from '../../support/faults/hostile-cases';
import { showAnswer, showCases, type Found } from '../../support/faults/hostile-window';
import type { Moved } from '../../support/faults/main-thread';
import { prepareScriptedHome } from '../../support/faults/scripted-run';
import { hostileMarkdown } from '../../support/hostile-markdown';
import { zero, type CaseContext, type FigureInput } from '../../support/figures';

/** Cases that share a session. */
const A_SESSION = 50;
/** Entries of 1 MB that share one. */
const LARGE_A_SESSION = 10;
/** Each time in a window of its own: a task that is long because of what is shown is long each time. */
const TRIES = 3;

/** A session of cases, or an answer that streams. */
interface Part {
  name: string;
  cases: readonly HostileCase[];
  show: (app: FaultApp, name: string) => Promise<Found>;
}

/** Halves a session that fails until one case is left, each half in a window of its own. */
async function bisect(
  home: string,
  scratch: string,
  name: string,
  cases: readonly HostileCase[],
  reason: string,
): Promise<string> {
  const [only, second] = cases;
  if (only && !second) return `${only.name}: ${reason}`;
  const middle = Math.ceil(cases.length / 2);
  for (const [index, half] of [cases.slice(0, middle), cases.slice(middle)].entries()) {
    const app = await openApp(home);
    const { problem } = await showCases(app, scratch, `${name}${index}`, half);
    await app.kill();
    if (problem) return bisect(home, scratch, `${name}${index}`, half, problem);
  }
  return cases.length > 0 ? `${name}, ${cases.length} cases together: ${reason}` : `${name}: ${reason}`;
}

/** Formulas and code: what they need is loaded before anything is measured. */
function formulas(): HostileCase[] {
  return contentCases(100).filter(({ name }) => /^"(\$a\$|\$\$a\$\$|```js)/.test(name));
}

/** Every nth, so that a short run meets all kinds. */
function sample<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, index) => items[Math.floor(index * step)] as T);
}

async function hostileContent({ scratch, isCi, log }: CaseContext): Promise<FigureInput[]> {
  const { home, server } = await prepareScriptedHome(join(scratch, 'home'));
  const inSessions = (name: string, cases: readonly HostileCase[], size: number, moved: Moved = 'small'): Part[] =>
    inGroups(cases, size).map((group, index) => ({
      name: `${name}${index}`,
      cases: group,
      show: (app, as) => showCases(app, scratch, as, group, isCi ? null : moved),
    }));
  const answers = sample(hostileMarkdown(60_000), isCi ? 6 : 60).map(({ name, text }): Part => ({
    name: `a stream of ${name}`,
    cases: [],
    show: async (app, as) => {
      const window = new AppWindow(app);
      await window.request('sessions.create', {}).then(({ id }) => window.show(id));
      server.script(() => ({ text: `${text}\n\nThe end of it.`, chunkChars: 3_000 }));
      return showAnswer(app, as, isCi ? null : 'small');
    },
  }));
  const parts = [
    ...inSessions('records', sample(recordCases(isCi ? 20_000 : 100_000), isCi ? 110 : 1_600), A_SESSION),
    ...inSessions('content', sample(contentCases(8_000), isCi ? 80 : 500), A_SESSION),
    ...inSessions('large', sample(contentCases(1_000_000).slice(30), isCi ? 10 : 300), LARGE_A_SESSION, 'large'),
    ...answers,
  ];
  let windows = 0;
  // Code that runs for the first time is compiled: not what is measured.
  const openWarm = async (): Promise<FaultApp> => {
    const app = await openApp(home);
    windows += 1;
    // `npm test` judges no times: it runs on machines of any speed.
    if (isCi) return app;
    // In two sessions: the ids of their cases are the same.
    for (const [index, cases] of [sample(contentCases(8_000), 40), formulas()].entries()) {
      const { rows } = await showCases(app, scratch, `warm${windows}-${index}`, cases);
      if (rows < cases.length) throw new Error(`Of ${cases.length} cases that go first ${rows} rows were shown.`);
    }
    return app;
  };

  const failed: string[] = [];
  const all: Found[] = [];
  let suspects: Part[] = [];
  const long = new Map<Part, string[]>();
  let app = await openWarm();
  for (const part of parts) {
    const found = await part.show(app, part.name);
    all.push(found);
    if (found.long.length > 0) {
      long.set(part, found.long);
      suspects.push(part);
      log(`${part.name}, once: ${found.long.slice(0, 3).join('; ')}`);
    }
    if (!found.problem) continue;
    log(`${part.name}: ${found.problem}`);
    await app.kill();
    failed.push(await bisect(home, scratch, part.name, part.cases, found.problem));
    break;
  }
  await app.close();
  for (let again = 1; again < TRIES && !isCi && suspects.length > 0 && failed.length === 0; again += 1) {
    app = await openWarm();
    for (const part of suspects) {
      const found = await part.show(app, `${part.name}-${again}`);
      if (found.long.length < (long.get(part)?.length ?? 0)) long.set(part, found.long);
    }
    await app.close();
    suspects = suspects.filter((part) => (long.get(part)?.length ?? 0) > 0);
  }
  const slow = [...long.values()].flat();
  for (const line of [...failed, ...slow.slice(0, 40)]) log(line);

  const sum = (of: (found: Found) => number): number => all.reduce((total, found) => total + of(found), 0);
  const count = parts.reduce((total, { cases }) => total + Math.max(1, cases.length), 0);
  const longestMs = Math.max(...all.map((found) => found.longestMs));
  const slowness = all.map((found) => found.slowness).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 1;
  return [
    zero(
      'Hostile content in the real window: windows that failed',
      failed.length,
      'windows',
      `${count} cases, ${sum(({ rows }) => rows)} rows shown, ${sum(({ rowFaults }) => rowFaults)} of them said that they could not be drawn. ${failed.join('; ')}`,
    ),
    ...(isCi
      ? []
      : [
          zero(
            'Hostile content in the real window: tasks over 50 ms of the processor',
            slow.length,
            'tasks',
            `${sum(({ tasks }) => tasks)} tasks, the longest ${longestMs.toFixed(1)} ms on a machine that needs ${slowness.toFixed(2)} times as long as the one of the bars; ${long.size} of ${parts.length} sessions and streams shown again. ${slow.slice(0, 5).join('; ')}`,
          ),
        ]),
  ];
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  const groups = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}

export default [appCase('A-hostile-content', hostileContent, { issue: 11, ci: true, timeoutMinutes: 60 })];
