import { FileText, ShieldAlert } from 'lucide-react';
import type { WorkspaceStatus } from '@shared/types';
import { Button, cx, Popover, Visible } from '../../ui';
import { formatBytes, formatPath } from '../../state/format';
import { reviewFolder, useApp, useFolderStatus, useSettings } from '../../state/hooks';
import styles from './folder.module.css';

/** Beside the folder: that it is restricted, or which guidance of the project is in force. Nothing where neither is. */
export function FolderChip({ sessionId }: { sessionId: string }) {
  const status = useFolderStatus(sessionId);
  if (!status || (status.trust !== 'restricted' && !status.guidance)) return null;
  const isRestricted = status.trust === 'restricted';
  const Icon = isRestricted ? ShieldAlert : FileText;
  const words = isRestricted ? 'Restricted' : (status.guidance?.name ?? '');
  return (
    <Popover
      label="Session folder"
      trigger={
        <button
          type="button"
          className={cx(styles.chip, isRestricted && styles.restricted)}
          aria-label={isRestricted ? 'Restricted folder: show details' : `Guidance in use: ${words}`}
        >
          <Icon size={12} aria-hidden />
          <span>{words}</span>
        </button>
      }
    >
      <FolderFacts sessionId={sessionId} status={status} />
    </Popover>
  );
}

function FolderFacts({ sessionId, status }: { sessionId: string; status: WorkspaceStatus }) {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const { guidance } = status;
  const isRestricted = status.trust === 'restricted';
  return (
    <div className={styles.facts}>
      <h3>{isRestricted ? 'Restricted folder' : 'Trusted folder'}</h3>
      <code>
        <Visible text={formatPath(status.folder, home)} place="path" />
      </code>
      {isRestricted && (
        <p>
          {status.isReplaced ? 'This is no longer the folder you trusted.' : 'You have not trusted it.'} Its guidance is
          ignored, Espalier does not run git, and your approval rules don’t apply here.{' '}
          {status.isReadingAllowed
            ? 'You allowed reading for this session; writes and commands need your approval each time.'
            : 'Reading needs your approval, once or for the session; writes and commands need it each time.'}
        </p>
      )}
      {guidance && (
        <p>
          <code>{guidance.name}</code> ({formatBytes(guidance.bytes)}) is sent with every request
          {guidance.isCut && ' (first 32 kB only)'}.
          {guidance.path !== guidance.name && (
            <>
              {' '}
              It is a link to{' '}
              <code>
                <Visible text={guidance.path} place="path" />
              </code>
              .
            </>
          )}
        </p>
      )}
      <div className={styles.actions}>
        {isRestricted && (
          <Button size="small" tone="primary" onClick={() => void reviewFolder(app, sessionId)}>
            Review…
          </Button>
        )}
        <Button size="small" onClick={() => app.ui.setState({ settings: 'tools' })}>
          Trusted folders…
        </Button>
      </div>
    </div>
  );
}
