import { ArrowLeft, ArrowRight, Folder, GitBranch, PanelLeft } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import { Button, Chip, IconButton, Kbd, Tooltip, Visible } from '../ui';
import { useApp, useLive, useSessions, useSettings, useSummary, useUi } from '../state/hooks';
import { shownTitle, waitingCount } from '../state/sessions-store';
import { findModel } from '../state/settings-store';
import { formatPath } from '../state/format';
import { act } from '../actions/menus';
import { ACTIONS } from '../actions/registry';
import { useKeys } from '../parts/action-button';
import { FolderChip } from '../features/folder/folder-chip';
import { ExtensionTitle } from '../features/extensions/extension-shows';
import { RenameField } from '../features/sessions/session-row';
import { useGraphOpen, useSidebarOpen } from './open-panes';
import styles from './app.module.css';

/** Title, workspace and the way to the palette. */
export function SessionBar({ sessionId }: { sessionId: string }) {
  const app = useApp();
  const session = useSummary(sessionId);
  const graphOpen = useGraphOpen();
  const home = useSettings((state) => state.home);
  const paletteKeys = useKeys('view.palette');
  const graphKeys = useKeys('view.graph');
  const renaming = useUi((ui) => ui.renaming?.place === 'bar' && ui.renaming.sessionId === sessionId);
  const model = useLive(app.openSession(sessionId), (live) => live.model);
  const demo = useSettings((state) => findModel(state.providers, model)?.provider.kind === 'demo');
  if (!session) return <header className={styles.bar} />;
  const folder = formatPath(session.workspace, home);
  return (
    <header className={styles.bar} data-pane="bar">
      <ShowSessions />
      <WaitingElsewhere />
      {renaming ? (
        <RenameField session={session} className={styles.rename} />
      ) : (
        <h1 className={styles.title} onDoubleClick={() => act(app, 'session.rename', session)}>
          {shownTitle(session)}
        </h1>
      )}
      <Tooltip text={`The agent works in ${visibleString(session.workspace)}. Click to choose another.`}>
        <button
          type="button"
          className={styles.folder}
          aria-label={`Choose the workspace folder: ${visibleString(folder)}`}
          onClick={() => act(app, 'session.workspace', session)}
        >
          <Folder size={12} aria-hidden />
          <code>
            <Visible text={folder} place="path" />
          </code>
        </button>
      </Tooltip>
      <FolderChip sessionId={sessionId} />
      <ExtensionTitle />
      <Steps sessionId={sessionId} />
      {demo && <Chip>demo</Chip>}
      {session.archived && <Chip>archived</Chip>}
      <div className={styles.barEnd}>
        <button
          type="button"
          className={styles.paletteKey}
          aria-label={`Command palette: ${paletteKeys}`}
          onClick={() => act(app, 'view.palette', null)}
        >
          <Kbd>{paletteKeys}</Kbd>
        </button>
        <IconButton
          label={graphOpen ? 'Hide branches' : 'Show branches'}
          shortcut={graphKeys}
          aria-pressed={graphOpen}
          onClick={() => act(app, 'view.graph', session)}
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
  const isOpen = useSidebarOpen();
  const keys = useKeys('view.sidebar');
  if (isOpen) return null;
  return (
    <IconButton label="Show sessions" shortcut={keys} onClick={() => act(app, 'view.sidebar', null)}>
      <PanelLeft size={15} />
    </IconButton>
  );
}

/** In the place of the inbox, where the list is not shown. */
function WaitingElsewhere() {
  const app = useApp();
  const isListed = useSidebarOpen();
  const isSearching = useUi((ui) => ui.searchOpen);
  const count = useSessions(waitingCount);
  const keys = useKeys('session.nextWaiting');
  if (count === 0 || (isListed && !isSearching)) return null;
  return (
    <Tooltip text={[ACTIONS['session.nextWaiting'].label, keys].filter(Boolean).join(' · ')}>
      <Button size="small" className={styles.waits} onClick={() => act(app, 'session.nextWaiting', null)}>
        <span className={styles.waitsDot} aria-hidden /> {count} waiting
      </Button>
    </Tooltip>
  );
}

/** Back and Forward through the leaves that were visited; not there before anything was left. */
function Steps({ sessionId }: { sessionId: string }) {
  const visited = useUi((ui) => ui.visited[sessionId]);
  if (!visited || visited.back.length + visited.forward.length === 0) return null;
  return (
    <span className={styles.steps} role="group" aria-label="Branch history">
      <Step id="branch.back" sessionId={sessionId} isLast={visited.back.length === 0} icon={ArrowLeft} />
      <Step id="branch.forward" sessionId={sessionId} isLast={visited.forward.length === 0} icon={ArrowRight} />
    </span>
  );
}

interface StepProps {
  id: 'branch.back' | 'branch.forward';
  sessionId: string;
  isLast: boolean;
  icon: typeof ArrowLeft;
}

function Step({ id, sessionId, isLast, icon: Icon }: StepProps) {
  const app = useApp();
  return (
    <IconButton
      label={ACTIONS[id].label}
      shortcut={useKeys(id)}
      size="small"
      aria-disabled={isLast}
      onClick={() => act(app, id, { id: sessionId })}
    >
      <Icon size={14} />
    </IconButton>
  );
}
