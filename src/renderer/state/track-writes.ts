import type { LocalStore } from './local-store';

/** The store, and a promise for the end of all writes that are on their way: a window that closes waits for them. */
export function trackWrites(store: LocalStore): { local: LocalStore; written: () => Promise<void> } {
  const running = new Set<Promise<void>>();
  const track = (write: Promise<void>): Promise<void> => {
    running.add(write);
    const end = (): void => void running.delete(write);
    write.then(end, end);
    return write;
  };
  const local: LocalStore = {
    getDraft: (sessionId) => store.getDraft(sessionId),
    putDraft: (sessionId, draft) => track(store.putDraft(sessionId, draft)),
    draftsAlone: () => store.draftsAlone(),
    getUi: (key) => store.getUi(key),
    putUi: (key, value) => track(store.putUi(key, value)),
    loadEntries: (sessionId, wanted) => store.loadEntries(sessionId, wanted),
  };
  /** A write that ends may have led to another. */
  async function written(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running);
  }
  return { local, written };
}
