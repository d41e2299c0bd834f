/** The drafts of all sessions, one store for each (CM6). */
import { createDraftStore, type DraftStore } from './draft-store';
import type { LocalStore } from './local-store';

export interface Drafts {
  /** The one draft of a session, whether it is open, closed or deleted. */
  of(sessionId: string): DraftStore;
  /** The session is deleted. Its draft leaves the database and stays here for an undo, if there is one. */
  remove(sessionId: string): void;
  /** Writes what is not written yet. Resolves when that is done or failed. */
  flush(): Promise<unknown>;
}

/** Makes them as they are asked for. */
export function createDrafts(local: LocalStore): Drafts {
  const stores = new Map<string, DraftStore>();

  function of(sessionId: string): DraftStore {
    const store = stores.get(sessionId) ?? createDraftStore(sessionId, local);
    stores.set(sessionId, store);
    return store;
  }

  return {
    of,
    remove(sessionId) {
      const isHeld = stores.has(sessionId);
      const store = of(sessionId);
      store.close();
      store.remove();
      if (isHeld) return;
      // Of a session that was not opened nobody holds the store: without a draft it goes.
      void store.flush().then(() => void (store.isLetGo() && stores.delete(sessionId)));
    },
    flush: () => Promise.all([...stores.values()].map((store) => store.flush())),
  };
}
