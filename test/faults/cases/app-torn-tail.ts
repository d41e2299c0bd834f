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
import { databaseCopies, waitUntilAlike } from '../../support/faults/stores';
import { countLogged, isLevelDb, tearDatabase, TORN_TAILS, type TornTail } from '../../support/faults/tear-database';
import { zero, type CaseContext, type FigureInput } from '../../support/figures';

const ROUNDS = 4;
const LONG_MS = 60_000;
const EMPTIED = 'The database was empty or had been reset';
const CUT = 'torn bytes from';

type Ending = 'clean' | 'kill';
interface Tear {
  tail: TornTail;
  ending: Ending;
}

const ALL: Tear[] = (Object.keys(TORN_TAILS) as TornTail[]).flatMap((tail) => [
  { tail, ending: 'clean' },
  { tail, ending: 'kill' },
]);

/** A short run of its own session, until both copies have all of it. Returns the sessions whose copies differ then. */
async function work(app: FaultApp, { home, server }: ScriptedHome): Promise<string[]> {
  server.script(replyOf(ROUNDS));
  await newSession(app.page);
  const sessionId = await shownSession(app.page);
  await say(app.page, 'Do some work.');
  await inTranscript(app.page, 'Done.').waitFor({ timeout: LONG_MS });
  await rested(app.page, sessionId);
  return waitUntilAlike(home, app.inPage);
}

const end = (app: FaultApp, ending: Ending): Promise<void> => (ending === 'clean' ? app.close() : app.kill());

/** QR2. With the repair: every tail is cut before the start, and nothing that only the database has is lost either. */
async function withRepair({ scratch, isCi, log, skip }: CaseContext): Promise<FigureInput[]> {
  const tears = isCi ? ALL.filter((_, at) => at === 1 || at === 2 || at === 5) : ALL;
  const scripted = await prepareScriptedHome(scratch);
  const { home } = scripted;
  let unlike = 0;
  let drafts = 0;
  for (const { tail, ending } of tears) {
    const app = await openApp(home);
    unlike += (await work(app, scripted)).length;
    // Its own words each time: the drafts of earlier rounds are still there.
    const draft = `not sent yet: ${tail}, ${ending}`;
    await app.page.locator('[data-composer]').fill(draft);
    await draftSaved(app, draft);
    await end(app, ending);
    if (!isLevelDb(home)) skip('this runtime keeps IndexedDB in SQLite');
    tearDatabase(home, tail);
    // The first start after the tear writes behind it; the wipe would show at the second.
    const second = await openApp(home);
    if (await draftShown(second, draft)) drafts += 1;
    else log(`${tail}, ${ending}: the draft is gone`);
    unlike += (await work(second, scripted)).length;
    await second.close();
  }
  const last = await openApp(home);
  unlike += (await waitUntilAlike(home, last.inPage)).length;
  await last.close();
  const note = `${tears.map(({ tail, ending }) => `${tail}/${ending}`).join(', ')}`;
  return [
    zero('R2 torn tails with the repair: tails not cut', tears.length - countLogged(home, CUT), 'tails', note),
    zero('R2 torn tails with the repair: databases emptied', countLogged(home, EMPTIED), 'times', note),
    zero('R2 torn tails with the repair: copies that differ', unlike, 'sessions', note),
    zero('R2 torn tails with the repair: drafts lost', tears.length - drafts, 'drafts', note),
  ];
}

/** A draft is written a moment after the last key. */
async function draftSaved(app: FaultApp, draft: string): Promise<void> {
  const stored = (): Promise<string> =>
    app.inPage(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open('espalier');
          opening.onsuccess = () => {
            const db = opening.result;
            const all = db.transaction('drafts').objectStore('drafts').getAll();
            all.onsuccess = () => {
              db.close();
              resolve(JSON.stringify(all.result));
            };
          };
        }),
    );
  while (!(await stored()).includes(draft)) await sleep(50);
}

/** The draft comes from the database, after the composer is there. */
async function draftShown(app: FaultApp, draft: string): Promise<boolean> {
  const until = Date.now() + 30_000;
  while ((await app.page.locator('[data-composer]').inputValue()) !== draft) {
    if (Date.now() > until) return false;
    await sleep(50);
  }
  return true;
}

/** Without the repair Chromium empties the database: that is seen, and all of it comes back from the journals. */
async function withoutRepair({ scratch, isCi, log, skip }: CaseContext): Promise<FigureInput[]> {
  const tears = isCi ? ALL.slice(1, 2) : ALL;
  const scripted = await prepareScriptedHome(scratch);
  const { home } = scripted;
  const env = { ESPALIER_SKIP_TAIL_REPAIR: '1' };
  let unlike = 0;
  for (const { tail, ending } of tears) {
    const app = await openApp(home, undefined, { env });
    unlike += (await work(app, scripted)).length;
    await end(app, ending);
    if (!isLevelDb(home)) skip('this runtime keeps IndexedDB in SQLite');
    tearDatabase(home, tail);
    const second = await openApp(home, undefined, { env });
    unlike += (await work(second, scripted)).length;
    await second.close();
    const emptied = countLogged(home, EMPTIED);
    const third = await openApp(home, undefined, { env });
    unlike += (await waitUntilAlike(home, third.inPage)).length;
    const sessions = Object.keys(await databaseCopies(third.inPage)).length;
    await third.close();
    log(
      `${tail}/${ending}: ${countLogged(home, EMPTIED) - emptied} times emptied, ${sessions} sessions in the database`,
    );
  }
  const wipes = countLogged(home, EMPTIED);
  const note = `${tears.map(({ tail, ending }) => `${tail}/${ending}`).join(', ')}; ${wipes} wipes`;
  return [
    {
      name: 'R2 torn tails without the repair: wipes provoked and recognised',
      value: wipes,
      unit: 'wipes',
      note,
      target: { on: 'value', op: '>=', bound: isCi ? 1 : 2 },
    },
    zero('R2 torn tails without the repair: sessions not rebuilt', unlike, 'sessions', note),
  ];
}

export default [appCase('R2-torn-tail-repaired', withRepair), appCase('R2-torn-tail-unrepaired', withoutRepair)];
