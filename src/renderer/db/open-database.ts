import { DATABASE_NAME, EspalierDatabase } from './database';
import { detectReset, type DatabaseState } from './detect-reset';
import { describeStorageProblem, type StorageProblem } from './storage-problem';
import { withTimeLimit } from './time-limit';

export type OpenedDatabase =
  | { ok: true; db: EspalierDatabase; state: DatabaseState }
  /** The window goes on without its database; the journals hold everything. */
  | { ok: false; problem: StorageProblem };

/** Opens the database and says whether it is new or was emptied by the browser. Never rejects. */
export async function openDatabase(name = DATABASE_NAME): Promise<OpenedDatabase> {
  try {
    const state = await withTimeLimit(detectReset(name));
    const db = new EspalierDatabase(name);
    await withTimeLimit(db.open());
    // Chromium may not ask before it evicts; this asks it not to.
    void navigator.storage?.persist?.().catch(() => undefined);
    return { ok: true, db, state };
  } catch (error) {
    return { ok: false, problem: describeStorageProblem(error, 'Restart Espalier to try again.') };
  }
}
