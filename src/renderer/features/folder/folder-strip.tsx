import { FolderInput, FolderX, ShieldAlert } from 'lucide-react';
import type { WorkspaceStatus } from '@shared/types';
import { Button, Visible } from '../../ui';
import { formatPath } from '../../state/format';
import { reviewFolder, useApp, useFolderStatus, useSettings } from '../../state/hooks';
import { act } from '../../actions/menus';
import styles from './folder.module.css';

/** Above the composer: why the agent can do less in this folder, or where an imported session was made. One row at most. */
export function FolderStrip({ sessionId }: { sessionId: string }) {
  const app = useApp();
  const status = useFolderStatus(sessionId);
  const home = useSettings((state) => state.home);
  if (!status) return null;
  const choose = (): void => act(app, 'session.workspace', { id: sessionId });
  if (status.trust === 'missing') {
    return (
      <Row
        icon={<FolderX size={14} aria-hidden />}
        text="This session’s folder does not exist here:"
        path={formatPath(status.folder, home)}
        action="Choose folder…"
        onAct={choose}
      />
    );
  }
  if (status.trust === 'silent') {
    return (
      <Row
        icon={<FolderX size={14} aria-hidden />}
        text="This folder is not responding. Espalier keeps checking it."
        action="Choose another…"
        onAct={choose}
      />
    );
  }
  if (status.suggestion !== null) {
    return (
      <Row
        icon={<FolderInput size={14} aria-hidden />}
        text="This session was created in"
        path={formatPath(status.suggestion, home)}
        action="Use that folder…"
        onAct={choose}
      />
    );
  }
  if (status.trust !== 'restricted') return null;
  return (
    <Row
      icon={<ShieldAlert size={14} aria-hidden />}
      text={restrictedWords(status)}
      action="Review…"
      onAct={() => void reviewFolder(app, sessionId)}
    />
  );
}

/** What holds in a restricted folder (B1): of reading, as the person last answered. */
function restrictedWords({ isReplaced, isReadingAllowed }: WorkspaceStatus): string {
  const why = isReplaced ? 'This is no longer the folder you trusted' : 'You have not trusted this folder';
  return isReadingAllowed
    ? `${why}: no guidance, no git status. You allowed reading for this session.`
    : `${why}: no guidance, no git status, and nothing is read without your approval.`;
}

interface RowProps {
  icon: React.ReactNode;
  text: string;
  path?: string;
  action: string;
  onAct: () => void;
}

function Row({ icon, text, path, action, onAct }: RowProps) {
  return (
    <div className={styles.strip} role="status" data-folder-strip>
      {icon}
      <span className={styles.stripText}>
        {text}
        {path !== undefined && (
          <>
            {' '}
            <code>
              <Visible text={path} place="path" />
            </code>
          </>
        )}
      </span>
      <Button size="small" onClick={onAct}>
        {action}
      </Button>
    </div>
  );
}
