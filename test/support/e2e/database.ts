import type { Page } from '@playwright/test';
import type { SyncMark } from '@shared/types';

/** All rows of a table of the window's database, read beside the app with the raw API. */
function rowsOf(page: Page, table: string): Promise<unknown[]> {
  return page.evaluate(
    (name) =>
      new Promise<unknown[]>((resolve, reject) => {
        const opening = indexedDB.open('espalier');
        opening.onerror = () => reject(opening.error as Error);
        opening.onsuccess = () => {
          const database = opening.result;
          const reading = database.transaction(name).objectStore(name).getAll();
          reading.onerror = () => reject(reading.error as Error);
          reading.onsuccess = () => {
            database.close();
            resolve(reading.result);
          };
        };
      }),
    table,
  );
}

/** The texts of all drafts that the database holds. */
export async function storedDrafts(page: Page): Promise<string[]> {
  return ((await rowsOf(page, 'drafts')) as { draft: { text: string } }[]).map(({ draft }) => draft.text);
}

/** How far the database has each session. */
export async function storedMarks(page: Page): Promise<SyncMark[]> {
  return (await rowsOf(page, 'marks')) as SyncMark[];
}

/** Stores a draft beside the app, as an earlier start may have left it. */
export function storeDraft(page: Page, sessionId: string, text: string, aside: string[] = []): Promise<void> {
  return page.evaluate(
    (row) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('espalier');
        opening.onerror = () => reject(opening.error as Error);
        opening.onsuccess = () => {
          const database = opening.result;
          const writing = database.transaction('drafts', 'readwrite');
          writing.objectStore('drafts').put(row);
          writing.onerror = () => reject(writing.error as Error);
          writing.oncomplete = () => {
            database.close();
            resolve();
          };
        };
      }),
    { sessionId, draft: { text, attachments: [], aside } },
  );
}
