/** What the browser did to the database before we got it. */
export type DatabaseState = 'present' | 'new' | 'lost';

/**
 * Opens the database once with the raw API, because Dexie does not look at what Chromium says on `upgradeneeded`: that
 * it found the files damaged and started with an empty database (`dataLoss`, QB2). Creates nothing: the
 * upgrade of a database that is not there is aborted.
 */
export function detectReset(name: string, factory: IDBFactory = indexedDB): Promise<DatabaseState> {
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
