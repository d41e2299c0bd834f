import { memo } from 'react';
import { Archive, ArchiveRestore, Download, FolderOpen, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import type { SessionState, SessionSummary } from '@shared/ipc/types';
import { visibleString } from '@shared/policy/visible-text';
import { ContextMenu, cx, type MenuItem } from '../../ui';
import type { App } from '../../state/app';
import { useApp, useSessions, useUi } from '../../state/hooks';
import { formatAgo } from '../../state/format';
import {
  deleteSession,
  exportSession,
  showSessionFile,
  titleOf,
  toggleArchived,
  togglePinned,
} from '../../state/session-actions';
import { RenameField } from './rename-field';
import styles from './sessions.module.css';

const STATE_WORDS: Record<SessionState, string> = {
  idle: '',
  streaming: 'answering',
  waiting: 'waits for your approval',
  retrying: 'waits to try again',
  compacting: 'compacting',
  summarising: 'summarising a branch',
  error: 'stopped with an error',
};

interface SessionRowProps {
  session: SessionSummary;
  active: boolean;
  /** The one row that Tab reaches. */
  tabStop: boolean;
  now: number;
}

/** One session of the list: state dot, title, time, and what happened last. */
export const SessionRow = memo(function SessionRow({ session, active, tabStop, now }: SessionRowProps) {
  const app = useApp();
  const renaming = useUi((ui) => ui.renaming?.place === 'list' && ui.renaming.sessionId === session.id);
  const waitingFor = useSessions((state) => state.waitingFor[session.id]);
  const words = STATE_WORDS[session.state];
  if (renaming) {
    return (
      <div className={cx(styles.row, active && styles.on)}>
        <StateDot state={session.state} />
        <RenameField session={session} className={styles.renameField} />
      </div>
    );
  }
  return (
    <ContextMenu items={menuOf(app, session)}>
      <button
        type="button"
        className={cx(styles.row, active && styles.on)}
        data-session={session.id}
        tabIndex={tabStop ? 0 : -1}
        aria-current={active ? 'true' : undefined}
        onClick={() => app.activate(session.id)}
        onDoubleClick={() =>
          !session.foreign && app.ui.setState({ renaming: { sessionId: session.id, place: 'list' } })
        }
      >
        <StateDot state={session.state} />
        <span className={styles.title}>{visibleString(titleOf(session))}</span>
        <span className={styles.time}>{formatAgo(session.updatedAt, now)}</span>
        <span className={styles.preview}>{previewOf(session, words, waitingFor)}</span>
      </button>
    </ContextMenu>
  );
});

/** What happened last, in visible form; `waitingFor` is in it already. */
function previewOf(session: SessionSummary, words: string, waitingFor: string | undefined): string {
  if (session.foreign) return `not a session: ${session.foreign}`;
  if (session.state === 'waiting') return waitingFor ? `${words}: ${waitingFor}` : words;
  if (session.state === 'error') return words;
  if (words && session.state !== 'streaming') return words;
  if (session.preview) return visibleString(session.preview);
  if (words) return words;
  return session.entryCount === 0 ? 'nothing said yet' : `${session.entryCount.toLocaleString('en')} entries`;
}

function StateDot({ state }: { state: SessionState }) {
  const words = STATE_WORDS[state];
  return <span className={cx(styles.dot, styles[state])} {...(words ? { role: 'img', 'aria-label': words } : {})} />;
}

function menuOf(app: App, session: SessionSummary): MenuItem[] {
  if (session.foreign) return foreignMenu(app, session);
  return [
    {
      id: 'rename',
      label: 'Rename',
      hint: 'F2',
      icon: <Pencil size={14} />,
      // The menu gives the focus back to the row as it closes; the field takes it after that.
      onSelect: () => setTimeout(() => app.ui.setState({ renaming: { sessionId: session.id, place: 'list' } })),
    },
    {
      id: 'pin',
      label: session.pinned ? 'Unpin' : 'Pin',
      icon: session.pinned ? <PinOff size={14} /> : <Pin size={14} />,
      onSelect: () => void togglePinned(app, session),
    },
    {
      id: 'archive',
      label: session.archived ? 'Unarchive' : 'Archive',
      icon: session.archived ? <ArchiveRestore size={14} /> : <Archive size={14} />,
      onSelect: () => void toggleArchived(app, session),
    },
    {
      id: 'export',
      label: 'Export…',
      icon: <Download size={14} />,
      onSelect: () => void exportSession(app, session.id),
    },
    { kind: 'separator', id: 'line' },
    {
      id: 'delete',
      label: 'Delete',
      hint: 'Del',
      danger: true,
      icon: <Trash2 size={14} />,
      onSelect: () => void deleteSession(app, session),
    },
  ];
}

function foreignMenu(app: App, session: SessionSummary): MenuItem[] {
  return [
    {
      id: 'show',
      label: 'Show in folder',
      icon: <FolderOpen size={14} />,
      onSelect: () => void showSessionFile(app, session.id),
    },
    {
      id: 'delete',
      label: 'Remove',
      hint: 'Del',
      danger: true,
      icon: <Trash2 size={14} />,
      onSelect: () => void deleteSession(app, session),
    },
  ];
}
