/** How far each key scrolls a text, in heights of its box. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 0.1,
  ArrowUp: -0.1,
  PageDown: 0.9,
  PageUp: -0.9,
  Home: -Infinity,
  End: Infinity,
};

/**
 * Reads on by a key that came to another part of the card than its text: who was led to the card by a key reads it by keys. The text has
 * the focus from then on. False if the key is none of these, or what has the focus hears it itself.
 */
export function readOn(card: HTMLElement | null, target: EventTarget, key: string): boolean {
  const box = card?.querySelector<HTMLElement>('[role="region"]');
  // The space bar presses buttons.
  const step = key === ' ' && target === card ? 0.9 : STEPS[key];
  // What else has the focus, as the command that was asked at first, scrolls itself.
  const isOther = target !== card && !(target instanceof HTMLButtonElement);
  if (!box || step === undefined || isOther || box.contains(target as Node)) return false;
  box.focus({ preventScroll: true });
  if (Number.isFinite(step)) {
    box.scrollTop += step * box.clientHeight;
    return true;
  }
  // What is still being drawn goes on to its end by its own way (`useEndOfDrawn`).
  box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  box.scrollTop = step < 0 ? 0 : box.scrollHeight;
  return true;
}
