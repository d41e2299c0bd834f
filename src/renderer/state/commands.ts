/**
 * Every action of the app, once: the palette, the shortcuts, the slash commands of the composer and the menu all read
 * this list. A later feature adds its commands here and nowhere else.
 */
import type { MenuCommand } from '@shared/ipc/contract';
import type { SessionSummary } from '@shared/ipc/types';
import type { App } from './app';
import { hasQuestion, showQuestion } from './approval-actions';
import { BRANCH_COMMANDS } from './branch-commands';
import { compactSession, openCompactSheet, toggleAutoCompaction } from './compaction-actions';
import {
  chooseWorkspace,
  deleteSession,
  exportSession,
  focusComposer,
  importByDialog,
  newSession,
  renameSession,
  toggleArchived,
  togglePinned,
} from './session-actions';
import { openGraph, toggleGraph } from './graph-actions';
import { groupSessions, isRunning, sessionShown } from './sessions-store';

export { isRunning } from './sessions-store';

export interface Command {
  id: string;
  title: string;
  group: 'Session' | 'View' | 'Settings' | 'Help';
  /** Completed after `/` in the composer. */
  slash?: string;
  /** Shown behind the slash command where it takes a text. */
  argument?: string;
  /** That text may have several lines. */
  multiline?: boolean;
  /** `Mod+K`; see keys.ts. */
  keys?: string;
  /** Handled where the focus is, not globally; listed so that people find it. */
  localKeys?: boolean;
  enabled?: (app: App) => boolean;
  run: (app: App, argument: string) => void | Promise<void>;
}

export const COMMANDS: readonly Command[] = [
  {
    id: 'session.new',
    title: 'New session',
    group: 'Session',
    slash: 'new',
    keys: 'Mod+N',
    run: (app) => newSession(app),
  },
  {
    id: 'session.model',
    title: 'Choose the model',
    group: 'Session',
    slash: 'model',
    keys: 'Mod+Shift+M',
    enabled: hasSession,
    run: (app) => app.ui.setState({ modelPicker: true }),
  },
  {
    id: 'session.rename',
    title: 'Rename this session',
    group: 'Session',
    slash: 'name',
    argument: 'title',
    keys: 'F2',
    localKeys: true,
    enabled: hasSession,
    run: (app, argument) =>
      withSession(app, (session) => {
        if (argument) return renameSession(app, session.id, argument);
        app.ui.setState({ renaming: { sessionId: session.id, place: 'bar' } });
      }),
  },
  {
    id: 'session.workspace',
    title: 'Choose the workspace folder',
    group: 'Session',
    enabled: hasSession,
    run: (app) => withSession(app, (session) => chooseWorkspace(app, session.id)),
  },
  {
    id: 'session.context',
    title: 'Show what fills the context',
    group: 'Session',
    slash: 'context',
    enabled: (app) => activeUsage(app),
    run: (app) => app.ui.setState({ meter: true }),
  },
  {
    id: 'session.compact',
    title: 'Compact this session',
    group: 'Session',
    slash: 'compact',
    argument: 'what to look at in particular',
    enabled: (app) => activeUsage(app),
    run: (app, instructions) =>
      withSession(app, async (session) => void (await compactSession(app, session.id, { instructions }))),
  },
  {
    id: 'session.compactSheet',
    title: 'Compact with a cut line…',
    group: 'Session',
    enabled: (app) => activeUsage(app),
    run: (app) => withSession(app, (session) => openCompactSheet(app, session.id)),
  },
  {
    id: 'session.autocompact',
    title: 'Turn automatic compaction on or off',
    group: 'Session',
    slash: 'autocompact',
    run: (app) => toggleAutoCompaction(app),
  },
  ...BRANCH_COMMANDS,
  {
    id: 'session.stop',
    title: 'Stop the agent',
    group: 'Session',
    keys: 'Escape',
    localKeys: true,
    enabled: (app) => isRunning(activeSession(app)),
    run: (app) =>
      withSession(
        app,
        (session) => void app.attempt(() => app.client.request('session.stop', { sessionId: session.id })),
      ),
  },
  {
    id: 'session.question',
    title: 'Show the question that waits',
    group: 'Session',
    keys: 'Mod+J',
    enabled: (app) => hasQuestion(app),
    run: (app) => showQuestion(app),
  },
  {
    id: 'session.export',
    title: 'Export this session',
    group: 'Session',
    slash: 'export',
    keys: 'Mod+Shift+E',
    enabled: hasSession,
    run: (app) => withSession(app, (session) => exportSession(app, session.id)),
  },
  {
    id: 'session.import',
    title: 'Import sessions',
    group: 'Session',
    slash: 'import',
    keys: 'Mod+O',
    run: (app) => importByDialog(app),
  },
  {
    id: 'session.pin',
    title: 'Pin or unpin this session',
    group: 'Session',
    enabled: hasSession,
    run: (app) => withSession(app, (s) => togglePinned(app, s)),
  },
  {
    id: 'session.archive',
    title: 'Archive or unarchive this session',
    group: 'Session',
    enabled: hasSession,
    run: (app) => withSession(app, (s) => toggleArchived(app, s)),
  },
  {
    id: 'session.delete',
    title: 'Delete this session',
    group: 'Session',
    run: (app) => withSession(app, (s) => deleteSession(app, s)),
  },
  { id: 'session.next', title: 'Next session', group: 'View', keys: 'Mod+PageDown', run: (app) => step(app, 1) },
  { id: 'session.previous', title: 'Previous session', group: 'View', keys: 'Mod+PageUp', run: (app) => step(app, -1) },
  { id: 'view.composer', title: 'Write a message', group: 'View', keys: 'Mod+L', run: () => focusComposer() },
  { id: 'view.find', title: 'Find a session', group: 'View', keys: 'Mod+Shift+F', run: (app) => findSession(app) },
  {
    id: 'view.sidebar',
    title: 'Show or hide the sessions',
    group: 'View',
    keys: 'Mod+B',
    run: (app) => app.setLayout({ sidebarCollapsed: !app.ui.getState().layout.sidebarCollapsed }),
  },
  {
    id: 'view.graph',
    title: 'Show or hide the branches',
    group: 'View',
    keys: 'Mod+Shift+G',
    enabled: hasSession,
    run: (app) => toggleGraph(app),
  },
  {
    id: 'view.tree',
    title: 'Branches as an outline',
    group: 'View',
    slash: 'tree',
    enabled: hasSession,
    run: (app) => openGraph(app, { outline: true }),
  },
  {
    id: 'view.graphFull',
    title: 'Branches in the whole window',
    group: 'View',
    enabled: hasSession,
    run: (app) => {
      app.setLayout({ graphFull: true });
      openGraph(app, { outline: false });
    },
  },
  ...(['system', 'light', 'dark'] as const).map((theme): Command => ({
    id: `theme.${theme}`,
    title: `Theme: ${theme}`,
    group: 'Settings',
    run: (app) => void app.attempt(() => app.client.request('settings.set', { key: 'appearance.theme', value: theme })),
  })),
  {
    id: 'settings',
    title: 'Settings',
    group: 'Settings',
    slash: 'settings',
    keys: 'Mod+,',
    run: (app) => app.ui.setState({ settings: app.ui.getState().settings ?? 'providers' }),
  },
  {
    id: 'help',
    title: 'Keyboard shortcuts and commands',
    group: 'Help',
    slash: 'help',
    keys: 'F1',
    run: (app) => app.ui.setState({ help: true }),
  },
];

