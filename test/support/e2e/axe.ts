import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';

const source = readFileSync(createRequire(join(process.cwd(), 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits until what moves has come to its end; spinners never do. */
const STILL = `Promise.race([
  new Promise((resolve) => setTimeout(resolve, 2000)),
  Promise.allSettled(
    document.getAnimations().filter((it) => it.effect?.getComputedTiming().endTime !== Infinity).map((it) => it.finished),
  ),
]).then(() => 0)`;

/** The rules whose findings depend on colours: in the second theme nothing else of a page is another. */
const COLORS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * Serious and critical findings of axe (WCAG 2.2 A and AA and its best practices), one line each. It is put into the
 * page through the debugger, because the page's own policy lets no script in.
 * @param colorsOnly for a page that was looked at as a whole in the other theme
 */
export async function seriousIssues(page: Page, { colorsOnly = false } = {}): Promise<string[]> {
  const debug = await page.context().newCDPSession(page);
  const run = async (expression: string): Promise<unknown> => {
    const answer = await debug.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? 'axe failed');
    return answer.result.value;
  };
  try {
    if ((await run('typeof axe')) !== 'object') await run(`${source};0`);
    // A colour on its way from one theme to the other has the contrast of neither.
    await run(STILL);
    // Only this page: the frame that draws diagrams is hidden and has no content of ours.
    // Where what is well stands is not asked: that took longer than all the rest.
    const options = { iframes: false, resultTypes: ['violations'], ...(colorsOnly && { runOnly: COLORS }) };
    const violations = (await run(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
    )) as AxeResults['violations'];
    // What an open menu hides keeps its stops of Tab, and axe takes only a dialog for something that holds the focus. A menu holds it too.
    const isHeld = await run(`document.activeElement?.closest('[role="menu"]') != null`);
    return violations
      .filter(({ id }) => id !== 'aria-hidden-focus' || isHeld !== true)
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
      );
  } finally {
    await debug.detach();
  }
}

/** The same in light and in dark, as the desktop says; under reduced motion, so that nothing is caught half way. */
export async function findNothingSerious(page: Page, what = ''): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    expect
      .soft(await seriousIssues(page, { colorsOnly: colorScheme === 'dark' }), `${what} ${colorScheme}`)
      .toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
