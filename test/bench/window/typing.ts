import type { Page } from '@playwright/test';

const KEYS = 100;
/** Milliseconds between two keys: a fast typist's. */
const PAUSE = 60;
/** The first keys after a start are no part of it: fonts and caches. */
const WARM_UP = 10;

/** Runs in the page: notes for every key the milliseconds from the press until the frame that shows it is painted. */
export function watchKeys(): void {
  const seen: number[] = [];
  document.addEventListener(
    'keydown',
    ({ timeStamp }) => {
      requestAnimationFrame(() => {
        // A task after this frame's callbacks runs once the frame is painted.
        const painted = new MessageChannel();
        painted.port1.onmessage = () => seen.push(performance.now() - timeStamp);
        painted.port2.postMessage(null);
      });
    },
    { capture: true },
  );
  Object.assign(window, { seenKeys: seen });
}

/** Types into the composer and gives the time of each key; what was typed is there and is taken out again. */
export async function type(page: Page): Promise<number[]> {
  const composer = page.locator('[data-composer]');
  await composer.focus();
  await page.evaluate(() => void ((window as unknown as { seenKeys: number[] }).seenKeys.length = 0));
  const text = 'the quick brown fox jumps over the lazy dog '.repeat(4).slice(0, KEYS + WARM_UP);
  await page.keyboard.type(text, { delay: PAUSE });
  if ((await composer.inputValue()) !== text) throw new Error('What was typed is not in the composer.');
  await page.waitForTimeout(200);
  const times = await page.evaluate(() => [...(window as unknown as { seenKeys: number[] }).seenKeys]);
  if (times.length !== text.length) throw new Error(`${times.length} of ${text.length} keys were seen.`);
  await composer.fill('');
  return times.slice(WARM_UP);
}
