import { type DragEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { actHere } from '../actions/menus';
import { importDropped, showSidebar } from '../actions/sessions';
import { attend, closeSearch } from '../actions/ways';
import { attachFiles } from '../features/composer/attach';
import { DialogBoundary, PaneBoundary } from '../features/faults/pane-boundary';
import { RootBoundary } from '../features/faults/root-boundary';
import { AppNotices, AppToasts } from '../features/notices/app-notices';
import { Palette } from '../features/palette/palette';
import { AfterBlankPage, SafeSession } from '../features/safe/safe-session';
import { Sidebar } from '../features/sessions/sidebar';
import { followSelectAll } from '../features/texts/select-all';
import { TextMenu } from '../features/texts/text-menu';
import type { App } from '../state/app-type';
import { AppContext, lookAgain, useApp, useSessions, useSettings, useUi } from '../state/hooks';
import { sessionShown } from '../state/sessions-store';
import { SIDEBAR } from '../state/ui-store';
import { Button, EmptyState, Spinner, SplitPane, TooltipProvider, VisuallyHidden } from '../ui';
import styles from './app.module.css';
import { followTheme, followTitle } from './document';
import { handleKeys } from './keyboard';
import { DeletedDialog, HelpDialog, ImportDialog, SearchPanel, SettingsDialog } from './later';
import { useGraphOpen, useSearchWidth, useSidebarOpen } from './open-panes';
import { ForeignFile, SessionPane } from './session-pane';
import { own } from '@shared/checks';

/** Files may be dropped anywhere: session files are imported, all others go to the composer. */
function DropTarget({ children }: { children: ReactNode }) {
  const app = useApp();
  const depth = useRef(0);
  const [over, setOver] = useState(false);

  function enter(event: DragEvent, by: 1 | -1): void {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  }

  function onDrop(event: DragEvent): void {
    depth.current = 0;
    setOver(false);
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    const sessions = files.filter((file) => /\.jsonl$/i.test(file.name));
    const others = files.filter((file) => !sessions.includes(file));
    void importDropped(app, sessions);
    const { activeId } = app.sessions.getState();
    if (activeId) void attachFiles(app.openSession(activeId), others);
  }

  return (
    <div
      className={styles.window}
      onDragEnter={(event) => enter(event, 1)}
      onDragLeave={(event) => enter(event, -1)}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={onDrop}
    >
      {children}
      {over && (
        <div className={styles.drop} aria-hidden>
          <p>Drop to attach. Session files (.jsonl) are imported.</p>
        </div>
      )}
    </div>
  );
}

/** The whole window: sessions left, the active session right, dialogs above. */
function Window() {
  const app = useApp();
  const layout = useUi((ui) => ui.layout);
  const isGraphOpen = useGraphOpen();
  const isSidebarOpen = useSidebarOpen();
  const searchSize = useSearchWidth();
  const isSearching = useUi((ui) => ui.searchOpen);
  // What the sheet lies over is not to be reached behind it (GR14).
  const isComparing = useUi((ui) => ui.compared !== null);
  const isFull = useSessions((state) => sessionShown(state) !== undefined) && isGraphOpen && layout.graphFull;
  const announcement = useUi((ui) => ui.announcement);
  const notices = useUi((ui) => ui.notices);
  const sessions = useSessions((state) => state.byId);
  return (
    <DropTarget>
      <SplitPane
        fixedSide="start"
        size={isSearching ? searchSize : layout.sidebarWidth}
        min={isSearching ? searchSize : SIDEBAR.min}
        max={isSearching ? searchSize : SIDEBAR.max}
        collapsed={!isSidebarOpen && !isSearching}
        onSizeChange={(sidebarWidth) => isSearching || app.setLayout({ sidebarWidth })}
        onCollapsedChange={(isCollapsed) => (isSearching ? closeSearch(app) : showSidebar(app, !isCollapsed))}
        label="Resize sessions"
        fixed={
          <div className={styles.sidebar} inert={isFull || isComparing}>
            <PaneBoundary name="The list of sessions" inputs={[sessions, isSearching]}>
              {isSearching ? <SearchPanel /> : <Sidebar />}
            </PaneBoundary>
          </div>
        }
      >
        <main className={styles.main}>
          <PaneBoundary name="A notice" inputs={[notices]}>
            <AppNotices />
          </PaneBoundary>
          <Content />
        </main>
      </SplitPane>
      <WindowDialogs />
      <AppToasts />
      <TextMenu />
      <div aria-live="polite">
        <VisuallyHidden>{announcement}</VisuallyHidden>
      </div>
    </DropTarget>
  );
}

function WindowDialogs() {
  const app = useApp();
  const { palette, help, settings, deletedOpen, importOpen } = app.ui.getState();
  useUi((ui) => [ui.palette, ui.help, ui.settings, ui.deletedOpen, ui.importOpen].join());
  return (
    <>
      <DialogBoundary name="The palette" inputs={[palette]} onClose={() => app.ui.setState({ palette: false })}>
        <Palette />
      </DialogBoundary>
      <DialogBoundary name="Help" inputs={[help]} onClose={() => app.ui.setState({ help: false })}>
        <HelpDialog />
      </DialogBoundary>
      <DialogBoundary
        name="The list of deleted sessions"
        inputs={[deletedOpen]}
        onClose={() => app.ui.setState({ deletedOpen: false })}
      >
        <DeletedDialog />
      </DialogBoundary>
      <DialogBoundary
        name="The import of sessions"
        inputs={[importOpen]}
        onClose={() => app.ui.setState({ importOpen: false })}
      >
        <ImportDialog />
      </DialogBoundary>
      <DialogBoundary name="Settings" inputs={[settings]} onClose={() => app.ui.setState({ settings: null })}>
        <SettingsDialog />
      </DialogBoundary>
    </>
  );
}

function Content() {
  const app = useApp();
  const problem = useUi((ui) => ui.startProblem);
  const loaded = useSettings((state) => state.loaded);
  const activeId = useSessions((state) => state.activeId);
  const foreign = useSessions((state) => {
    const shown = activeId === null ? undefined : own(state.byId, activeId);
    return shown?.foreign === undefined ? null : shown;
  });
  const afterBlank = useUi((ui) => ui.afterBlank);
  const isSafe = useUi((ui) => activeId !== null && ui.safeSession === activeId);
  if (problem) {
    return (
      <EmptyState
        title="Espalier could not start"
        actions={<Button onClick={() => void app.start()}>Try again</Button>}
      >
        {problem} Your sessions are on disk and unchanged.
      </EmptyState>
    );
  }
  if (afterBlank && !activeId) return <AfterBlankPage afterBlank={afterBlank} />;
  if (!loaded || !activeId) {
    return (
      <div className={styles.waiting}>
        <Spinner label="Opening your sessions" size={18} />
      </div>
    );
  }
  if (foreign) return <ForeignFile file={foreign} />;
  return (
    <PaneBoundary key={activeId} name="This session">
      {isSafe ? <SafeSession session={app.openSession(activeId)} /> : <SessionPane sessionId={activeId} />}
    </PaneBoundary>
  );
}

/** The window's React tree over one app state. */
export function Root({ app }: { app: App }) {
  useEffect(() => followTheme(app), [app]);
  useEffect(() => followTitle(app), [app]);
  useEffect(() => handleKeys(app), [app]);
  useEffect(() => followSelectAll(app), [app]);
  useEffect(() => {
    const look = (): void => lookAgain(app);
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [app]);
  useMemo(() => {
    app.onCommand = (command) => actHere(app, command);
    app.onAttend = (sessionId) => void attend(app, sessionId);
  }, [app]);
  return (
    <RootBoundary app={app}>
      <AppContext value={app}>
        <TooltipProvider>
          <Window />
        </TooltipProvider>
      </AppContext>
    </RootBoundary>
  );
}
