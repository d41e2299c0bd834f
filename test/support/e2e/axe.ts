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

/**
 * Serious and critical findings of axe (WCAG 2.2 A and AA and its best practices), one line each. It is put into the
 * page through the debugger, because the page's own policy lets no script in.
 */
export async function seriousIssues(page: Page): Promise<string[]> {
  const debug = await page.context().newCDPSession(page);
  const run = async (expression: string): Promise<unknown> => {
    const answer = await debug.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? 'axe failed');
    return answer.result.value;
  };
  try {
    await run(`${source};0`);
    // A colour on its way from one theme to the other has the contrast of neither.
    await run(STILL);
    // Only this page: the frame that draws diagrams is hidden and has no content of ours.
    const found = (await run('axe.run(document, { iframes: false })')) as AxeResults;
    return found.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
      );
  } finally {
    await debug.detach();
  }
}

/** The same in the dark and in the light theme, each finding with its theme. The theme is the system's. */
export async function issuesInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    for (const issue of await seriousIssues(page)) found.push(`${colorScheme}: ${issue}`);
  }
  return found;
}
