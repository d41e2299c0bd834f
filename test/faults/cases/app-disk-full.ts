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
} from '../../support/faults/fault-app';
import { mountSmallDisk, type SmallDisk } from '../../support/faults/full-disk';
import { prepareScriptedHome, replyOf } from '../../support/faults/scripted-run';
import { idOf, ShownEntries } from '../../support/faults/shown-entries';
import { journalLines, waitUntilAlike } from '../../support/faults/stores';
import { countLogged } from '../../support/faults/tear-database';
import { zero, type CaseContext, type FigureInput } from '../../support/figures';
import type { ModelReply } from '../../support/model-server';

const LONG_MS = 60_000;
const FULL = 'Espalier can’t save: the disk is full';

/** Long words and a small call, without end: about 9 KB a round. */
function longReply(n: number): ModelReply {
  const text = `round ${n} ${'word '.repeat(1_600)}`;
  return { chunkChars: 2_000, content: [{ type: 'text', text }, { type: 'toolCall', name: 'ls', arguments: { path: '.' } }] }; // prettier-ignore
}

function smallDiskAt(folder: string, size: number, skip: CaseContext['skip']): SmallDisk {
  const disk = mountSmallDisk(folder, size);
  return typeof disk === 'string' ? skip(disk) : disk;
}

/** The disk of the journals fills up in the middle of a run, gets space again, and the run is taken up. */
async function fillJournalDisk({ scratch, skip }: CaseContext): Promise<FigureInput[]> {
  const disk = smallDiskAt(join(scratch, 'sessions'), 2_000_000, skip);
  try {
    const { home, server } = await prepareScriptedHome(scratch);
    const shown = new ShownEntries();
    server.script((_request, n) => longReply(n));
    const app = await openApp(home, shown);
    await newSession(app.page);
    const sessionId = await shownSession(app.page);
    disk.fill(150_000);
    await say(app.page, 'Write until the disk is full.');
    const isTold = await app.page.getByText(FULL).waitFor({ timeout: LONG_MS }).then(
      () => true,
      () => false,
    ); // prettier-ignore
    const state = await rested(app.page, sessionId);
    const card = (await app.page.getByRole('alert').allInnerTexts()).join(' ');
    const asked = server.requests.length;
    await sleep(1_000);
    const goesOn = server.requests.length - asked;
    const full = shown.check(home);
    const savedWhileFull = shown.total;
    const torn = journalLines(home, sessionId)
      .slice(1)
      .filter((line) => idOf(line) === null).length;

    disk.free();
    server.script(replyOf(2));
    await app.page.getByRole('alert').getByRole('button', { name: 'Retry', exact: true }).click();
    await inTranscript(app.page, 'Done.').waitFor({ timeout: LONG_MS });
    const recovered = (await rested(app.page, sessionId)) === 'idle' && (await app.page.getByText(FULL).count()) === 0;
    const unlike = await waitUntilAlike(home, app.inPage);
    await app.kill();
    const second = await openApp(home);
    unlike.push(...(await waitUntilAlike(home, second.inPage)));
    await second.close();
    const after = shown.check(home);
    const note = `2 MB tmpfs for the journals; ${savedWhileFull} entries saved before it was full; “${card.slice(0, 90)}”`;
    return [
      zero('journal disk full: entries shown as saved and then lost', full.lost + after.lost + after.duplicated, 'entries', note),
      zero('journal disk full: torn lines in the journal', torn, 'lines', note),
      zero('journal disk full: turn goes on', goesOn + (state === 'error' ? 0 : 1), 'requests', note),
      zero('journal disk full: not told clearly', isTold && /full|space/i.test(card) ? 0 : 1, 'messages', note),
      zero('journal disk full: not taken up when space was back', recovered && shown.total > savedWhileFull ? 0 : 1, 'runs', note),
      zero('journal disk full: copies that differ afterwards', unlike.length, 'sessions', note),
    ]; // prettier-ignore
  } finally {
    disk.unmount();
  }
}

/** QR2, SY12: journals and database on one full disk; then space again and two restarts, after which Chromium used to wipe it. */
async function fillWholeDisk({ scratch, skip, log }: CaseContext): Promise<FigureInput[]> {
  const home = join(scratch, 'home');
  const disk = smallDiskAt(home, 64_000_000, skip);
  try {
    const { server } = await prepareScriptedHome(home);
    const shown = new ShownEntries();
    let unlike = 0;
    const work = async (kind: 'fill' | 'work'): Promise<void> => {
      const app = await openApp(home, shown);
      unlike += (await waitUntilAlike(home, app.inPage)).length;
      server.script(kind === 'fill' ? (_request, n) => longReply(n) : replyOf(4));
      await newSession(app.page);
      const sessionId = await shownSession(app.page);
      if (kind === 'fill') disk.fill(400_000);
      await say(app.page, 'Work.');
      if (kind === 'fill') await app.page.getByText(FULL).waitFor({ timeout: LONG_MS });
      else await inTranscript(app.page, 'Done.').waitFor({ timeout: LONG_MS });
      await rested(app.page, sessionId);
      if (kind === 'fill') disk.free();
      else unlike += (await waitUntilAlike(home, app.inPage)).length;
      await app.close();
    };
    await work('work');
    await work('fill');
    await work('work');
    await work('work');
    const last = await openApp(home);
    unlike += (await waitUntilAlike(home, last.inPage)).length;
    await last.close();
    const { lost, duplicated } = shown.check(home);
    const wipes = countLogged(home, 'The database was empty or had been reset');
    log(`${wipes} wipes, ${countLogged(home, 'torn bytes from')} tails cut`);
    const note = `64 MB tmpfs for everything, then three restarts with runs; ${shown.total} entries shown, ${wipes} wipes`;
    return [
      zero('R2 whole disk full: entries shown as saved and then lost or doubled', lost + duplicated, 'entries', note),
      zero('R2 whole disk full: copies that differ after restarts', unlike, 'sessions', note),
    ];
  } finally {
    disk.unmount();
  }
}

export default [
  appCase('disk-full-journals', fillJournalDisk, { ci: true }),
  appCase('R2-disk-full-all', fillWholeDisk),
];
