/** The window's state as a whole: starts from main's bootstrap, applies events, keeps sessions open. */
import { own } from '@shared/checks';
import type { AppEvent } from '@shared/ipc/contract';
import type { Bootstrap, Notice } from '@shared/types';
import { toAppError, type Client } from '../bridge';
import type { App } from './app-type';
import { createAnnouncer } from './announcements';
import { withLeft } from './branch-state';
import { createDrafts, sessionsOfDrafts } from './draft-store';
import { type LocalStore, trackWrites } from './local-store';
import { hearExtension } from './extension-says';
import { hearImport } from './import-says';
import { tellJobEnd } from './summary-jobs';
import { createEventOrder, inOrder, isOfSession } from './order';
import { createFaultReporter, type Deed, watchRequests } from './failures';
import { createLayoutMemory, keepVisited, soon } from './ui-memory';
import { NO_PAGE, type Page } from './page';
import { ENTRY_ID_LENGTH } from '@shared/session/records/ids';
import { createOpenSession, type OpenSession } from './open-session';
import { applyToSessions, createSessionsStore, nextActive, shownTitle } from './sessions-store';
import { createSettingsStore, settingsFromBootstrap } from './settings-store';
import { createUiStore, type UiState, withoutErrorsOf, withToast } from './ui-store';
import { createFindStore } from './find-store';
import { createSearchStore } from './search-store';
import { createTerminalsStore } from './terminals-store';
import { createSlashStore } from './slash-store';

/** Sessions that stay ready in memory; more would break the heap bar of QP5. */
const MAX_OPEN_SESSIONS = 3;

export interface AppOptions {
  client: Client;
  local: LocalStore;
  page?: Page;
  now?: () => number;
  newId?: () => string;
}

