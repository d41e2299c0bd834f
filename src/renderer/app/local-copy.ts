/** Opens the window's database beside the start, never before it: the first screen waits for nothing. */
import type { Client } from '../bridge';
import { createDatabaseStore, LateStore } from '../db/local-store';
import { openDatabase, type StorageProblem } from '../db/open-database';
import { Persister } from '../db/persister';
import type { LocalStore } from '../state/local-store';

/** Milliseconds until the database is tried again after it could not be opened; each further wait is twice as long. */
const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 5 * 60_000;

export interface LocalCopy {
  store: LocalStore;
  stop(): void;
}

/**
 * A local store that is usable at once: its calls wait until the database is open, and go to memory while it can't be
 * opened. `onProblem` hears when the second copy fails and, with null, when it works again.
 */
export function openLocalCopy(client: Client, onProblem: (problem: StorageProblem | null) => void): LocalCopy {
  const store = new LateStore();
  let persister: Persister | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  // What comes before there is a persister stands in the journals already: its comparison fetches it.
  const endEvents = client.onEvents(
    (events) => persister?.accept(events),
    () => void persister?.start(false),
  );

  async function open(failures: number): Promise<void> {
    const opened = await openDatabase(failures);
    if (stopped) return;
    if (!opened.ok) {
      report(opened.problem);
      store.fallBack();
      retry = setTimeout(() => void open(failures + 1), Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS));
      return;
    }
    if (failures > 0) report(null);
    persister = new Persister({ db: opened.db, client, onProblem: report });
    void persister.start(opened.state !== 'present');
    await store.arrive(createDatabaseStore(opened.db));
  }

  function report(problem: StorageProblem | null): void {
    onProblem(problem);
    const state = problem?.state ?? 'ok';
    // Main writes it to its log; that it could not be told changes nothing here.
    client
      .request('sync.storageState', { state, detail: (problem?.detail ?? '').slice(0, 2000) })
      .catch(() => undefined);
  }

  void open(0);
  return {
    store,
    stop() {
      stopped = true;
      clearTimeout(retry);
      endEvents();
      persister?.stop();
    },
  };
}
