import type { Locator, Page } from '@playwright/test';

/** Presses a key until `target` has the focus; fails after `most` presses and says where the focus went. */
export async function pressUntilFocused(page: Page, key: string, target: Locator, most = 30): Promise<void> {
  const walked: string[] = [];
  for (let press = 0; press < most; press++) {
    if (await hasFocus(target)) return;
    await page.keyboard.press(key);
    walked.push((await focused(page)).name);
  }
  if (!(await hasFocus(target))) throw new Error(`${key} did not reach ${String(target)}: ${walked.join(' | ')}`);
}

async function hasFocus(target: Locator): Promise<boolean> {
  if ((await target.count()) !== 1) return false;
  return target.evaluate((element) => element === document.activeElement);
}

export interface Focused {
  /** Tag and accessible name or text. */
  name: string;
  /** The focus can be seen: an outline, on the element or what frames it, or a ring on a part of it. */
  visible: boolean;
  /** Somebody who can't see the screen is told what it is. */
  named: boolean;
}

/** What has the keyboard. */
export function focused(page: Page): Promise<Focused> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return { name: 'nothing', visible: false, named: false };
    const labels = (element as HTMLInputElement).labels ?? [];
    const name =
      element.getAttribute('aria-label') ?? labels[0]?.textContent ?? element.textContent?.trim().slice(0, 40) ?? '';
    const drawn = (part: Element): boolean => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
    };
    // Fields may show the focus on their frame: up to three boxes around them.
    let frame: Element | null = element;
    let visible = false;
    for (let steps = 0; frame && steps < 3 && !visible; steps++, frame = frame.parentElement) visible = drawn(frame);
    // A thin line shows it on its grip.
    const ringed = (part: Element): boolean => / 0px 0px 0px [1-9]/.test(getComputedStyle(part).boxShadow);
    visible ||= [...element.children].some(ringed);
    return { name: `${element.tagName.toLowerCase()} “${name}”`, visible, named: name.trim() !== '' };
  });
}