/** Makes the state; nothing is requested until `start`. */
export function createApp({ page = NO_PAGE, now = Date.now, newId = randomId, ...options }: AppOptions): App {
  const { client: direct, deedBehind } = watchRequests(options.client, forgive);
  const { client, hold } = inOrder(direct);
  const { local, written } = trackWrites(options.local);
  const sessions = createSessionsStore();
  const settings = createSettingsStore();
  const ui = createUiStore();
  const search = createSearchStore(client);
  const find = createFindStore(client);
  const slash = createSlashStore(client);
  const open = new Map<string, OpenSession>();
  const drafts = createDrafts(local);
  const layout = createLayoutMemory(local, ui);
  const visits = keepVisited(local, ui);
  const reportFault = createFaultReporter(client);
  let endEvents: (() => void) | null = null;
  /** A session that was asked for outside the window before the list was there. */
  let wanted: string | null = null;
  /** What the start before this one showed last, as far as main knows. */
  let lastShown: string | null = null;
  /** What is done after all leaves no error of it on screen (GR25). */
  function forgive(deed: Deed): void {
    ui.setState(({ toasts }) => ({ toasts: withoutErrorsOf(toasts, deed) }));
  }

  function openSession(sessionId: string): OpenSession {
    const known = open.get(sessionId);
    if (known) {
      open.delete(sessionId);
      open.set(sessionId, known);
      return known;
    }
    const session = createOpenSession(sessionId, {
      ...{ client: direct, local, newId, draft: drafts.of(sessionId) },
      hold: (until) => hold(sessionId, until),
    });
    open.set(sessionId, session);
    session.draft.open();
    visits.open(sessionId);
    void session.refresh();
    closeOldest();
    return session;
  }

  function closeOldest(): void {
    for (const [id, session] of open) {
      if (open.size <= MAX_OPEN_SESSIONS) return;
      // A prompt on its way is shown by nothing else.
      if (id === sessions.getState().activeId || session.view.getState().pending.length > 0) continue;
      closeSession(id);
      slash.forget(id);
    }
  }

  function closeSession(sessionId: string): void {
    const session = open.get(sessionId);
    open.delete(sessionId);
    session?.close();
    session?.draft.close();
  }

  function activate(sessionId: string): void {
    const shown = own(sessions.getState().byId, sessionId);
    if (!shown) return;
    if (shown.foreign !== undefined) return showForeign(sessionId);
    const isWriting = page.hasFocus('composer');
    // Main knows before anything of it is drawn, and remembers it for the next start: docs/specs/safety.md A4, WN3.
    const isOther = sessions.getState().activeId !== sessionId;
    if (isOther) client.request('app.drawing', { sessionId, state: 'begins' }).catch(() => undefined);
    const { safeSession } = ui.getState();
    ui.setState({ afterBlank: null, safeSession: safeSession === sessionId ? safeSession : null });
    sessions.setState({ activeId: sessionId });
    const session = openSession(sessionId);
    // Opened while it was deleted, or could not be read: it may be there now.
    if (session.view.getState().status === 'failed') void session.refresh();
    session.draft.bringBack();
    // Who wrote writes on: with its session a composer goes, and the keyboard with it.
    if (isOther && isWriting) page.focusOnceDrawn('composer');
  }

  /** Nothing of such a file is drawn, and the next start opens the session that was shown before it. */
  function showForeign(sessionId: string): void {
    client.request('app.drawing', { sessionId, state: 'none' }).catch(() => undefined);
    ui.setState({ afterBlank: null, safeSession: null });
    sessions.setState({ activeId: sessionId });
  }

  function leave(goneId: string): void {
    const state = sessions.getState();
    if (state.activeId !== goneId) return;
    const next = nextActive(state, goneId);
    if (next) activate(next);
    else void app.attempt(createFirst);
  }

  /** What the bootstrap tells as well. */
  const order = createEventOrder((event) => {
    sessions.setState((state) => applyToSessions(state, event), true);
    switch (event.type) {
      case 'settings_changed':
        settings.setState({ settings: event.settings });
        break;
      case 'models_changed':
        settings.setState({ providers: event.providers });
        break;
      case 'notice':
        ui.setState(({ notices }) => ({ notices: [...notices.filter(isOther(event.notice)), withId(event.notice)] }));
        break;
      case 'notice_over':
        ui.setState(({ notices }) => ({
          notices: notices.filter(({ code, sessionId }) => code !== event.code || sessionId !== event.sessionId),
        }));
        break;
      default:
        break; // Says nothing of settings, models and notices.
    }
  });

  const withId = (notice: Notice): UiState['notices'][number] => ({ ...notice, id: newId() });

  function apply(event: AppEvent, batch: number): void {
    order.accept(event, batch);
    if (isOfSession(event)) open.get(event.sessionId)?.apply(event);
    announceEvent(event);
    switch (event.type) {
      case 'leaf_changed':
        // A branch was begun, maybe long after its message was written.
        if (event.reason === 'branch')
          ui.setState(({ visited }) => withLeft(visited, event.sessionId, event.oldLeafId));
        break;
      case 'job_end':
        tellJobEnd(app, event, sessionTitle(event.sessionId), forgive);
        break;
      case 'session_removed':
        closeSession(event.sessionId);
        drafts.remove(event.sessionId);
        leave(event.sessionId);
        // Last: it draws what is shown anew, and drawing opens what it draws.
        slash.forget(event.sessionId);
        break;
      case 'session_reloaded':
        void open.get(event.sessionId)?.reload();
        if (event.goesOnIn && sessions.getState().activeId === event.sessionId) activate(event.goesOnIn);
        break;
      case 'trust_changed':
        ui.setState(({ trustChanges }) => ({ trustChanges: trustChanges + 1 }));
        slash.changed();
        break;
      case 'commands_changed':
        slash.changed(event.sessionId);
        break;
      case 'extension_asks':
      case 'extension_answered':
      case 'extensions_changed':
      case 'extension_frame':
      case 'extension_notice':
      case 'extension_text':
      case 'extension_typed':
        hearExtension(app, event);
        break;
      case 'mcp_changed':
        ui.setState(({ mcpChanges }) => ({ mcpChanges: mcpChanges + 1 }));
        break;
      case 'storage_state':
        ui.setState({ storage: { state: event.state, detail: event.detail } });
        break;
      case 'command':
        app.onCommand(event.command);
        break;
      case 'attend':
        wanted = event.sessionId;
        showWanted();
        break;
      case 'closing':
        for (const session of open.values()) session.flush();
        void drafts
          .flush()
          .then(written)
          .then(() => client.request('app.written', {}).catch(() => undefined));
        break;
      default:
        hearImport(app, event); // All else the session's own view or the list shows.
    }
  }

  /** Shows what was asked for outside the window, once the list is there. Returns whether it did. */
  function showWanted(): boolean {
    const id = wanted;
    if (id === null || !settings.getState().loaded) return false;
    wanted = null;
    if (!own(sessions.getState().byId, id)) return false;
    app.onAttend(id);
    return true;
  }

  /** One bad event takes none of those that follow with it. */
  function applySafely(event: AppEvent, batch: number): void {
    try {
      apply(event, batch);
    } catch (cause) {
      reportFault(`The event ${String(event.type)}`, cause);
    }
  }

  function sessionTitle(sessionId: string): string {
    return shownTitle({ title: own(sessions.getState().byId, sessionId)?.title ?? '' });
  }

  /** After lost events nothing in the window can be trusted: everything is read again. */
  async function resync(): Promise<void> {
    await readBootstrap();
    showWanted();
    await Promise.all([...open.values()].map((session) => session.refresh()));
  }

  async function readBootstrap(): Promise<void> {
    await order.read(() => client.request('app.bootstrap', {}), takeBootstrap);
  }

  function takeBootstrap(boot: Bootstrap): void {
    settings.setState(settingsFromBootstrap(boot), true);
    const byId = Object.fromEntries(boot.sessions.map((summary) => [summary.id, summary]));
    sessions.setState({ byId });
    const notices = boot.notices.map(withId);
    ui.setState({ notices, startProblem: null, tourSeen: boot.tourSeen });
    wanted ??= boot.attend;
    lastShown = boot.lastShown;
    if (boot.afterBlank && own(byId, boot.afterBlank.sessionId)) ui.setState({ afterBlank: boot.afterBlank });
  }

  async function start(): Promise<void> {
    endEvents ??= client.onEvents(
      (events, batch) => events.forEach((event) => applySafely(event, batch)),
      () => void app.attempt(resync),
    );
    try {
      // First of all: from here on main delivers events, so nothing falls between the answers below and the stream. Main
      // takes requests in order; waiting for this one would only cost a way there and back.
      const ready = client.request('app.ready', {});
      const drafted = local.draftsAlone().catch(() => []);
      const early = soon(drafted);
      await Promise.all([layout.restore(), readBootstrap(), ready]);
      const brought = bringDrafts(drafted);
      // A late database adds its sessions later: one wait is enough for the first screen.
      if (await early) await soon(brought);
      await openFirst();
      const { activeId: first } = sessions.getState();
      const isMissing = lastShown !== null && own(sessions.getState().byId, lastShown) === undefined;
      if (first !== null && isMissing)
        void brought.then(
          () => showLate(first),
          () => undefined,
        );
    } catch (cause) {
      ui.setState({ startProblem: toAppError(cause).message });
    }
  }

  async function bringDrafts(drafted: Promise<string[]>): Promise<void> {
    const unknown = (await drafted).filter((id) => own(sessions.getState().byId, id) === undefined);
    const made = await sessionsOfDrafts(client, unknown);
    if (made.length === 0) return;
    sessions.setState(({ byId }) => ({ byId: { ...Object.fromEntries(made.map((one) => [one.id, one])), ...byId } }));
  }

  async function openFirst(): Promise<void> {
    if (ui.getState().afterBlank) return;
    const state = sessions.getState();
    // Asked for already, while this waited, or now.
    if (state.activeId !== null || showWanted()) return;
    const known = lastShown === null ? undefined : own(state.byId, lastShown);
    const id = known && !known.archived && known.foreign === undefined ? known.id : nextActive(state, '');
    if (id) activate(id);
    else await createFirst();
  }

  /** What was shown last came with a late database: it is shown after all, unless the person goes on with the first. */
  function showLate(first: string): void {
    const goesOn = sessions.getState().activeId !== first || drafts.of(first).acts() > 0;
    if (lastShown !== null && !goesOn) activate(lastShown);
  }

  async function createFirst(): Promise<void> {
    const summary = await client.request('sessions.create', {});
    sessions.setState(({ byId }) => ({ byId: { ...byId, [summary.id]: summary } }));
    activate(summary.id);
  }

  const app: App = {
    client,
    local,
    sessions,
    settings,
    ui,
    search,
    find,
    slash,
    terminals: createTerminalsStore(),
    page,
    now,
    start,
    openSession,
    draftOf: drafts.of,
    activate,
    openSafely(sessionId) {
      ui.setState({ safeSession: sessionId });
      activate(sessionId);
    },
    leave,
    reportFault,
    toast(toast) {
      if (toast.of && toast.level !== 'error') forgive(toast.of);
      const told = withToast(ui.getState().toasts, toast, newId);
      ui.setState({ toasts: told.toasts });
      return told.id;
    },
    dismissToast(id) {
      ui.setState((state) => ({ toasts: state.toasts.filter((toast) => toast.id !== id) }));
    },
    announce: (announcement) => ui.setState({ announcement }),
    setLocalProblem: (localProblem) => ui.setState({ localProblem }),
    setLayout: layout.set,
    async attempt(task) {
      try {
        return await task();
      } catch (cause) {
        app.toast({ level: 'error', text: toAppError(cause).message, of: deedBehind(cause) });
        return undefined;
      }
    },
    ask: (name, params) => app.attempt(() => client.request(name, params)),
    did: async (name, params) => (await app.attempt(() => client.request(name, params).then(() => true))) === true,
    onCommand: () => undefined,
    onAttend: () => undefined,
    stop() {
      endEvents?.();
      endEvents = null;
      search.stop();
      find.stop();
      for (const session of open.values()) session.close();
      void drafts.flush();
      open.clear();
    },
  };
  const announceEvent = createAnnouncer(app, sessionTitle);
  return app;
}

/** Not the same conflict once more. */
function isOther({ conflict, sessionId }: Notice): (other: Notice) => boolean {
  return (other) => !(conflict && other.conflict && other.sessionId === sessionId);
}

/** Lowercase hex digits in the form of entry ids (SF5). */
function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(ENTRY_ID_LENGTH / 2))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
