import { announceMove } from '../../parts/hold-end';

/** Rounding of a zoomed window. */
const SLACK_PX = 3;

/**
 * Brings head and answers of a card into view; false if they stood there already, as far as there is room for them.
 * @param head stays at the top of the transcript while the card is scrolled, and covers what is there
 */
export function bringInSight(card: HTMLElement | null, head: HTMLElement | null, answers: HTMLElement | null): boolean {
  if (!card || !head || !answers || isSeen(card, head, answers)) return false;
  announceMove(card);
  card.scrollIntoView({ block: 'nearest' });
  if (!isSeen(card, head, answers)) {
    answers.style.scrollMarginTop = `${head.offsetHeight}px`;
    answers.scrollIntoView({ block: 'nearest' });
  }
  return true;
}

function isSeen(card: HTMLElement, head: HTMLElement, answers: HTMLElement): boolean {
  const list = card.closest('[data-transcript]')?.getBoundingClientRect();
  const top = Math.max(0, list?.top ?? 0);
  const bottom = Math.min(window.innerHeight, list?.bottom ?? Number.POSITIVE_INFINITY);
  return isWithin(head, top, bottom) && isWithin(answers, head.getBoundingClientRect().bottom, bottom);
}

/** Whether all of it, or as much as there is room for, stands between two heights of the window. */
function isWithin(element: HTMLElement, top: number, bottom: number): boolean {
  const box = element.getBoundingClientRect();
  // Of what there is no room for at all, nothing is missing: a head higher than the window must not hold the keys for ever.
  const seen = Math.max(0, Math.min(box.bottom, bottom) - Math.max(box.top, top));
  return seen >= Math.min(box.height, Math.max(0, bottom - top)) - SLACK_PX;
}
