import { AppError } from '../bridge';
import { DatabaseTimeout } from './time-limit';

export interface StorageProblem {
  state: 'full' | 'blocked' | 'lost';
  /** For the person: what happened, what is safe. */
  text: string;
  detail: string;
}

const SAFE = 'Your sessions are safe in their journal files.';
const AGAIN = 'Espalier tries again by itself.';

/** What a failed database call means. Dexie wraps the browser's errors, so the inner one is looked at too. */
export function describeStorageProblem(error: unknown): StorageProblem {
  if (error instanceof AppError) {
    return {
      state: 'lost',
      text: `The second copy of a session could not be brought up to date: ${error.message} ${SAFE} ${AGAIN}`,
      detail: `AppError: ${error.message}`,
    };
  }
  const names = errorNames(error);
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (names.has('QuotaExceededError') || /quota|no space|disk.*full|FILE_ERROR_NO_SPACE/i.test(detail)) {
    return {
      state: 'full',
      text: `The disk is full: the window's database takes nothing more. ${SAFE} ${AGAIN}`,
      detail,
    };
  }
  if (error instanceof DatabaseTimeout || names.has('TimeoutError')) {
    return { state: 'blocked', text: `The window's database does not answer. ${SAFE} ${AGAIN}`, detail };
  }
  return { state: 'lost', text: `The window's database could not be written. ${SAFE} ${AGAIN}`, detail };
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
