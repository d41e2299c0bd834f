/** What a person does with whole sessions and with the window around them. Each failure becomes a toast. */
import { own } from '@shared/checks';
import type { ExportForm } from '@shared/ipc/request-spec';
import type { ChosenFile, SessionSummary } from '@shared/types';
import { targetOfItem } from '../state/draft-field';
import type { App } from '../state/app-type';
import { formatPath, plural } from '../state/format';
import type { OpenSession } from '../state/open-session';
import { graphKey } from '../state/graph-memory';
import { groupSessions, workspaceNames } from '../state/session-groups';
import { sessionShown, titleOf } from '../state/sessions-store';
import { repeatedKey } from '../state/repeated-memory';
import { visitedKey } from '../state/ui-memory';
import { doesGraphFloat, hidesTranscript, isGraphShown, SIDEBAR } from '../state/ui-store';
import { isBusy, type SessionTarget } from './action';

export function summaryOf(app: App, { id }: SessionTarget): SessionSummary | undefined {
  return own(app.sessions.getState().byId, id);
}

/** A new session in the workspace of the current one, if that is here; an unused current session is taken instead. */
export async function newSession(app: App): Promise<void> {
  const current = sessionShown(app.sessions.getState());
  if (current && isUnused(app, current)) return app.page.focus('composer');
  const summary = await app.ask('sessions.create', current ? { beside: current.id } : {});
  if (!summary) return;
  addSession(app, summary);
  write(app, summary.id);
  if (current && current.workspace !== summary.workspace) tellOtherFolder(app, current, summary);
}

/** Main did not take the folder over: it does not exist here (WN14). */
function tellOtherFolder(app: App, { workspace }: SessionSummary, { id }: SessionSummary): void {
  const choose = (): void => void chooseFolder(app, { id });
  app.toast({
    level: 'info',
    text: `${formatPath(workspace, app.settings.getState().home)} does not exist here. The new session works in a scratch folder.`,
    action: { label: 'Choose folder…', onSelect: choose },
  });
}

/** Main's dialog, and its question about trust. Who has chosen writes next: on the button a key would open the dialog again. */
export async function chooseFolder(app: App, { id }: SessionTarget): Promise<void> {
  const chosen = await app.ask('sessions.chooseWorkspace', { sessionId: id });
  if (chosen && chosen.path !== null && sessionShown(app.sessions.getState())?.id === id) app.page.focus('composer');
}

function isUnused(app: App, session: SessionSummary): boolean {
  const { view, live } = app.openSession(session.id);
  const { rows, pending, status } = view.getState();
  const { queue } = live.getState();
  return session.entryCount === 0 && status === 'ready' && rows.length + pending.length + queue.length === 0;
}

export function addSession(app: App, summary: SessionSummary): void {
  app.sessions.setState(({ byId }) => ({ byId: { ...byId, [summary.id]: summary } }));
}

/** Shows a session, with the keyboard in its composer. */
export function write(app: App, sessionId: string): void {
  app.activate(sessionId);
  app.page.focusOnceDrawn('composer');
}

/**
 * Tells later whether the person has gone to another session since, or written, attached or sent something: what opens by itself then waits
 * until it is asked for (CM8).
 */
export function watchPerson(app: App): () => boolean {
  const look = (): { id: string | null; acts: number } => {
    const { activeId: id } = app.sessions.getState();
    return { id, acts: id === null ? 0 : app.draftOf(id).acts() };
  };
  const before = look();
  return () => {
    const { id, acts } = look();
    return id !== before.id || acts !== before.acts;
  };
}

/** Gives a session a title. Main says which it refuses: it is left as it is then. */
export async function renameSession(app: App, target: SessionTarget, title: string): Promise<void> {
  app.ui.setState({ renaming: null });
  const trimmed = title.replace(/\s+/g, ' ').trim();
  if (trimmed === summaryOf(app, target)?.title) return;
  await app.ask('sessions.rename', { sessionId: target.id, title: trimmed });
}

export async function togglePinned(app: App, target: SessionTarget): Promise<void> {
  const pinned = summaryOf(app, target)?.pinned !== true;
  await app.ask('sessions.setPinned', { sessionId: target.id, pinned });
}

export async function toggleArchived(app: App, target: SessionTarget): Promise<void> {
  const session = summaryOf(app, target);
  if (!session) return;
  const set = (archived: boolean): Promise<boolean> =>
    app.did('sessions.setArchived', { sessionId: session.id, archived });
  if (!(await set(!session.archived)) || session.archived) return;
  app.leave(session.id);
  const undo = (): void => void set(false);
  app.toast({ level: 'info', text: `Archived “${titleOf(session)}”.`, action: { label: 'Undo', onSelect: undo } });
}

