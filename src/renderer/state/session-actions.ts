/** What a person does with whole sessions. Each failure becomes a toast; nothing here throws. */
import type { ChosenFile, SessionSummary } from '@shared/ipc/types';
import type { App } from './app';
import { plural } from './format';
import { sessionShown } from './sessions-store';

/** A new session in the workspace of the current one; an unused current session is taken instead. */
export async function newSession(app: App): Promise<void> {
  const current = sessionShown(app.sessions.getState());
  if (current && isUnused(app, current)) return focusComposer();
  const summary = await app.attempt(() => app.client.request('sessions.create', current ? { beside: current.id } : {}));
  if (!summary) return;
  addSession(app, summary);
  app.activate(summary.id);
  // Once React has drawn it.
  requestAnimationFrame(focusComposer);
}

function isUnused(app: App, session: SessionSummary): boolean {
  const { view, live } = app.openSession(session.id);
  const { rows, pending, status } = view.getState();
  const { queue } = live.getState();
  return session.entryCount === 0 && status === 'ready' && rows.length + pending.length + queue.length === 0;
}

/** Moves the keyboard to the composer. */
export function focusComposer(): void {
  document.querySelector<HTMLTextAreaElement>('[data-composer]')?.focus();
}

/** Gives a session a title; an empty one leaves it as it is. */
export async function renameSession(app: App, sessionId: string, title: string): Promise<void> {
  app.ui.setState({ renaming: null });
  const trimmed = title.replace(/\s+/g, ' ').trim();
  if (!trimmed || trimmed === app.sessions.getState().byId[sessionId]?.title) return;
  await app.attempt(() => app.client.request('sessions.rename', { sessionId, title: trimmed }));
}

export async function togglePinned(app: App, session: SessionSummary): Promise<void> {
  await app.attempt(() => app.client.request('sessions.setPinned', { sessionId: session.id, pinned: !session.pinned }));
}

export async function toggleArchived(app: App, session: SessionSummary): Promise<void> {
  const archived = !session.archived;
  const params = { sessionId: session.id, archived };
  const done = await app.attempt(async () => {
    await app.client.request('sessions.setArchived', params);
    return true;
  });
  if (!done || !archived) return;
  app.leave(session.id);
  const undo = (): void =>
    void app.attempt(() => app.client.request('sessions.setArchived', { ...params, archived: false }));
  app.toast({ level: 'info', text: `Archived “${titleOf(session)}”.`, action: { label: 'Undo', onSelect: undo } });
}

/** Moves a session to the trash, where it stays for 30 days; the toast takes it back at once. */
export async function deleteSession(app: App, session: SessionSummary): Promise<void> {
  const sessionId = session.id;
  const done = await app.attempt(async () => {
    await app.client.request('sessions.delete', { sessionId });
    return true;
  });
  if (!done) return;
  app.leave(sessionId);
  app.sessions.setState(({ byId }) => {
    const { [sessionId]: _gone, ...rest } = byId;
    return { byId: rest };
  });
  const undo = (): void => {
    void app.attempt(async () => {
      const restored = await app.client.request('sessions.restore', { sessionId });
      addSession(app, restored);
      app.activate(restored.id);
    });
  };
  app.toast({
    level: 'info',
    text: `${session.foreign ? 'Removed' : 'Deleted'} “${titleOf(session)}”. It is kept in the trash for 30 days.`,
    action: { label: 'Undo', onSelect: undo },
  });
}

/** Shows the file of a session in the system's file manager. */
export async function showSessionFile(app: App, sessionId: string): Promise<void> {
  await app.attempt(() => app.client.request('sessions.showInFolder', { sessionId }));
}

/** Asks for files and imports them. */
export async function importByDialog(app: App): Promise<void> {
  const chosen = await app.attempt(() => app.client.request('sessions.chooseImport', {}));
  if (chosen) await importFiles(app, chosen.files);
}

/** Imports session files that were dropped on the window. */
export async function importDropped(app: App, dropped: readonly File[]): Promise<void> {
  if (dropped.length === 0) return;
  const files = await app.attempt(() => app.client.offerFiles(dropped));
  if (!files) return;
  if (files.length < dropped.length)
    app.toast({ level: 'error', text: 'That file has no path on this computer. Save it first, then import it.' });
  await importFiles(app, files);
}

/** Imports files one by one; the last one is shown, each that can't be read is named with the reason. */
export async function importFiles(app: App, files: readonly ChosenFile[]): Promise<void> {
  const imported: SessionSummary[] = [];
  for (const [index, { handle, name }] of files.entries()) {
    const place = files.length > 1 ? ` (${index + 1} of ${files.length})` : '';
    const text = `Importing ${name}${place}…`;
    const summary = await tellWhileSlow(app, text, () =>
      app.attempt(() => app.client.request('sessions.import', { file: handle })),
    );
    if (summary) imported.push(summary);
  }
  showImported(app, imported);
}

/** What is done sooner needs no word. */
const SLOW_MS = 500;

/** Says what is being done if it takes its time, for as long as it does. */
async function tellWhileSlow<T>(app: App, text: string, task: () => Promise<T>): Promise<T> {
  let toastId: string | undefined;
  const timer = setTimeout(() => {
    toastId = app.toast({ level: 'info', text, durationMs: Infinity });
  }, SLOW_MS);
  try {
    return await task();
  } finally {
    clearTimeout(timer);
    if (toastId !== undefined) app.dismissToast(toastId);
  }
}

function showImported(app: App, imported: readonly SessionSummary[]): void {
  for (const summary of imported) addSession(app, summary);
  const last = imported.at(-1);
  if (!last) return;
  app.activate(last.id);
  const entries = plural(
    imported.reduce((sum, { entryCount }) => sum + entryCount, 0),
    'entry',
    'entries',
  );
  const what = imported.length === 1 ? `“${titleOf(last)}”` : `${imported.length} sessions`;
  app.toast({ level: 'success', text: `Imported ${what}: ${entries}. The original file is unchanged.` });
}

export async function exportSession(app: App, sessionId: string, original = false): Promise<void> {
  const result = await app.attempt(() => app.client.request('sessions.export', { sessionId, original }));
  if (result?.path) app.toast({ level: 'success', text: `Exported to ${result.path}` });
}

/** Lets the person choose the folder in which the agent of a session works. */
export async function chooseWorkspace(app: App, sessionId: string): Promise<void> {
  await app.attempt(() => app.client.request('sessions.chooseWorkspace', { sessionId }));
}

export function addSession(app: App, summary: SessionSummary): void {
  app.sessions.setState(({ byId }) => ({ byId: { ...byId, [summary.id]: summary } }));
}

/** Characters of a title that are shown: one from a foreign file may have a million. */
const MAX_TITLE = 300;

/** The title as it is shown. */
export function titleOf(session: Pick<SessionSummary, 'title'>): string {
  return session.title.slice(0, MAX_TITLE) || 'New session';
}
