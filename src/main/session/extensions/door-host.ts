import type { ExtensionBus } from '../../extensions/bus';
import type { Emit, SessionLog } from '../../ports';
import { SessionRefusal } from '../machine/slot';
import type { DoorHost } from './live-door';
import type { SessionLives } from './session-life';
import type { SessionSummary } from '@shared/types';

/** Said to who forks, and known again by a door: there it is no failure. */
export const FORK_PREVENTED = 'An extension prevented this fork. Nothing was changed.';

/** What keeps all sessions, as doors need it (`SessionHost`). */
interface Sessions {
  list(): Promise<SessionSummary[]>;
  session(sessionId: string): Promise<{ log: SessionLog }>;
  create(options: { workspace?: string; parentSession?: string }): Promise<SessionSummary>;
  fork(sessionId: string, entryId: string, position: 'before' | 'at'): Promise<{ summary: SessionSummary }>;
  rename(sessionId: string, title: string): Promise<void>;
  workspaceOf(sessionId: string): string;
  fileOf(sessionId: string): string;
}

/** What extensions may do with sessions as a whole. Nothing of it is done where an extension says no. */
export function doorHost(
  sessions: Sessions,
  book: { meta(sessionId: string): { title: string } | undefined },
  lives: Pick<SessionLives, 'reload' | 'ready'>,
  { extensions, emit, sessionsDir }: { extensions: ExtensionBus; emit: Emit; sessionsDir: string },
): DoorHost {
  const mayLeave = async (sessionId: string, reason: 'new' | 'resume', target?: string): Promise<boolean> => {
    const payload = { reason, ...(target === undefined ? {} : { targetSessionFile: sessions.fileOf(target) }) };
    return (await extensions.ask('session_before_switch', payload, { sessionId }))?.cancels !== true;
  };
  const show = (sessionId: string, from: string, reason: 'new' | 'resume'): void => {
    emit({ type: 'attend', sessionId });
    const told = { reason, previousSessionFile: sessions.fileOf(from) };
    void lives.ready(sessionId).then(() => extensions.tell('session_switch', told, { sessionId }));
  };
  return {
    sessionsDir,
    nameOf: (sessionId) => book.meta(sessionId)?.title ?? '',
    rename: (sessionId, name) => sessions.rename(sessionId, name),
    reload: (sessionId) => lives.reload(sessionId),
    createBeside: async (sessionId, parentSession, entries) => {
      if (!(await mayLeave(sessionId, 'new'))) return null;
      const { id } = await sessions.create({ workspace: sessions.workspaceOf(sessionId), parentSession });
      // Live before it is shown: its extensions are there for what begins it.
      const { log } = await sessions.session(id);
      if (entries.length > 0) await log.append(entries);
      show(id, sessionId, 'new');
      return id;
    },
    forkBeside: async (sessionId, entryId, position) => {
      const made = await sessions.fork(sessionId, entryId, position).catch((error: unknown) => {
        if (error instanceof SessionRefusal && error.message === FORK_PREVENTED) return null;
        throw error;
      });
      if (made) await sessions.session(made.summary.id);
      if (made) emit({ type: 'attend', sessionId: made.summary.id });
      return made?.summary.id ?? null;
    },
    switchTo: async (sessionId, targetId) => {
      if (!(await sessions.list()).some(({ id }) => id === targetId))
        throw new SessionRefusal('There is no such session.');
      if (!(await mayLeave(sessionId, 'resume', targetId))) return false;
      await sessions.session(targetId);
      show(targetId, sessionId, 'resume');
      return true;
    },
  };
}