/** Moves a session to the trash, where it stays for 30 days; the toast takes it back at once. */
export async function deleteSession(app: App, target: SessionTarget): Promise<void> {
  const session = summaryOf(app, target);
  if (!session) return;
  const sessionId = session.id;
  if (!(await app.did('sessions.delete', { sessionId }))) return;
  app.leave(sessionId);
  app.sessions.setState(({ byId }) => {
    const { [sessionId]: _gone, ...rest } = byId;
    return { byId: rest };
  });
  // Without words it may have no file: nothing of it lies in the trash then.
  const isKept = session.preview !== '' || session.foreign;
  const isNamedAlone = session.title !== '' && session.entryCount === 0;
  const unkept = isNamedAlone ? ' It had no messages, so only Undo brings it back.' : '';
  const kept = isKept ? ' It stays under Recently deleted for at least 30 days.' : unkept;
  app.toast({
    level: 'info',
    text: `${session.foreign ? 'Removed' : 'Deleted'} “${titleOf(session)}”.${kept}`,
    action: { label: 'Undo', onSelect: () => void app.attempt(() => restoreSession(app, sessionId)) },
  });
}

/** Brings a session back from the trash and shows it. Throws AppError. */
export async function restoreSession(app: App, sessionId: string): Promise<void> {
  const restored = await app.client.request('sessions.restore', { sessionId });
  addSession(app, restored);
  app.activate(restored.id);
}

/** Deletes one in the trash for good, once main's question is answered, and what the window remembers of it. Returns whether. Throws AppError. */
export async function deleteForGood(app: App, sessionId: string): Promise<boolean> {
  const { deleted } = await app.client.request('sessions.deleteForGood', { sessionId });
  if (!deleted) return false;
  app.ui.setState(({ visited: { [sessionId]: _gone, ...visited } }) => ({ visited }));
  const keys = [visitedKey(sessionId), graphKey(sessionId), repeatedKey(sessionId)];
  // A row that stays is some bytes that nobody reads.
  await Promise.allSettled(keys.map((key) => app.local.putUi(key, undefined)));
  return true;
}

