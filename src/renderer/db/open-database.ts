import { AppError } from '../bridge';
import { DATABASE_NAME, DatabaseTimeout, EspalierDatabase, withTimeLimit } from './database';

/** What the browser did to the database before we got it. */
type DatabaseState = 'present' | 'new' | 'lost';

/**
 * Opens the database once with the raw API, because Dexie does not look at what Chromium says on `upgradeneeded`: that
 * it found the files damaged and started with an empty database (`dataLoss`, QB2). Creates nothing: the
 * upgrade of a database that is not there is aborted.
 */
function detectReset(name: string, factory: IDBFactory = indexedDB): Promise<DatabaseState> {
  return new Promise((resolve, reject) => {
    let state: DatabaseState = 'present';
    const request = factory.open(name);
    request.onupgradeneeded = (event) => {
      state = (event as IDBVersionChangeEvent & { dataLoss?: string }).dataLoss === 'total' ? 'lost' : 'new';
      request.transaction?.abort();
    };
    request.onsuccess = () => {
      request.result.close();
      resolve(state);
    };
    request.onerror = (event) => {
      event.preventDefault();
      if (state === 'present') reject(request.error ?? new Error('The database could not be opened.'));
      else resolve(state);
    };
    request.onblocked = () => reject(new DOMException('Another window holds the database.', 'BlockedError'));
  });
}

export interface StorageProblem {
  /** `broken`: trying again won't help. */
  state: 'full' | 'blocked' | 'lost' | 'broken';
  /** For the person: what happened, what is safe. */
  text: string;
  detail: string;
}

const SAFE = 'Your sessions are safe in their journal files.';
const AGAIN = 'Espalier will try again.';
const ANEW = 'The database is rebuilt the next time Espalier starts.';
/** A failure that only a new database can end is none of these: a later Espalier has made it, or another window has it. */
const NOT_BROKEN = new Set(['VersionError', 'BlockedError']);

/**
 * What a failed database call means. Dexie wraps the browser's errors, so the inner one is looked at too.
 * @param failures how often the database failed before this, one after the other
 */
export function describeStorageProblem(error: unknown, failures = 0): StorageProblem {
  if (error instanceof AppError) {
    return {
      state: 'lost',
      text: `The second copy of a session could not be updated: ${error.message} ${SAFE} ${AGAIN}`,
      detail: `AppError: ${error.message}`,
    };
  }
  const names = errorNames(error);
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (names.has('QuotaExceededError') || /quota|no space|disk.*full|FILE_ERROR_NO_SPACE/i.test(detail)) {
    return {
      state: 'full',
      text: `The disk is full, so the window's database can’t be written. ${SAFE} ${AGAIN}`,
      detail,
    };
  }
  if (error instanceof DatabaseTimeout || names.has('TimeoutError')) {
    return { state: 'blocked', text: `The window's database is not responding. ${SAFE} ${AGAIN}`, detail };
  }
  const isBroken = failures > 0 && ![...names].some((name) => NOT_BROKEN.has(name));
  return {
    state: isBroken ? 'broken' : 'lost',
    text: `The window's database could not be written. ${SAFE} ${isBroken ? ANEW : AGAIN}`,
    detail,
  };
}

function errorNames(error: unknown): Set<string> {
  const names = new Set<string>();
  for (
    let at = error;
    at instanceof Error || at instanceof DOMException;
    at = (at as { inner?: unknown; cause?: unknown }).inner ?? (at as { cause?: unknown }).cause
  ) {
    if (names.has(at.name)) break;
    names.add(at.name);
  }
  return names;
}

type OpenedDatabase =
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
