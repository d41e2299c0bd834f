import type { Draft, LocalStore } from '../state/local-store';
import type { EspalierDatabase } from './database';
import { loadLines } from './session-records';
import { withTimeLimit } from './time-limit';

/** Drafts, pane sizes and entries from the database. Calls reject when it fails; callers carry on without. */
export function createDatabaseStore(db: EspalierDatabase): LocalStore {
  return {
    getDraft: async (sessionId) =>
      ((await withTimeLimit(db.drafts.get(sessionId)))?.draft as Draft | undefined) ?? null,
    putDraft: async (sessionId, draft) => {
      if (draft) await withTimeLimit(db.drafts.put({ sessionId, draft }));
      else await withTimeLimit(db.drafts.delete(sessionId));
    },
    getUi: async (key) => (await withTimeLimit(db.ui.get(key)))?.value,
    putUi: async (key, value) => {
      await withTimeLimit(db.ui.put({ key, value }));
    },
    loadEntries: (sessionId, wanted) => loadLines(db, sessionId, wanted),
  };
}
