import type { Page } from '@playwright/test';
import { PAGE_SIDE } from '../apart/apart-app';
import type { PageSide } from '../apart/page-side';

/**
 * Drops a file of the disk on the window, as the system's file manager would: through the protocol, because a page can't
 * make a `File` that has a path.
 */
export async function dropFile(page: Page, path: string): Promise<void> {
  // Electron tells the preload where a dropped file lies, a browser nobody: there the test does.
  await page.evaluate(
    ([side, file]) => (window as unknown as Record<string, PageSide | undefined>)[side]?.given(file),
    [PAGE_SIDE, path] as const,
  );
  const session = await page.context().newCDPSession(page);
  const { width, height } = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  const place = { x: Math.round(width / 2), y: Math.round(height / 2), data };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, ...place });
  }
  await session.detach();
}
