import { FileQuestion } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import type { SessionSummary } from '@shared/ipc/types';
import { Button, EmptyState } from '../ui';
import { useApp } from '../state/hooks';
import { deleteSession, showSessionFile, titleOf } from '../state/session-actions';
import styles from './app.module.css';

/** In place of a session: a file among the session files that is none. */
export function ForeignFile({ file }: { file: SessionSummary }) {
  const app = useApp();
  return (
    <div className={styles.waiting} data-pane="transcript">
      <EmptyState
        icon={<FileQuestion size={28} aria-hidden />}
        title={`${visibleString(titleOf(file))} is no session`}
        actions={
          <>
            <Button onClick={() => void showSessionFile(app, file.id)}>Show in folder</Button>
            <Button onClick={() => void deleteSession(app, file)}>Remove</Button>
          </>
        }
      >
        It lies among the session files, but what is in it is {file.foreign}. It was left as it is. Remove puts it into
        the trash for 30 days.
      </EmptyState>
    </div>
  );
}
