import { expect, type Locator } from '@playwright/test';
import { LONG } from './chat';

export interface CardReading {
  /** What the card draws of the text, line by line; `readBack` gives the exact text. */
  text: string;
  /** What is wrong with how it is drawn: out of order, clipped, unseen. At most a few. */
  problems: string[];
}

/**
 * Reads a card as a person does: opens all of its text, then looks at what is rendered and where. Characters of a line go from left to
 * right or begin a new row below; a word that runs from right to left counts as one. Nothing may be clipped, transparent or tiny.
 */
export async function readCard(card: Locator): Promise<CardReading> {
  const region = card.getByRole('region');
  await expect(region).toHaveAttribute('aria-busy', 'false', { timeout: LONG });
  const showAll = region.getByRole('button', { name: 'Show all' });
  if ((await showAll.count()) > 0) await showAll.click();
  await region
    .locator('[aria-expanded="false"]')
    .evaluateAll((closed) => closed.forEach((head) => (head as HTMLElement).click()));
  await expect(region).toHaveAttribute('aria-busy', 'false', { timeout: LONG });
  return region.evaluate((box) => {
    const problems: string[] = [];
    const complain = (words: string): void => void (problems.length < 5 && problems.push(words));
    const parts: string[] = [];
    const lines = [...box.querySelectorAll<HTMLElement>('[data-visible]')];
    if (box.scrollWidth > box.clientWidth + 1) complain(`the text is wider than its box: ${box.scrollWidth}`);
    let lineTop = -Infinity;
    for (const line of lines) {
      if (line.innerText !== line.textContent)
        complain(`part of a line is not rendered: ${line.textContent?.slice(0, 40)}`);
      // A line that is parted goes on in the next element.
      parts.push(line.innerText + (line.dataset.goesOn ? '' : '\n'));
      checkStyle(line);
      const frame = line.getBoundingClientRect();
      if (frame.top < lineTop - 1) complain('a line stands above the one before it');
      lineTop = frame.top;
      checkOrder(line, frame);
    }
    return { text: parts.join('').replace(/\n$/, ''), problems };

    function checkStyle(line: HTMLElement): void {
      for (const element of [line, ...line.querySelectorAll<HTMLElement>('*')]) {
        const style = getComputedStyle(element);
        const alpha = /rgba\(.*, ([\d.]+)\)$/.exec(style.color)?.[1];
        if (style.visibility !== 'visible' || style.opacity !== '1' || (alpha !== undefined && Number(alpha) < 0.5))
          complain(`unseen: ${element.textContent?.slice(0, 40)}`);
        if (parseFloat(style.fontSize) < 10) complain('tiny');
        if (style.overflow !== 'visible') complain('clipped by its own box');
      }
    }

    function checkOrder(line: HTMLElement, frame: DOMRect): void {
      let last: { left: number; top: number; bottom: number } | null = null;
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const isRtl = getComputedStyle(node.parentElement as Element).direction === 'rtl';
        const text = node.textContent ?? '';
        const units = isRtl ? [text] : [...text];
        let at = 0;
        for (const unit of units) {
          const range = document.createRange();
          range.setStart(node, at);
          at += unit.length;
          range.setEnd(node, at);
          if (/^\p{M}+$/u.test(unit) || unit === '\u200d' || unit === '\ufe0f') continue;
          const place = range.getBoundingClientRect();
          if (place.width <= 0 || place.height <= 0) return complain(`no room for “${unit}” at ${at}`);
          if (place.left < frame.left - 1 || place.right > frame.right + 1)
            return complain(`“${unit}” is out of its box`);
          if (last) {
            const isSameRow = Math.abs(place.top - last.top) < place.height / 2;
            if (isSameRow && place.left < last.left - 0.5)
              return complain(`“${unit}” at ${at} stands before what precedes it`);
            if (!isSameRow && place.top < last.top) return complain(`“${unit}” at ${at} stands above what precedes it`);
          }
          last = place;
        }
      }
    }
  });
}
