import type { EspalierDatabase } from './database';
import { withTimeLimit } from './time-limit';

const last = new WeakMap<EspalierDatabase, Promise<unknown>>();

/**
 * Writes one after the other, whatever stores they are of: a kill while two of them are being written can leave a database that Chromium
 * can't read at the next start, and empties. One that hangs is waited for as long as its limit says.
 */
export function inTurn<T>(db: EspalierDatabase, write: () => PromiseLike<T>, limitMs?: number): Promise<T> {
  const begin = (): Promise<T> => withTimeLimit(write(), limitMs);
  const turn = last.get(db)?.then(begin, begin) ?? begin();
  last.set(db, turn);
  const forget = (): void => void (last.get(db) === turn && last.delete(db));
  turn.then(forget, forget);
  return turn;
}
