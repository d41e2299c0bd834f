import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  Archive,
  ArchiveRestore,
  Download,
  FileText,
  FolderOpen,
  Globe,
  type LucideIcon,
  Pencil,
  Pin,
  PinOff,
  Trash2,
} from 'lucide-react';
import { MAX_NAME_CHARS } from '@shared/cut-text';
import { splitTitle } from '@shared/policy/session-title';
import { visibleString } from '@shared/policy/visible-text';
import { runStateOf } from '@shared/session-state/attention';
import type { SessionState, SessionSummary } from '@shared/types';
import { act, type ActionId, menuItems } from '../../actions/menus';
import { renameSession, write } from '../../actions/sessions';
import { attend } from '../../actions/ways';
import { formatAgo, plural } from '../../state/format';
import { useApp, useUi } from '../../state/hooks';
import { needsYou, titleOf } from '../../state/sessions-store';
import { ContextMenu, cx, Input, leaveFocus, Visible } from '../../ui';
import styles from './sessions.module.css';

/** Edits a title in place: Enter and leaving keep it, Escape does not. */
export function RenameField({ session, className }: { session: SessionSummary; className?: string }) {
  const app = useApp();
  const [title, setTitle] = useState(session.title);
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => field.current?.select(), []);
  useLayoutEffect(() => leaveFocus(field.current), []);

  function finish(keep: boolean): void {
    if (done.current) return;
    done.current = true;
    if (keep) void renameSession(app, session, title);
    else app.ui.setState({ renaming: null });
  }

  return (
    <Input
      ref={field}
      className={className}
      dir="auto"
      aria-label="Session title"
      value={title}
      maxLength={MAX_NAME_CHARS}
      autoFocus
      onChange={(event) => setTitle(event.target.value)}
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') finish(true);
        if (event.key === 'Escape') finish(false);
        event.stopPropagation();
      }}
    />
  );
}

const STATE_WORDS: Record<SessionState, string> = {
  idle: '',
  streaming: 'answering',
  waiting: 'waiting for you',
  retrying: 'waiting to retry',
  compacting: 'compacting',
  summarising: 'summarising',
  error: 'stopped with an error',
};

interface SessionRowProps {
  session: SessionSummary;
  /** What its workspace is called, where the list does not say it above. */
  folder: string | null;
  active: boolean;
  /** The one row that Tab reaches. */
  tabStop: boolean;
  now: number;
}

/** One session of the list: state dot, title, time, folder, and what happened last. */
export const SessionRow = memo(function SessionRow({ session, folder, active, tabStop, now }: SessionRowProps) {
  const app = useApp();
  const renaming = useUi((ui) => ui.renaming?.place === 'list' && ui.renaming.sessionId === session.id);
  const words = wordsOf(session);
  const since = session.waiting?.since ?? session.updatedAt;
  // Behind a long name nothing would be seen of the end.
  const { name, end } = splitTitle(titleOf(session));
  const target = { id: session.id, inList: true };
  if (renaming) {
    return (
      <div className={cx(styles.row, active && styles.on)}>
        <StateDot session={session} />
        <RenameField session={session} className={styles.renameField} />
      </div>
    );
  }
  return (
    <ContextMenu items={menuItems(app, session.foreign ? 'file' : 'session', target, (id) => iconOf(session, id))}>
      <button
        type="button"
        className={cx(styles.row, active && styles.on)}
        data-session={session.id}
        tabIndex={tabStop ? 0 : -1}
        aria-current={active ? 'true' : undefined}
        // What waits is shown at its card. A key goes on in the list; who clicks once writes next, and a second click renames.
        onClick={({ detail }) => {
          if (needsYou(session)) void attend(app, session.id);
          else if (detail === 1 && !session.foreign) write(app, session.id);
          else app.activate(session.id);
        }}
        onDoubleClick={() => !session.foreign && act(app, 'session.rename', target)}
      >
        <StateDot session={session} />
        <span className={styles.title} dir="auto">
          {visibleString(name)}
        </span>
        <span className={styles.time}>{formatAgo(since, now)}</span>
        <span className={styles.preview} dir="auto">
          {folder !== null && (
            <>
              <span className={styles.folder}>
                <Visible text={folder} place="path" />
              </span>
              {' · '}
            </>
          )}
          {end && isAtRest(session) && `${end.slice(' ('.length, -1)} · `}
          {previewOf(session, words)}
        </span>
      </button>
    </ContextMenu>
  );
});

/** Nothing goes on in it that its second line is to tell. */
function isAtRest({ state }: SessionSummary): boolean {
  return state === 'idle' || state === 'error';
}

function wordsOf(session: SessionSummary): string {
  return STATE_WORDS[session.state] || (runStateOf(session) === 'stoppedEarly' ? 'stopped early' : '');
}

/** What happened last, in visible form; what it waits for is in it already. */
function previewOf(session: SessionSummary, words: string): string {
  if (session.foreign) return `not a session: ${session.foreign}`;
  const { waiting } = session;
  // The head of the inbox says that it waits.
  if (waiting) return waiting.more > 0 ? `${waiting.what} and ${waiting.more} more` : waiting.what;
  if (session.state === 'error') return words;
  if (session.state === 'idle' && words && session.preview) return `${words} · ${visibleString(session.preview)}`;
  if (words && session.state !== 'streaming') return words;
  if (session.preview) return visibleString(session.preview);
  if (words) return words;
  return session.entryCount === 0 ? 'no messages yet' : plural(session.entryCount, 'entry', 'entries');
}

function StateDot({ session }: { session: SessionSummary }) {
  const words = wordsOf(session);
  const look = session.state === 'idle' && words ? styles.stopped : styles[session.state];
  return <span className={cx(styles.dot, look)} {...(words ? { role: 'img', 'aria-label': words } : {})} />;
}

const ICONS = new Map<ActionId, (session: SessionSummary) => LucideIcon>([
  ['session.rename', () => Pencil],
  ['session.pin', ({ pinned }) => (pinned ? PinOff : Pin)],
  ['session.archive', ({ archived }) => (archived ? ArchiveRestore : Archive)],
  ['session.export', () => Download],
  ['session.exportPage', () => Globe],
  ['session.exportMarkdown', () => FileText],
  ['session.showFile', () => FolderOpen],
  ['session.delete', () => Trash2],
]);

function iconOf(session: SessionSummary, id: ActionId): ReactNode {
  const Icon = ICONS.get(id)?.(session);
  return Icon && <Icon size={14} />;
}
