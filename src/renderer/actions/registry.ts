/**
 * Every action of the app, once: palette, menus, buttons, keys, slash commands and help read this list, in its order. A
 * menu is a list of ids (`menus.ts`).
 */
import { APP_MENU } from '@shared/app-menu';
import type { SessionRequest } from '@shared/session-state/phases';
import type { RowKind } from '@shared/session-state/state';
import type { App } from '../state/app-type';
import { isSidebarOpen } from '../state/ui-store';
import { isBusy, on, takes, type Action, type Kind, type Refusal, type SessionTarget, type Verdict } from './action';
import * as search from './ways';
import { attendNext, canAttendNext } from './ways';
import * as branches from './branches';
import * as compaction from './compaction';
import { openImport } from './folder-import';
import { ENTRY_ACTIONS } from './entry-actions';
import * as moves from './moves';
import * as reading from './reading';
import * as sessions from './sessions';
import * as texts from './texts';
import { openTour } from './tour';

/** A request about a session that needs no more than its id. */
const ask =
  (request: 'session.stop' | 'session.retry' | 'session.dismissFailure' | 'session.skipRetryWait' | 'queue.send') =>
  (app: App, { id }: SessionTarget) =>
    app.ask(request, { sessionId: id });

const liveOf = (app: App, { id }: SessionTarget) => app.openSession(id).live.getState();
const EMPTY: Refusal = { text: 'This session has no messages yet.' };
const NOTHING_SENT: Refusal = { text: 'Nothing has been sent in this session yet.' };

const hasMessages = (app: App, target: SessionTarget): Verdict => liveOf(app, target).leafId !== null || EMPTY;
const hasUsage = (app: App, target: SessionTarget): Verdict => liveOf(app, target).usage !== null || NOTHING_SENT;

/** With messages, and where main would take the request now. */
const takesMessages =
  (request: SessionRequest) =>
  (app: App, target: SessionTarget): Verdict =>
    liveOf(app, target).leafId === null ? EMPTY : takes(app, target.id, request);

/** Rows that put nothing into the context. */
const SILENT = new Set<RowKind>(['modelChange', 'thinkingChange', 'opaque', 'reference', 'unknown', 'silent']);

function canCut(app: App, target: SessionTarget): Verdict {
  const { rows } = app.openSession(target.id).view.getState();
  if (!rows.some(({ kind }) => !SILENT.has(kind))) return { text: 'Nothing to compact yet' };
  return takes(app, target.id, 'compact');
}

const theme = (theme: 'system' | 'light' | 'dark') =>
  on('app', {
    label: `Theme: ${theme}`,
    run: (app) => app.ask('settings.set', { key: 'appearance.theme', value: theme }),
  });

/** Actions that stand in the palette, below a heading. */
function below<T extends Record<string, { on: Kind }>>(group: Action['group'], actions: T): T {
  return Object.fromEntries(Object.entries(actions).map(([id, action]) => [id, { ...action, group }])) as unknown as T;
}

const openSettings = (app: App): void => app.ui.setState(({ settings }) => ({ settings: settings ?? 'providers' }));
const openModels = (app: App): void => app.ui.setState({ modelPicker: true });

