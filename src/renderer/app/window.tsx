import { own } from '@shared/checks';
import { Button, EmptyState, Spinner, SplitPane, VisuallyHidden } from '../ui';
import { useApp, useSessions, useSettings, useUi } from '../state/hooks';
import { sessionShown } from '../state/sessions-store';
import { SIDEBAR } from '../state/ui-store';
import { closeSearch } from '../actions/search';
import { showSidebar } from '../actions/sessions';
import { AppNotices, AppToasts } from '../features/notices/app-notices';
import { DeletedDialog } from '../features/sessions/deleted-dialog';
import { HelpDialog } from '../features/palette/help-dialog';
import { Palette } from '../features/palette/palette';
import { SearchPanel } from '../features/search/search-panel';
import { Sidebar } from '../features/sessions/sidebar';
import { SettingsDialog } from '../features/settings/settings-dialog';
import { TextMenu } from '../features/texts/text-menu';
import { DialogBoundary, PaneBoundary } from '../features/faults/pane-boundary';
import { AfterBlankPage } from '../features/safe/after-blank';
import { SafeSession } from '../features/safe/safe-session';
import { ForeignFile } from './foreign-file';
import { DropTarget } from './drop-target';
import { SessionPane } from './session-pane';
import { useGraphOpen, useSearchWidth, useSidebarOpen } from './use-open-panes';
import styles from './app.module.css';

/** The whole window: sessions left, the active session right, dialogs above. */
export function Window() {
  const app = useApp();
  const layout = useUi((ui) => ui.layout);
  const isGraphOpen = useGraphOpen();
  const isSidebarOpen = useSidebarOpen();
  const searchSize = useSearchWidth();
  const isSearching = useUi((ui) => ui.searchOpen);
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
          <div className={styles.sidebar} inert={isFull}>
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
  const { palette, help, settings, deletedOpen } = app.ui.getState();
  useUi((ui) => [ui.palette, ui.help, ui.settings, ui.deletedOpen].join());
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
