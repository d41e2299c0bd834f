import { FileQuestion } from 'lucide-react';
import type { SessionSummary } from '@shared/types';
import { EmptyState } from '../ui';
import { ActionButton } from '../parts/action-button';
import { shownTitle } from '../state/sessions-store';
import { ShowSessions } from './session-bar';
import styles from './app.module.css';

/** In place of a session: a file among the session files that is none. */
export function ForeignFile({ file }: { file: SessionSummary }) {
  return (
    <>
      <header className={styles.bar} data-pane="bar">
        <ShowSessions />
        <h1 className={styles.title}>{shownTitle(file)}</h1>
      </header>
      <div className={styles.waiting} data-pane="transcript">
        <EmptyState
          icon={<FileQuestion size={28} aria-hidden />}
          title="This isn’t a session"
          actions={
            <>
              <ActionButton id="session.showFile" target={file} />
              <ActionButton id="session.delete" target={file} />
            </>
          }
        >
          This file is in the sessions folder, but it is {file.foreign}. Espalier left it unchanged. “Remove” moves it
          to the trash for 30 days.
        </EmptyState>
      </div>
    </>
  );
}
