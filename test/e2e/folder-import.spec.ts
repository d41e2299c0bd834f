import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { seriousIssues } from '../support/e2e/axe';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { piLines, type PiSession, writePi } from '../support/pi-sessions';

const SIZES = [
  [960, 640],
  [1280, 800],
] as const;

/** What main's box is answered from now on. */
async function answerBox(app: RunningApp, response: number): Promise<void> {
  await app.electron.evaluate(({ dialog: boxes }, answer) => {
    const told = globalThis as { asked?: unknown };
    boxes.showMessageBox = ((...given: unknown[]) => {
      told.asked = given.at(-1);
      return Promise.resolve({ response: answer, checkboxChecked: false });
    }) as typeof boxes.showMessageBox;
  }, response);
}

test('IM1 to IM6: all sessions of pi, of which some are here, some grew and some are damaged', async () => {
  const [home, files] = [newHome(), newHome()];
  const pi = join(files, 'sessions');
  const [garden, orchard, gone] = [join(files, 'garden'), join(files, 'orchard'), join(files, 'gone')];
  for (const folder of [garden, orchard]) mkdirSync(folder);
  const session = (n: number, cwd: string): PiSession => ({
    ...{ id: `00000000-0000-4000-8000-0000000000${n}`, cwd },
    texts: [`Question ${n} about the trees`, `And ${n} again`],
  });
  const numbers = Array.from({ length: 40 }, (_, n) => n + 10);
  const sessions = numbers.map((n) => session(n, n < 30 ? garden : n < 45 ? orchard : gone));
  const [here, grown, torn, half] = sessions as [PiSession, PiSession, PiSession, PiSession];
  const paths = sessions.map((one) => writePi(pi, one));
  const [first = '', second = ''] = paths;
  writePi(pi, torn, [...piLines(torn).slice(0, 2), '{"type":"mess', ...piLines(torn).slice(2), ''].join('\n'));
  writePi(pi, half, piLines(half).join('\n').slice(0, -30));
  writePi(pi, { id: 'notes', cwd: garden, texts: [] }, '{"a":1}\n');
  const app = await launchApp({ home, env: { PI_CODING_AGENT_DIR: files } });
  const window = new AppWindow(app);
  const { page } = app;
  try {
    for (const path of [first, second]) await window.importFile(path);
    appendFileSync(second, `${piLines({ ...grown, texts: [...grown.texts, 'What pi added'] }).at(-1)}\n`);

    await window.clickMenu('File', 'Import from pi…');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('40 sessions from 3 folders', { timeout: LONG });
    await expect(dialog).toContainText('1 is in Espalier already, 1 went on since.');
    await expect(dialog).toContainText('1 file is not a session or can’t be read');
    await expect(dialog.getByRole('listitem').filter({ hasText: gone })).toContainText(
      'This folder does not exist here',
    );
    expect(await seriousIssues(page)).toEqual([]);
    await takeShots(app, 'import-offer', SIZES);
    await dialog.getByRole('checkbox', { name: orchard }).uncheck();
    await answerBox(app, 1);
    await dialog.getByRole('button', { name: 'Import 25 sessions' }).click();
    // The person says no, and nothing begins.
    await expect(dialog.getByRole('button', { name: 'Import 25 sessions' })).toBeEnabled();
    expect(await window.request('imports.state', {})).toMatchObject({ phase: 'offered' });

    await answerBox(app, 0);
    await dialog.getByRole('button', { name: 'Import 25 sessions' }).click();
    await expect(dialog).toContainText('Imported 23 sessions, 1 continued.', { timeout: LONG });
    const asked = await app.electron.evaluate(() => (globalThis as { asked?: { message: string } }).asked);
    expect(asked?.message).toBe(`Import 25 sessions from ${pi}?`);
    await expect(dialog).toContainText('1 was here already. 1 file was skipped.');
    await expect(dialog).toContainText('1 line could not be read and was left in place (line 3).');
    await expect(dialog).toContainText(gone);
    const rows = dialog.getByRole('listitem');
    await expect(rows).toHaveCount(26);
    await expect(rows.first()).toContainText('It is not a session file.');
    expect(await seriousIssues(page)).toEqual([]);
    await takeShots(app, 'import-report', SIZES);
    await dialog.getByRole('button', { name: 'Copy report' }).click();
    await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible();
    const copied = await app.electron.evaluate(({ clipboard }) => clipboard.readText());
    expect(copied.trim().split('\n')).toHaveLength(26);
    expect(copied).toContain('Continued: ');

    await rows.filter({ hasText: 'Continued' }).getByRole('button').click();
    await expect(dialog).toHaveCount(0);
    await expect(window.transcript).toContainText('What pi added', { timeout: LONG });
    expect(await window.shownId()).toBe(grown.id);
    for (const [at, { id }] of sessions.entries()) {
      const isLeftOut = at >= 20 && at < 35;
      if (isLeftOut) continue;
      const journal = readFileSync(join(home, 'sessions', `${id}.jsonl`));
      expect(journal.equals(readFileSync(paths[at] ?? '')), id).toBe(true);
    }
    // A session of pi's works where it was made, restricted.
    const { id } = sessions[5] as PiSession;
    expect(await window.summary(id)).toMatchObject({ workspace: garden, title: 'Question 15 about the trees' });
    await window.show(id);
    await expect(page.locator('[data-folder-strip]')).toContainText('You have not trusted this folder');

    // The report is there until the person is done with it.
    await window.clickMenu('File', 'Import from pi…');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await window.clickMenu('File', 'Import from pi…');
    await expect(dialog).toContainText('25 are in Espalier already', { timeout: LONG });
    await expect(dialog.getByRole('checkbox', { name: garden })).not.toBeChecked();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(here.id).not.toBe(grown.id);
    expect(app.problems).toEqual([]);
  } finally {
    await app.close();
    removeHome(home);
    removeHome(files);
  }
});
