import { Button, EmptyState, Spinner, SplitPane, VisuallyHidden } from '../ui';
import { useApp, useSessions, useSettings, useUi } from '../state/hooks';
import { SIDEBAR } from '../state/ui-store';
import { AppNotices, AppToasts } from '../features/notices/app-notices';
import { HelpDialog } from '../features/palette/help-dialog';
import { Palette } from '../features/palette/palette';
import { Sidebar } from '../features/sessions/sidebar';
import { SettingsDialog } from '../features/settings/settings-dialog';
import { DropTarget } from './drop-target';
import { SessionPane } from './session-pane';
import { useGraphOpen } from './use-graph-open';
import styles from './app.module.css';

/** The whole window: sessions left, the active session right, dialogs above. */
export function Window() {
  const app = useApp();
  const layout = useUi((ui) => ui.layout);
  const isGraphOpen = useGraphOpen();
  const isFull = isGraphOpen && layout.graphFull;
  // Messages must not lie on the newest turns of the graph.
  const beside = {
    left: isFull || layout.sidebarCollapsed ? 0 : layout.sidebarWidth,
    right: isGraphOpen && !isFull ? layout.graphWidth : 0,
  };
  const announcement = useUi((ui) => ui.announcement);
  return (
    <DropTarget>
      <SplitPane
        fixedSide="start"
        size={layout.sidebarWidth}
        min={SIDEBAR.min}
        max={SIDEBAR.max}
        collapsed={layout.sidebarCollapsed}
        onSizeChange={(sidebarWidth) => app.setLayout({ sidebarWidth })}
        onCollapsedChange={(sidebarCollapsed) => app.setLayout({ sidebarCollapsed })}
        label="Resize sessions"
        fixed={
          <div className={styles.sidebar} inert={isFull}>
            <Sidebar />
          </div>
        }
      >
        <main className={styles.main}>
          <AppNotices />
          <Content />
        </main>
      </SplitPane>
      <Palette />
      <HelpDialog />
      <SettingsDialog />
      <AppToasts clear={beside} />
      <div aria-live="polite">
        <VisuallyHidden>{announcement}</VisuallyHidden>
      </div>
    </DropTarget>
  );
}

function Content() {
  const app = useApp();
  const problem = useUi((ui) => ui.startProblem);
  const loaded = useSettings((state) => state.loaded);
  const activeId = useSessions((state) => state.activeId);
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
  if (!loaded || !activeId) {
    return (
      <div className={styles.waiting}>
        <Spinner label="Opening your sessions" size={18} />
      </div>
    );
  }
  return <SessionPane key={activeId} sessionId={activeId} />;
}
