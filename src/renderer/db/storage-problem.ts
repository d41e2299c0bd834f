import { AppError } from '../bridge';
import { DatabaseTimeout } from './time-limit';

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
