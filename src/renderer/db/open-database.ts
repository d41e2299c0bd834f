import { DATABASE_NAME, EspalierDatabase } from './database';
import { detectReset, type DatabaseState } from './detect-reset';
import { describeStorageProblem, type StorageProblem } from './storage-problem';
import { withTimeLimit } from './time-limit';

export type OpenedDatabase =
  | { ok: true; db: EspalierDatabase; state: DatabaseState }
  /** The window goes on without its database; the journals hold everything. */
  | { ok: false; problem: StorageProblem };

/**
 * Opens the database and says whether it is new or was emptied by the browser. Never rejects; may be called again.
 * @param failures how often that failed before, one after the other
 */
export async function openDatabase(failures = 0, name = DATABASE_NAME): Promise<OpenedDatabase> {
  const db = new EspalierDatabase(name);
  try {
    const state = await withTimeLimit(detectReset(name));
    await withTimeLimit(db.open());
    // Chromium may not ask before it evicts; this asks it not to.
    void navigator.storage?.persist?.().catch(() => undefined);
    return { ok: true, db, state };
  } catch (error) {
    // One that comes late would hold the database for nobody.
    db.close();
    return { ok: false, problem: describeStorageProblem(error, failures) };
  }
}