/** Asks for files and imports them. */
export async function importByDialog(app: App): Promise<void> {
  const isBusyElsewhere = watchPerson(app);
  const chosen = await app.ask('sessions.chooseImport', {});
  if (chosen) await importFiles(app, chosen.files, isBusyElsewhere);
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

/** Imports files one by one; the last one is shown or offered, each that can't be read is named with the reason. */
export async function importFiles(
  app: App,
  files: readonly ChosenFile[],
  isBusyElsewhere = watchPerson(app),
): Promise<void> {
  const imported: SessionSummary[] = [];
  for (const [index, { handle, name }] of files.entries()) {
    const place = files.length > 1 ? ` (${index + 1} of ${files.length})` : '';
    const summary = await tellWhileSlow(app, `Importing ${name}${place}…`, () =>
      app.ask('sessions.import', { file: handle }),
    );
    if (summary) imported.push(summary);
  }
  for (const summary of imported) addSession(app, summary);
  const last = imported.at(-1);
  if (!last) return;
  const isOffered = isBusyElsewhere();
  if (!isOffered) app.activate(last.id);
  const count = imported.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const what = imported.length === 1 ? `“${titleOf(last)}”` : `${imported.length} sessions`;
  const text = `Imported ${what}: ${plural(count, 'entry', 'entries')}. The original file is unchanged.`;
  const open = { label: 'Open it', onSelect: () => app.activate(last.id) };
  app.toast({ level: 'success', text, ...(isOffered ? { action: open } : {}) });
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

/** A copy for reading is of all branches, or of the path that is shown (SF26). */
export async function exportSession(
  app: App,
  { id }: SessionTarget,
  as: ExportForm = 'session',
  of: 'path' | 'tree' = 'path',
): Promise<void> {
  const isShown = app.sessions.getState().activeId === id;
  const leafId = isShown ? app.openSession(id).reading.state.getState().path?.leafId : undefined;
  const result = await app.ask('sessions.export', { sessionId: id, as, of, ...(leafId && { leafId }) });
  if (result?.path) app.toast({ level: 'success', text: `Exported to ${result.path}` });
}

/** The session before or after the shown one, as the list has them. */
export function stepSession(app: App, by: 1 | -1): void {
  const { byId, activeId, archivedOpen } = app.sessions.getState();
  const { settings, scratchDir } = app.settings.getState();
  const names = workspaceNames(byId, scratchDir);
  const ids = groupSessions(byId, { by: settings['sessions.groupBy'], filter: '', names, now: app.now() })
    .filter((group) => archivedOpen || group.kind !== 'archived')
    .flatMap((group) => group.sessions.map((session) => session.id));
  const next = ids[ids.indexOf(activeId ?? '') + by];
  if (next) app.activate(next);
}

/** Divides the list by workspace, or by time; remembered. */
export async function toggleGrouping(app: App): Promise<void> {
  const isByTime = app.settings.getState().settings['sessions.groupBy'] === 'time';
  await app.ask('settings.set', { key: 'sessions.groupBy', value: isByTime ? 'workspace' : 'time' });
}

/** Takes a message out of the queue; Undo puts its words and files back into the field. */
export async function removeQueued(app: App, item: { sessionId: string; itemId: string }): Promise<void> {
  const session = app.openSession(item.sessionId);
  const message = session.live.getState().queue.find(({ id }) => id === item.itemId);
  if ((await app.ask('queue.remove', item)) !== true || !message) return;
  const { text } = message;
  const attachments = message.attachments.map((file, at) => ({ ...file, id: `${item.itemId}-${at}` }));
  const branch = targetOfItem(message, session.live.getState().leafId);
  const undo = {
    label: 'Undo',
    onSelect: () =>
      session.draft.giveBack({ itemId: item.itemId, text, attachments, ...(branch ? { branch } : {}) }, null),
  };
  app.toast({ level: 'info', text: 'The message was removed from the queue.', action: undo });
}

/**
 * Escape: ends a summary alone while one shows, so that what it interrupts goes on; else the run (JB4). One that waits for its review
 * it leaves alone: the Escape that closed the review may have been pressed twice, and there may be work in it.
 */
export function stopOrCancel(app: App, { id }: SessionTarget): boolean {
  if (!isBusy(app, id)) return false;
  const { job } = app.openSession(id).live.getState();
  if (job?.review) return false;
  void app.ask(job ? 'session.cancelJob' : 'session.stop', { sessionId: id });
  return true;
}

/** Shows or hides the list of sessions. What is done in a narrow window is not remembered: there is no room for it. */
export function showSidebar(app: App, isShown: boolean): void {
  if (app.page.width() < SIDEBAR.roomFrom) app.ui.setState({ sidebarInNarrow: isShown });
  else app.setLayout({ sidebarCollapsed: !isShown });
}

/** Opens the graph with the keyboard in it, or closes it. */
export function toggleGraph(app: App): void {
  if (!isGraphShown(app.ui.getState(), app.page.width())) return openGraph(app, {});
  const hadFocus = app.page.hasFocus('graph');
  app.setLayout({ graphOpen: false, graphFull: false });
  // Below a graph in the whole window it can't take the keyboard until that is gone.
  if (hadFocus) app.page.focusOnceDrawn('composer');
}

/** Shows the graph, or the outline, and gives it the keyboard as soon as it is there. */
export function openGraph(app: App, layout: { graphOutline?: boolean; graphFull?: boolean }): void {
  app.setLayout({ graphOpen: true, ...layout });
  if (!isGraphShown(app.ui.getState(), app.page.width())) {
    // The search stands where the graph has to be.
    app.ui.setState({ searchOpen: false });
    app.search.close();
  }
  app.page.focusOnceDrawn(layout.graphOutline ? 'outline' : 'tree');
}

/** Makes the graph as wide as asked for. Wide enough to lie over the transcript it is wanted there: it would close under the hand. */
export function resizeGraph(app: App, graphWidth: number): void {
  const ui = app.ui.getState();
  const floats = doesGraphFloat({ ...ui, layout: { ...ui.layout, graphWidth } }, app.page.width());
  app.setLayout(floats ? { graphWidth, graphOpen: true } : { graphWidth });
}

/** The question that a session waits with. */
export function questionOf(app: App, { id }: SessionTarget): string | undefined {
  const { approvals, extensionQuestions } = app.openSession(id).live.getState();
  return approvals[0]?.id ?? extensionQuestions[0]?.id;
}

/**
 * Brings the question that waits into view and moves the keyboard to its card: to none of its answers. One of an extension that was put
 * aside has its dialog again.
 */
export function showQuestion(app: App, target: SessionTarget): void {
  const question = questionOf(app, target);
  const { extensionQuestions } = app.openSession(target.id).live.getState();
  if (question === extensionQuestions[0]?.id)
    return app.ui.setState(({ questionsAside }) => ({
      questionsAside: questionsAside.filter((id) => id !== question),
    }));
  const reply = newestReply(app.openSession(target.id));
  if (question === undefined) return;
  // Two branches that are compared lie over the card, and so does a graph in the whole window.
  app.ui.setState({ compared: null });
  if (hidesTranscript(app.ui.getState().layout)) app.setLayout({ graphFull: false });
  if (app.page.showQuestion(question)) return;
  if (reply !== undefined) app.ui.setState({ arrival: { sessionId: target.id, entryId: reply } });
}

/** The reply whose calls are being made. */
export function newestReply(session: OpenSession): string | undefined {
  return session.view.getState().rows.findLast(({ kind }) => kind === 'assistant')?.id;
}
