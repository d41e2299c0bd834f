/** Opens the window's database beside the start, never before it: the first screen waits for nothing (issue 2, 2). */
import type { AppEvent } from '@shared/ipc/contract';
import type { Client } from '../bridge';
import { createDatabaseStore } from '../db/local-store';
import { openDatabase } from '../db/open-database';
import { Persister } from '../db/persister';
import type { StorageProblem } from '../db/storage-problem';
import { createMemoryStore, type LocalStore } from '../state/local-store';

export interface LocalCopy {
  store: LocalStore;
  stop(): void;
}

/**
 * A local store that is usable at once: its calls wait until the database is open, and go to memory if it can't be
 * opened. `onProblem` hears when the second copy fails and, with null, when it works again.
 */
export function openLocalCopy(client: Client, onProblem: (problem: StorageProblem | null) => void): LocalCopy {
  const early: AppEvent[] = [];
  let persister: Persister | null = null;
  const endEvents = client.onEvents(
    (events) => {
      if (persister) persister.accept(events);
      else early.push(...events);
    },
    () => void persister?.start(false),
  );

  async function open(): Promise<LocalStore> {
    const opened = await openDatabase();
    if (!opened.ok) {
      endEvents();
      report(opened.problem);
      return createMemoryStore();
    }
    persister = new Persister({ db: opened.db, client, onProblem: report });
    void persister.start(opened.state !== 'present');
    persister.accept(early.splice(0));
    return createDatabaseStore(opened.db);
  }

  function report(problem: StorageProblem | null): void {
    onProblem(problem);
    const state = problem?.state ?? 'ok';
    // Main writes it to its log; that it could not be told changes nothing here.
    client
      .request('sync.storageState', { state, detail: (problem?.detail ?? '').slice(0, 2000) })
      .catch(() => undefined);
  }

  const ready = open();
  return {
    store: {
      getDraft: async (sessionId) => (await ready).getDraft(sessionId),
      putDraft: async (sessionId, draft) => (await ready).putDraft(sessionId, draft),
      getUi: async (key) => (await ready).getUi(key),
      putUi: async (key, value) => (await ready).putUi(key, value),
      loadEntries: async (sessionId, wanted) => (await ready).loadEntries(sessionId, wanted),
    },
    stop() {
      endEvents();
      persister?.stop();
    },
  };
}
