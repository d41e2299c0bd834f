import type { LocalStore } from '../state/local-store';
import type { EspalierDatabase } from './database';
import { readDraft, writeDraft } from './drafts';
import { loadLines } from './session-records';
import { withTimeLimit } from './time-limit';

/** Drafts, pane sizes and entries from the database. Calls reject when it fails; callers carry on without. */
export function createDatabaseStore(db: EspalierDatabase): LocalStore {
  return {
    getDraft: (sessionId) => readDraft(db, sessionId),
    putDraft: (sessionId, draft) => writeDraft(db, sessionId, draft),
    getUi: async (key) => (await withTimeLimit(db.ui.get(key)))?.value,
    putUi: async (key, value) => {
      await withTimeLimit(db.ui.put({ key, value }));
    },
    loadEntries: (sessionId, wanted) => loadLines(db, sessionId, wanted),
  };
}
