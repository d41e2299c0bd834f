import type { Page } from '@playwright/test';

/** The texts of all drafts that the window's database holds, read beside the app with the raw API. */
export function storedDrafts(page: Page): Promise<string[]> {
  return page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('espalier');
        opening.onerror = () => reject(opening.error as Error);
        opening.onsuccess = () => {
          const database = opening.result;
          const reading = database.transaction('drafts').objectStore('drafts').getAll();
          reading.onerror = () => reject(reading.error as Error);
          reading.onsuccess = () => {
            database.close();
            resolve((reading.result as { draft: { text: string } }[]).map(({ draft }) => draft.text));
          };
        };
      }),
  );
}
