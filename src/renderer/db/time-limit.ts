/** A database call that did not settle: on a full disk Chromium leaves transactions pending for ever (QB2). */
export class DatabaseTimeout extends Error {
  override name = 'DatabaseTimeout';
}

/** Milliseconds after which a database call counts as hung. Long enough for a slow disk, short enough to tell. */
const DATABASE_LIMIT_MS = 10_000;

/** Settles as `work` does, or rejects with `DatabaseTimeout`. The work itself can't be taken back. */
export function withTimeLimit<T>(work: PromiseLike<T>, ms = DATABASE_LIMIT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new DatabaseTimeout(`The database did not answer within ${ms / 1000} seconds.`)),
      ms,
    );
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
