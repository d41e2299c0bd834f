/** What can be typed behind a slash in each session besides the app's own commands (CM3), as main said it last. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { own } from '@shared/checks';
import type { SlashCommand } from '@shared/slash';
import type { Client } from '../bridge';

export interface SlashStore {
  readonly state: StoreApi<{ bySession: Readonly<Record<string, readonly SlashCommand[]>> }>;
  /** None until main was asked. */
  of(sessionId: string): readonly SlashCommand[];
  /** Asks main anew. Resolves when that is known; without an answer what was known stays. Never rejects. */
  refresh(sessionId: string): Promise<void>;
  /** They may be others now; absent: in all sessions that were asked for. */
  changed(sessionId?: string): void;
  /** The session is shown no more. */
  forget(sessionId: string): void;
}

const NONE: readonly SlashCommand[] = [];

export function createSlashStore(client: Client): SlashStore {
  const state = createStore<{ bySession: Record<string, readonly SlashCommand[]> }>(() => ({ bySession: {} }));
  const wanted = new Set<string>();
  const asking = new Map<string, Promise<void>>();

  async function ask(sessionId: string): Promise<void> {
    try {
      const { commands } = await client.request('session.commands', { sessionId });
      if (wanted.has(sessionId))
        state.setState(({ bySession }) => ({ bySession: { ...bySession, [sessionId]: commands } }));
    } catch {
      // A list that can't be had offers nothing: what is typed is then said to be no command.
    }
  }

  function refresh(sessionId: string): Promise<void> {
    wanted.add(sessionId);
    // An answer that is on its way may be older than what was changed.
    const next = (asking.get(sessionId) ?? Promise.resolve()).then(() => ask(sessionId));
    asking.set(sessionId, next);
    void next.then(() => asking.get(sessionId) === next && asking.delete(sessionId));
    return next;
  }

  return {
    state,
    of: (sessionId) => own(state.getState().bySession, sessionId) ?? NONE,
    refresh,
    changed(sessionId) {
      for (const id of sessionId === undefined ? wanted : [sessionId]) if (wanted.has(id)) void refresh(id);
    },
    forget(sessionId) {
      wanted.delete(sessionId);
      state.setState(({ bySession: { [sessionId]: _, ...bySession } }) => ({ bySession }));
    },
  };
}
