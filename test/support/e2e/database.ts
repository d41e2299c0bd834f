import type { Page } from '@playwright/test';
import type { SyncMark } from '@shared/types';
import type { Draft, SentMessage } from '../../../src/renderer/state/local-store';

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

/** Takes all rows out of all tables of the window's database. */
export function emptyDatabase(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('espalier');
        opening.onerror = () => reject(opening.error as Error);
        opening.onsuccess = () => {
          const database = opening.result;
          const names = [...database.objectStoreNames];
          const writing = database.transaction(names, 'readwrite');
          for (const name of names) writing.objectStore(name).clear();
          writing.onerror = () => reject(writing.error as Error);
          writing.oncomplete = () => {
            database.close();
            resolve();
          };
        };
      }),
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

/** How many files of drafts the database holds apart. */
export async function storedFiles(page: Page): Promise<number> {
  return (await rowsOf(page, 'draftFiles')).length;
}

/** Puts a database of version 1 with one draft in the place of the window's, which lets go of its own. */
export function storeInVersion1(page: Page, sessionId: string, draft: Draft): Promise<void> {
  return page.evaluate(
    (row) =>
      new Promise<void>((resolve, reject) => {
        const removing = indexedDB.deleteDatabase('espalier');
        removing.onerror = () => reject(removing.error as Error);
        // Dexie counts in tens.
        const opening = indexedDB.open('espalier', 10);
        opening.onupgradeneeded = () => {
          for (const table of ['records', 'chunks'])
            opening.result.createObjectStore(table, { keyPath: ['sessionId', 'seq'] });
          for (const table of ['marks', 'drafts']) opening.result.createObjectStore(table, { keyPath: 'sessionId' });
          opening.result.createObjectStore('ui', { keyPath: 'key' });
          opening.transaction?.objectStore('drafts').put(row);
        };
        opening.onerror = () => reject(opening.error as Error);
        opening.onsuccess = () => {
          opening.result.close();
          resolve();
        };
      }),
    { sessionId, draft },
  );
}

/** Stores a draft beside the app, as an earlier start may have left it. */
export function storeDraft(
  page: Page,
  sessionId: string,
  text: string,
  aside: string[] = [],
  sent: SentMessage[] = [],
): Promise<void> {
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
    { sessionId, draft: { text, attachments: [], aside, sent } },
  );
}