export const ACTIONS = {
  'view.palette': on('app', {
    ...APP_MENU['view.palette'],
    run: (app) => app.ui.setState(({ palette }) => ({ palette: !palette })),
  }),
  ...below('Session', {
    'session.new': on('app', { ...APP_MENU['session.new'], slash: 'new', run: sessions.newSession }),
    'session.model': on('session', { label: 'Choose the model', slash: 'model', keys: 'Mod+Shift+M', run: openModels }),
    'session.rename': on('session', {
      label: 'Rename this session',
      short: 'Rename',
      slash: 'name',
      argument: 'title',
      keys: 'F2',
      isLocal: true,
      ownKeys: 'F2',
      run: (app, { id, inList }, title) =>
        title
          ? sessions.renameSession(app, { id }, title)
          : app.ui.setState({ renaming: { sessionId: id, place: inList ? 'list' : 'bar' } }),
    }),
    'session.workspace': on('session', {
      label: 'Choose the workspace folder',
      run: sessions.chooseFolder,
    }),
    'session.context': on('session', {
      label: 'Show context usage',
      slash: 'context',
      isEnabled: hasUsage,
      run: (app) => app.ui.setState({ meter: true }),
    }),
    'session.compact': on('session', {
      label: 'Compact this session',
      slash: 'compact',
      argument: 'focus',
      isEnabled: (app, target) => (liveOf(app, target).usage === null ? EMPTY : takes(app, target.id, 'compact')),
      run: (app, { id }, instructions) => compaction.compactNow(app, id, instructions),
    }),
    'session.compactSheet': on('session', {
      label: 'Compact with a cut line…',
      isEnabled: canCut,
      run: (app, { id }) => app.ui.setState({ compactSheet: id, meter: false }),
    }),
    'session.autocompact': on('app', {
      label: 'Toggle automatic compaction',
      slash: 'autocompact',
      argument: 'on or off',
      run: compaction.toggleAutoCompaction,
    }),
    'branch.back': on('session', {
      label: 'Back to the previous branch',
      keys: 'Alt+ArrowLeft',
      isEnabled: (app, { id }) => takes(app, id, 'navigate'),
      run: (app, target) => moves.stepThroughLeaves(app, target, 'back'),
    }),
    'branch.forward': on('session', {
      label: 'Forward to the next branch',
      keys: 'Alt+ArrowRight',
      isEnabled: (app, { id }) => takes(app, id, 'navigate'),
      run: (app, target) => moves.stepThroughLeaves(app, target, 'forward'),
    }),
    'reading.go': on('session', {
      label: 'Go to the branch that is read',
      short: 'Go here',
      isEnabled: reading.canGoToRead,
      run: reading.goToRead,
    }),
    'reading.back': on('session', {
      label: 'Back to the path of HEAD',
      short: 'Back',
      isEnabled: reading.isReading,
      run: reading.leaveReading,
    }),
    'branch.fork': on('session', {
      label: 'Fork this branch to a new session',
      slash: 'fork',
      isEnabled: hasMessages,
      run: (app, { id }) => branches.fork(app, id),
    }),
    'branch.handoff': on('session', {
      label: 'Hand off to a new session',
      slash: 'handoff',
      argument: 'goal',
      multiline: true,
      isEnabled: takesMessages('handoff'),
      run: branches.handOff,
    }),
    'branch.clear': on('session', {
      label: 'Start over and keep the conversation as a branch',
      slash: 'clear',
      isEnabled: takesMessages('navigate'),
      run: moves.clear,
    }),
    'branch.label': on('session', {
      label: 'Label the newest message',
      slash: 'label',
      argument: 'text',
      isEnabled: (app, target) => branches.newestMessage(app, target) !== null || EMPTY,
      run: branches.labelNewest,
    }),
    'branch.context': on('session', {
      label: 'What the model sees now',
      isEnabled: hasMessages,
      run: (app, { id }) => moves.openDialog(app, { kind: 'context', sessionId: id, entryId: null }),
    }),
    'session.stop': on('session', {
      label: 'Stop the agent',
      short: 'Stop',
      keys: 'Escape',
      isLocal: true,
      isEnabled: (app, { id }) => isBusy(app, id),
      run: ask('session.stop'),
    }),
    'session.question': on('session', {
      label: 'Show the pending question',
      short: 'Show',
      keys: 'Mod+J',
      isEnabled: (app, target) => sessions.questionOf(app, target) !== undefined,
      run: sessions.showQuestion,
    }),
    'session.nextWaiting': on('app', {
      label: 'Next session that waits for you',
      short: 'Next one that waits',
      keys: 'Alt+W',
      isEnabled: canAttendNext,
      run: attendNext,
    }),
    'session.export': on('session', {
      ...APP_MENU['session.export'],
      slash: 'export',
      run: (app, target) => sessions.exportSession(app, target),
    }),
    'session.exportPage': on('session', {
      label: 'Export this session as a web page, with all branches',
      short: 'Export as a web page…',
      run: (app, target) => sessions.exportSession(app, target, 'page', 'tree'),
    }),
    'session.exportMarkdown': on('session', {
      label: 'Export the branch that is shown as Markdown',
      short: 'Export as Markdown…',
      run: (app, target) => sessions.exportSession(app, target, 'markdown'),
    }),
    'session.exportBranch': on('session', {
      label: 'Export the branch that is shown as a web page',
      run: (app, target) => sessions.exportSession(app, target, 'page'),
    }),
    'session.copyAll': on('session', {
      label: 'Copy the branch that is shown as Markdown',
      short: 'Copy this path as Markdown',
      // Of another session no branch is shown.
      isEnabled: (app, target) => app.sessions.getState().activeId === target.id && hasMessages(app, target),
      run: (app, { id }) => texts.copyTranscript(app, id),
    }),
    'session.import': on('app', { ...APP_MENU['session.import'], slash: 'import', run: sessions.importByDialog }),
    'session.importAll': on('app', { ...APP_MENU['session.importAll'], run: openImport }),
    'session.pin': on('session', {
      label: 'Pin or unpin this session',
      short: (app, target) => (sessions.summaryOf(app, target)?.pinned ? 'Unpin' : 'Pin'),
      run: sessions.togglePinned,
    }),
    'session.archive': on('session', {
      label: 'Archive or unarchive this session',
      short: (app, target) => (sessions.summaryOf(app, target)?.archived ? 'Unarchive' : 'Archive'),
      run: sessions.toggleArchived,
    }),
    'session.deleted': on('app', {
      label: 'Recently deleted sessions',
      short: 'Recently deleted',
      run: (app) => app.ui.setState({ deletedOpen: true }),
    }),
    'session.delete': on('file', {
      label: 'Delete this session',
      short: (app, target) => (sessions.summaryOf(app, target)?.foreign ? 'Remove' : 'Delete'),
      ownKeys: 'Delete',
      isDanger: true,
      run: sessions.deleteSession,
    }),
  }),
  ...below('View', {
    'session.next': on('app', {
      label: 'Next session',
      keys: 'Mod+PageDown',
      run: (app) => sessions.stepSession(app, 1),
    }),
    'session.previous': on('app', {
      label: 'Previous session',
      keys: 'Mod+PageUp',
      run: (app) => sessions.stepSession(app, -1),
    }),
    'view.composer': on('app', { label: 'Write a message', keys: 'Mod+L', run: (app) => app.page.focus('composer') }),
    'view.find': on('app', {
      ...APP_MENU['view.find'],
      run: (app) => search.openSearch(app),
    }),
    'view.findHere': on('session', {
      label: 'Find in this session',
      keys: 'Mod+F',
      run: (app, { id }) => search.openFind(app, id),
    }),
    'view.findNext': on('session', {
      label: 'Next hit',
      keys: 'F3',
      isEnabled: (app, { id }) => search.isFinding(app, id),
      run: (app) => app.find.step(1, app.page.spots()),
    }),
    'view.findPrevious': on('session', {
      label: 'Previous hit',
      keys: 'Shift+F3',
      isEnabled: (app, { id }) => search.isFinding(app, id),
      run: (app) => app.find.step(-1, app.page.spots()),
    }),
    'view.sidebar': on('app', {
      ...APP_MENU['view.sidebar'],
      run: (app) => sessions.showSidebar(app, !isSidebarOpen(app.ui.getState(), app.page.width())),
    }),
    'view.grouping': on('app', {
      label: 'Group sessions by workspace or by time',
      short: (app) =>
        app.settings.getState().settings['sessions.groupBy'] === 'time' ? 'Group by workspace' : 'Group by time',
      run: sessions.toggleGrouping,
    }),
    'view.graph': on('session', { label: 'Toggle branches', keys: 'Mod+Shift+G', run: sessions.toggleGraph }),
    'view.tree': on('session', {
      label: 'Branches as an outline',
      slash: 'tree',
      run: (app) => sessions.openGraph(app, { graphOutline: true }),
    }),
    'view.graphFull': on('session', {
      label: 'Branches in the full window',
      run: (app) => sessions.openGraph(app, { graphOutline: false, graphFull: true }),
    }),
    'view.sortBranches': on('session', {
      label: 'Sort branches by activity',
      isEnabled: (app, { id }) => app.openSession(id).graph.state.getState().status === 'ready',
      run: (app, { id }) => branches.sortGraph(app, app.openSession(id).graph),
    }),
  }),
  ...below('Settings', {
    'theme.system': theme('system'),
    'theme.light': theme('light'),
    'theme.dark': theme('dark'),
    settings: on('app', { ...APP_MENU.settings, slash: 'settings', run: openSettings }),
  }),
  ...below('Help', {
    help: on('app', {
      label: 'Keyboard shortcuts and commands',
      slash: 'help',
      keys: 'F1',
      run: (app) => app.ui.setState({ help: true }),
    }),
    'tour.open': on('app', { ...APP_MENU['tour.open'], run: openTour }),
  }),

  'view.branches': on('session', { label: 'Show branches', run: (app) => sessions.openGraph(app, {}) }),
  // At the end of a transcript: what can be done about a turn that failed, waits or was cut off.
  'turn.show': on('session', {
    label: 'Show what failed',
    short: 'Show',
    run: (app, { id }) => app.ui.setState({ arrival: { sessionId: id, entryId: null } }),
  }),
  'turn.watch': on('session', { label: 'Show what HEAD is doing', short: 'Show', run: reading.showHead }),
  'turn.retry': on('session', { label: 'Retry', run: ask('session.retry') }),
  'turn.continue': on('session', { label: 'Continue', run: ask('session.retry') }),
  'turn.compact': on('session', {
    label: 'Compact and retry',
    run: (app, { id }) => compaction.compactSession(app, id, { instructions: '', retry: true }),
  }),
  'turn.undo': on('session', {
    label: 'Undo the compaction and retry',
    run: (app, { id }) => compaction.undoAndRetry(app, id),
  }),
  'turn.drop': on('session', {
    label: 'Retry without images and long outputs',
    run: (app, { id }) => app.ask('session.retry', { sessionId: id, dropsLarge: true }),
  }),
  'turn.settings': on('session', { label: 'Open settings', run: openSettings }),
  'turn.model': on('session', { label: 'Choose another model', run: openModels }),
  'turn.dismiss': on('session', { label: 'Dismiss', run: ask('session.dismissFailure') }),
  'turn.retryNow': on('session', { label: 'Retry now', run: ask('session.skipRetryWait') }),
  'queue.send': on('session', { label: 'Send', run: ask('queue.send') }),
  'queue.remove': on('queued', {
    label: 'Remove this message',
    run: sessions.removeQueued,
  }),
  'queue.edit': on('queued', { label: 'Edit this message', run: moves.editQueued }),
  'queue.sendOne': on('queued', {
    label: 'Send this message',
    short: 'Send',
    run: (app, target) => app.ask('queue.send', target),
  }),
  'session.showFile': on('file', {
    label: 'Show in folder',
    run: (app, { id }) => app.ask('sessions.showInFolder', { sessionId: id }),
  }),
  ...ENTRY_ACTIONS,
} satisfies Record<string, { on: Kind }>;
