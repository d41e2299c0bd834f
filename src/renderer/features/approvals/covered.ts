/** Pixels inside the edge: a border may be rounded. */
const INSET_PX = 8;
const HEIGHTS = [0.25, 0.5, 0.75];

/** Whether something lies over one side of a card from top to bottom, such as a pane that floats: then not all of its text can be read. */
export function isCovered(card: HTMLElement): boolean {
  const box = card.getBoundingClientRect();
  const list = card.closest('[data-transcript]')?.getBoundingClientRect();
  const top = Math.max(box.top, list?.top ?? 0, 0);
  const height = Math.min(box.bottom, list?.bottom ?? Number.POSITIVE_INFINITY, window.innerHeight) - top;
  // What is not on screen is nothing that lies below something.
  if (height <= 0) return false;
  return [box.left + INSET_PX, box.right - INSET_PX].some((x) =>
    HEIGHTS.every((part) => !card.contains(document.elementFromPoint(x, top + height * part))),
  );
}
