import { ArrowLeft, ArrowRight, Folder, GitBranch, PanelLeft } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import { Chip, IconButton, Kbd, Tooltip, Visible } from '../ui';
import { useApp, useLive, useSettings, useSummary, useUi } from '../state/hooks';
import { findModel } from '../state/settings-store';
import { formatPath } from '../state/format';
import { formatKeys, isMac } from '../state/keys';
import { toggleGraph } from '../state/graph-actions';
import { PALETTE_KEYS } from '../state/commands';
import { stepThroughLeaves } from '../state/tree-moves';
import { tellBusy } from '../state/tree-actions';
import { chooseWorkspace, titleOf } from '../state/session-actions';
import { FolderChip } from '../features/folder/folder-chip';
import { RenameField } from '../features/sessions/rename-field';
import { useGraphOpen } from './use-graph-open';
import styles from './app.module.css';

/** Title, workspace and the way to the palette. */
export function SessionBar({ sessionId }: { sessionId: string }) {
  const app = useApp();
  const session = useSummary(sessionId);
  const graphOpen = useGraphOpen();
  const home = useSettings((state) => state.home);
  const mac = useSettings((state) => isMac(state.platform));
  const renaming = useUi((ui) => ui.renaming?.place === 'bar' && ui.renaming.sessionId === sessionId);
  const model = useLive(app.openSession(sessionId), (live) => live.model);
  const demo = useSettings((state) => findModel(state.providers, model)?.provider.kind === 'demo');
  if (!session) return <header className={styles.bar} />;
  const folder = session.workspace ? formatPath(session.workspace, home) : 'choose a folder';
  const rename = (): void => app.ui.setState({ renaming: { sessionId, place: 'bar' } });
  return (
    <header className={styles.bar} data-pane="bar">
      <ShowSessions />
      {renaming ? (
        <RenameField session={session} className={styles.rename} />
      ) : (
        <h1 className={styles.title} onDoubleClick={rename}>
          {titleOf(session)}
        </h1>
      )}
      <Tooltip
        text={`The agent works in ${visibleString(session.workspace) || 'no folder yet'}. Click to choose another.`}
      >
        <button
          type="button"
          className={styles.folder}
          aria-label={`Choose the workspace folder: ${visibleString(folder)}`}
          onClick={() => void chooseWorkspace(app, sessionId)}
        >
          <Folder size={12} aria-hidden />
          <code>
            <Visible text={folder} place="path" />
          </code>
        </button>
      </Tooltip>
      <FolderChip sessionId={sessionId} />
      <Steps sessionId={sessionId} mac={mac} />
      {demo && <Chip>demo</Chip>}
      {session.archived && <Chip>archived</Chip>}
      <div className={styles.barEnd}>
        <button
          type="button"
          className={styles.paletteKey}
          aria-label={`Command palette: ${formatKeys(PALETTE_KEYS, mac)}`}
          onClick={() => app.ui.setState({ palette: true })}
        >
          <Kbd>{formatKeys(PALETTE_KEYS, mac)}</Kbd>
        </button>
        <IconButton
          label={graphOpen ? 'Hide the branches' : 'Show the branches'}
          shortcut={formatKeys('Mod+Shift+G', mac)}
          aria-pressed={graphOpen}
          onClick={() => toggleGraph(app)}
        >
          <GitBranch size={15} />
        </IconButton>
      </div>
    </header>
  );
}

/** The way back to a hidden list. */
export function ShowSessions() {
  const app = useApp();
  const isHidden = useUi((ui) => ui.layout.sidebarCollapsed);
  const mac = useSettings((state) => isMac(state.platform));
  if (!isHidden) return null;
  return (
    <IconButton
      label="Show the sessions"
      shortcut={formatKeys('Mod+B', mac)}
      onClick={() => app.setLayout({ sidebarCollapsed: false })}
    >
      <PanelLeft size={15} />
    </IconButton>
  );
}

/** Back and Forward through the leaves that were visited; not there before anything was left. */
function Steps({ sessionId, mac }: { sessionId: string; mac: boolean }) {
  const app = useApp();
  const visited = useUi((ui) => ui.visited[sessionId]);
  if (!visited || visited.back.length + visited.forward.length === 0) return null;
  const go = (by: 'back' | 'forward'): void => {
    if (!tellBusy(app, sessionId)) void stepThroughLeaves(app, sessionId, by);
  };
  return (
    <span className={styles.steps} role="group" aria-label="Branches you were on">
      <IconButton
        label="Back to the branch before"
        shortcut={formatKeys('Alt+ArrowLeft', mac)}
        size="small"
        aria-disabled={visited.back.length === 0}
        onClick={() => go('back')}
      >
        <ArrowLeft size={14} />
      </IconButton>
      <IconButton
        label="Forward to the branch after"
        shortcut={formatKeys('Alt+ArrowRight', mac)}
        size="small"
        aria-disabled={visited.forward.length === 0}
        onClick={() => go('forward')}
      >
        <ArrowRight size={14} />
      </IconButton>
    </span>
  );
}
