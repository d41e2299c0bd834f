/** The import of all sessions of a folder (IM1–IM6). Nothing here throws. */
import { IMPORT_PAGE, type ImportItem, type ImportOutcome } from '@shared/folder-import';
import type { App } from '../state/app-type';
import { copyText } from './texts';

/** Opens it where it stands: its run, its report, or a look into pi's own folder. */
export async function openImport(app: App): Promise<void> {
  app.ui.setState({ importOpen: true });
  const imports = await app.ask('imports.state', {});
  if (!imports) return;
  app.ui.setState({ imports });
  // What was offered may be old.
  if (imports.phase === 'none' || imports.phase === 'offered') await app.ask('imports.look', {});
}

/** Asks for a folder and looks into that. */
export async function chooseImport(app: App): Promise<void> {
  await app.ask('imports.choose', {});
}

export async function startImport(app: App, groups: readonly string[]): Promise<void> {
  await app.ask('imports.start', { groups: [...groups] });
}

export async function stopImport(app: App): Promise<void> {
  await app.ask('imports.stop', {});
}

/** Its report was read, or nothing of what was offered is wanted. */
export async function closeImport(app: App): Promise<void> {
  app.ui.setState({ importOpen: false });
  await app.ask('imports.close', {});
}

/** Shows a session of the report, which waits. */
export function openImported(app: App, sessionId: string): void {
  app.ui.setState({ importOpen: false });
  app.activate(sessionId);
}

/** Items of the report from one on: as many as are told at once. */
export async function readReport(app: App, from: number): Promise<ImportItem[]> {
  return (await app.ask('imports.report', { from }))?.items ?? [];
}

/** What each outcome is called. */
export const OUTCOME_WORDS: Record<ImportOutcome, string> = {
  skipped: 'Not imported',
  second: 'A second session',
  grown: 'Continued',
  imported: 'Imported',
  here: 'Already here',
};

/** Puts the whole report on the clipboard, a line a file. */
export async function copyReport(app: App): Promise<void> {
  const lines: string[] = [];
  for (let from = 0; ; from += IMPORT_PAGE) {
    const items = await readReport(app, from);
    for (const { name, outcome, title, notes } of items)
      lines.push(
        [`${OUTCOME_WORDS[outcome]}: ${name}`, title ? `“${title}”` : '', ...notes].filter(Boolean).join(' — '),
      );
    if (items.length < IMPORT_PAGE) break;
  }
  await copyText(app, `${lines.join('\n')}\n`);
}
