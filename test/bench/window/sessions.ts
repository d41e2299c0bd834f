import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { sessionFile, sessionIdOf, type SessionOptions } from '../sessions';

/** Puts generated sessions into the home of an app that does not run yet. */
export async function putSessions(home: string, sessions: readonly SessionOptions[]): Promise<string[]> {
  mkdirSync(join(home, 'sessions'), { recursive: true });
  const ids: string[] = [];
  for (const options of sessions) {
    const id = sessionIdOf(options);
    copyFileSync(await sessionFile(options), join(home, 'sessions', `${id}.jsonl`));
    ids.push(id);
  }
  return ids;
}

/** Waits until the window's database holds the sessions, so that copying them is not measured with something else. */
export async function untilCopied(page: Page, sessions: readonly SessionOptions[]): Promise<void> {
  await untilMarked(
    page,
    sessions.map((options) => [sessionIdOf(options), options.entries] as const),
  );
}

/** The same for sessions by their ids, each with the number of its entries. */
export async function untilMarked(page: Page, wanted: (readonly [string, number])[]): Promise<void> {
  await page.waitForFunction(isCopied, wanted, { timeout: 120_000, polling: 250 });
  // The rows that are still single are moved into chunks after the mark.
  await page.waitForTimeout(1_000);
}

/** Runs in the page. */
function isCopied(wanted: (readonly [string, number])[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('espalier');
    request.onerror = () => reject(request.error ?? new Error('The database could not be opened.'));
    request.onsuccess = () => {
      const db = request.result;
      const all = db.transaction('marks').objectStore('marks').getAll();
      all.onsuccess = () => {
        const marks = new Map(
          (all.result as { sessionId: string; seq: number }[]).map((mark) => [mark.sessionId, mark.seq]),
        );
        db.close();
        resolve(wanted.every(([id, seq]) => (marks.get(id) ?? -1) >= seq));
      };
    };
  });
}

/**
 * Runs in the page: opens a session by its row and resolves with the milliseconds from the click until its newest row is
 * painted with its text.
 */
export function openAndPaint([sessionId, entryId]: readonly [string, string]): Promise<number> {
  const row = document.querySelector<HTMLElement>(`[data-session="${sessionId}"]`);
  if (!row) throw new Error(`Session ${sessionId} is not in the list.`);
  const start = performance.now();
  row.click();
  return new Promise((resolve) => {
    const look = (): void => {
      const newest = document.querySelector(`[data-transcript] [data-entry="${entryId}"]`);
      if (!newest || newest.querySelector('[aria-label="Loading"]')) {
        requestAnimationFrame(look);
        return;
      }
      // A task after this frame's callbacks runs once the frame is painted.
      const painted = new MessageChannel();
      painted.port1.onmessage = () => resolve(performance.now() - start);
      painted.port2.postMessage(null);
    };
    requestAnimationFrame(look);
  });
}

/** Runs in the page: scrolls up 400 px a frame. Resolves with the milliseconds of each frame and the most elements seen. */
export function scrollUp(frames: number): Promise<{ times: number[]; elements: number }> {
  const scroller = document.querySelector('[data-transcript]');
  if (!scroller) throw new Error('No transcript is open.');
  const times: number[] = [];
  let elements = 0;
  return new Promise((resolve) => {
    let last = performance.now();
    const step = (): void => {
      const now = performance.now();
      times.push(now - last);
      last = now;
      elements = Math.max(elements, document.querySelectorAll('*').length);
      if (times.length === frames) return resolve({ times: times.slice(1), elements });
      scroller.scrollTop -= 400;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}
