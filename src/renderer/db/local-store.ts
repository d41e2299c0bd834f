import type { LocalStore } from '../state/local-store';
import type { EspalierDatabase } from './database';
import { readDraft, writeDraft } from './drafts';
import { inTurn } from './in-turn';
import { loadLines } from './session-records';
import { withTimeLimit } from './time-limit';

/** Drafts, pane sizes and entries from the database. Calls reject when it fails; callers carry on without. */
export function createDatabaseStore(db: EspalierDatabase): LocalStore {
  return {
    getDraft: (sessionId) => readDraft(db, sessionId),
    putDraft: (sessionId, draft) => writeDraft(db, sessionId, draft),
    draftsAlone: async () => {
      const [drafts, marks] = await withTimeLimit(
        Promise.all([db.drafts.toCollection().primaryKeys(), db.marks.toCollection().primaryKeys()]),
      );
      const said = new Set(marks);
      return drafts.filter((id) => !said.has(id));
    },
    getUi: async (key) => (await withTimeLimit(db.ui.get(key)))?.value,
    putUi: async (key, value) => {
      await inTurn<unknown>(db, () => (value === undefined ? db.ui.delete(key) : db.ui.put({ key, value })));
    },
    loadEntries: (sessionId, wanted) => loadLines(db, sessionId, wanted),
  };
}
