import { useCallback, useEffect, useRef, useState } from 'react';
import type { DeletedSession } from '@shared/types';
import { visibleString } from '@shared/policy/visible-text';
import { Button, Dialog, EmptyState } from '../../ui';
import { toAppError } from '../../bridge';
import { deleteForGood, restoreSession } from '../../actions/sessions';
import { useApp, useUi } from '../../state/hooks';
import { formatAgoInWords, formatBytes } from '../../state/format';
import { shownTitle } from '../../state/sessions-store';
import styles from './deleted.module.css';

/** The sessions in the trash: each can be restored, or deleted for good, which main asks about (WN13). */
export function DeletedDialog() {
  const app = useApp();
  const open = useUi((ui) => ui.deletedOpen);
  return (
    <Dialog
      open={open}
      onOpenChange={(deletedOpen) => app.ui.setState({ deletedOpen })}
      title="Recently deleted"
      lead="Deleted sessions are kept for at least 30 days."
      width={620}
    >
      {open && <DeletedList />}
    </Dialog>
  );
}

/** Rows that are drawn at once. */
const PAGE = 30;

function DeletedList() {
  const app = useApp();
  const [sessions, setSessions] = useState<readonly DeletedSession[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [most, setMost] = useState(PAGE);
  const list = useRef<HTMLUListElement>(null);

  const read = useCallback(
    () => app.client.request('sessions.deleted', {}).then((answer) => setSessions(answer.sessions)),
    [app],
  );
  const attempt = useCallback((work: () => Promise<unknown>): void => {
    setProblem(null);
    work().catch((cause: unknown) => setProblem(toAppError(cause).message));
  }, []);
  useEffect(() => attempt(read), [attempt, read]);

  const restore = async ({ id }: DeletedSession): Promise<void> => {
    await restoreSession(app, id);
    app.ui.setState({ deletedOpen: false });
  };
  const remove = async ({ id }: DeletedSession): Promise<void> => {
    if (!(await deleteForGood(app, id))) return;
    await read();
    // What had the keyboard is gone.
    list.current?.closest<HTMLElement>('[data-dialog]')?.focus();
  };

  return (
    <>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      {sessions?.length === 0 && <EmptyState title="Nothing here">No recently deleted sessions.</EmptyState>}
      <ul ref={list} className={styles.list} aria-label="Deleted sessions">
        {sessions?.slice(0, most).map((session) => (
          <Row
            key={`${session.id}.${session.deletedAt}`}
            session={session}
            onRestore={() => attempt(() => restore(session))}
            onRemove={() => attempt(() => remove(session))}
          />
        ))}
      </ul>
      {sessions && sessions.length > most && (
        <Button tone="link" onClick={() => setMost(most + PAGE)}>
          Show {Math.min(PAGE, sessions.length - most)} more of {sessions.length - most}
        </Button>
      )}
    </>
  );
}

interface RowProps {
  session: DeletedSession;
  onRestore: () => void;
  onRemove: () => void;
}

function Row({ session, onRestore, onRemove }: RowProps) {
  const app = useApp();
  const title = shownTitle(session);
  return (
    <li className={styles.row}>
      <span className={styles.title}>{title}</span>
      <span className={styles.facts}>
        deleted {formatAgoInWords(session.deletedAt, app.now())} · {formatBytes(session.bytes)}
      </span>
      <span className={styles.preview}>{visibleString(session.preview)}</span>
      <span className={styles.actions}>
        <Button size="small" onClick={onRestore} aria-label={`Restore “${title}”`}>
          Restore
        </Button>
        <Button size="small" onClick={onRemove} aria-label={`Delete for good… “${title}”`}>
          Delete for good…
        </Button>
      </span>
    </li>
  );
}
