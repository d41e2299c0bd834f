import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  appCase,
  inTranscript,
  newSession,
  openApp,
  rested,
  say,
  shownSession,
  sleep,
  type FaultApp,
} from '../../support/faults/fault-app';
import { prepareScriptedHome, replyOf, type ScriptedHome } from '../../support/faults/scripted-run';
import { differing, journalCopies, journalPath, waitUntilAlike, type Copies } from '../../support/faults/stores';
import { zero, type CaseContext, type FigureInput } from '../../support/figures';

const ROUNDS = 6;
const RESTORE_MS = 45_000;

/** What can happen to a journal while the app is closed. */
const DAMAGE: Record<string, (path: string) => void> = {
  'cut in the middle': (path) => truncateSync(path, Math.floor(readFileSync(path).length / 2)),
  'bytes changed': (path) => {
    const bytes = readFileSync(path);
    bytes.fill(0x78, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 40);
    writeFileSync(path, bytes);
  },
  overwritten: (path) => writeFileSync(path, 'this is no session at all\n'),
  emptied: (path) => truncateSync(path, 0),
  deleted: (path) => rmSync(path),
};

async function makeSessions(app: FaultApp, { server }: ScriptedHome, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    server.script(replyOf(ROUNDS));
    await newSession(app.page);
    ids.push(await shownSession(app.page));
    await say(app.page, `Session ${at}: do some work.`);
    await inTranscript(app.page, 'Done.').waitFor({ timeout: 60_000 });
    await rested(app.page, ids.at(-1) ?? '');
  }
  return ids;
}

/** SY12: the IndexedDB folder is deleted: every session comes back from its journal. */
async function deleteDatabase({ scratch, isCi }: CaseContext): Promise<FigureInput[]> {
  const scripted = await prepareScriptedHome(scratch);
  const { home } = scripted;
  const first = await openApp(home);
  const ids = await makeSessions(first, scripted, isCi ? 2 : 10);
  const unlikeBefore = await waitUntilAlike(home, first.inPage);
  await first.close();
  const journals = journalCopies(home);
  rmSync(join(home, 'profile', 'IndexedDB'), { recursive: true });

  const second = await openApp(home);
  const startedAt = performance.now();
  const unlike = await waitUntilAlike(home, second.inPage);
  const seconds = (performance.now() - startedAt) / 1000;
  const listed = await listedSessions(second);
  const told = await second.page.getByText('The window’s database was empty.').count();
  await second.close();
  const note = `${ids.length} sessions of ${ROUNDS * 2 + 2} entries or more; all copied ${seconds.toFixed(1)} s after the window`;
  return [
    zero('IndexedDB deleted: sessions not back in the database', unlike.length + unlikeBefore.length, 'sessions', note),
    zero(
      'IndexedDB deleted: sessions not in the list',
      ids.filter((id) => !listed.includes(id)).length,
      'sessions',
      note,
    ),
    zero('IndexedDB deleted: journals changed by it', differing(journals, journalCopies(home)).length, 'files', note),
    zero('IndexedDB deleted: not told to the person', told > 0 ? 0 : 1, 'notices', note),
  ];
}

const listedSessions = (app: FaultApp): Promise<(string | undefined)[]> =>
  app.page.locator('[data-session]').evaluateAll((rows) => rows.map((row) => row.dataset.session));

/** SY12: journals are damaged in five ways: each session comes back word for word from the database, and the person is told. */
async function damageJournals({ scratch, log }: CaseContext): Promise<FigureInput[]> {
  const scripted = await prepareScriptedHome(scratch);
  const { home } = scripted;
  const first = await openApp(home);
  const kinds = Object.keys(DAMAGE);
  const ids = await makeSessions(first, scripted, kinds.length + 1);
  const unlike = await waitUntilAlike(home, first.inPage);
  await first.close();
  const whole = journalCopies(home);
  kinds.forEach((kind, at) => DAMAGE[kind]?.(journalPath(home, ids[at] ?? '')));
  // The last one gets a torn tail instead: nothing is missing, so the journal stays as it is and says so.
  const torn = ids.at(-1) ?? '';
  appendFileSync(journalPath(home, torn), '{"type":"message","id":"0badbeef","par');
  const { [torn]: _torn, ...expected } = whole;

  const second = await openApp(home);
  const notRestored = await restored(home, expected);
  for (const id of notRestored) log(`not restored: ${kinds[ids.indexOf(id)] ?? id}`);
  // A file is whole a moment before the person hears of it.
  const list = second.page.getByRole('dialog', { name: 'Notices' });
  const notices = list.getByText('was restored from');
  const more = second.page.getByRole('button', { name: /^\d+ more$/ });
  for (const until = Date.now() + RESTORE_MS; (await notices.count()) < kinds.length && Date.now() < until;) {
    if ((await more.isVisible()) && !(await list.isVisible())) await more.click();
    await sleep(100);
  }
  const toldRestored = await notices.count();
  if (toldRestored < kinds.length)
    log(`told: ${(await second.page.locator('[role=alert]').allInnerTexts()).join(' | ')}`);
  await second.page.keyboard.press('Escape');
  await second.page.locator(`[data-session="${torn}"]`).click();
  const toldTorn = await second.page
    .getByRole('alert')
    .filter({ hasText: 'This session’s file has problems' })
    .getByText('The last line was cut off in the middle of writing')
    .waitFor({ timeout: RESTORE_MS })
    .then(
      () => 1,
      () => 0,
    );
  if (!toldTorn) log(`not told of the torn line: ${await second.page.locator('main').innerText()}`);
  const after = await waitUntilAlike(home, second.inPage);
  await second.close();
  const third = await openApp(home);
  const later = await waitUntilAlike(home, third.inPage);
  await third.close();
  const note = `${kinds.join(', ')}; and one torn tail`;
  return [
    zero('journals damaged: sessions not word for word as before', notRestored.length, 'sessions', note),
    zero('journals damaged: damage not told', kinds.length - toldRestored + (1 - toldTorn), 'notices', note),
    zero(
      'journals damaged: copies that differ afterwards',
      unlike.length + after.length + later.length,
      'sessions',
      note,
    ),
  ];
}

async function restored(home: string, expected: Copies): Promise<string[]> {
  const until = Date.now() + RESTORE_MS;
  for (;;) {
    const now = journalCopies(home);
    const missing = Object.keys(expected).filter((id) => now[id]?.digest !== expected[id]?.digest);
    if (missing.length === 0 || Date.now() > until) return missing;
    await sleep(100);
  }
}

export default [
  appCase('stores-database-deleted', deleteDatabase, { ci: true }),
  appCase('stores-journal-damaged', damageJournals),
];