/** The palette is no entry of itself, but its key belongs to the list of shortcuts. */
export const PALETTE_KEYS = 'Mod+K';

export function activeSession(app: App): SessionSummary | undefined {
  const { activeId, byId } = app.sessions.getState();
  return activeId ? byId[activeId] : undefined;
}

/** The command that a composer text calls, with its argument, or null when the text is an ordinary message. */
export function parseSlash(text: string): { command: Command; argument: string } | null {
  const match = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const command = match ? COMMANDS.find((item) => item.slash === match[1]) : undefined;
  if (text.trim().includes('\n') && !command?.multiline) return null;
  return command ? { command, argument: match?.[2]?.trim() ?? '' } : null;
}

const MENU: Record<MenuCommand, string> = {
  'new-session': 'session.new',
  settings: 'settings',
  palette: 'palette',
  import: 'session.import',
  export: 'session.export',
  'toggle-sidebar': 'view.sidebar',
  'find-session': 'view.find',
};

/** Runs what the application menu asked for. */
export function runMenuCommand(app: App, menu: MenuCommand): void {
  if (menu === 'palette') return app.ui.setState((state) => ({ palette: !state.palette }));
  const command = COMMANDS.find((item) => item.id === MENU[menu]);
  if (command) runCommand(app, command, '');
}

/** Runs a command if it can act now. */
export function runCommand(app: App, command: Command, argument: string): void {
  if (command.enabled?.(app) === false) return;
  void command.run(app, argument);
}

function withSession(app: App, act: (session: SessionSummary) => void | Promise<void>): void | Promise<void> {
  const session = activeSession(app);
  return session ? act(session) : undefined;
}

function hasSession(app: App): boolean {
  return sessionShown(app.sessions.getState()) !== undefined;
}

function activeUsage(app: App): boolean {
  const session = sessionShown(app.sessions.getState());
  return session !== undefined && app.openSession(session.id).live.getState().usage !== null;
}

function step(app: App, by: 1 | -1): void {
  const { byId, activeId, archivedOpen } = app.sessions.getState();
  const ids = groupSessions(byId, '', app.now())
    .filter((group) => archivedOpen || group.name !== 'Archived')
    .flatMap((group) => group.sessions.map((session) => session.id));
  const next = ids[ids.indexOf(activeId ?? '') + by];
  if (next) app.activate(next);
}

function findSession(app: App): void {
  app.setLayout({ sidebarCollapsed: false });
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('[data-session-filter]')?.focus());
}
