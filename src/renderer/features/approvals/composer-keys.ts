/** When the composer last had a key: a card must not take the keyboard from somebody who writes (docs/specs/safety.md C2). */

let last = Number.NEGATIVE_INFINITY;
const EVENTS = ['keydown', 'input', 'compositionupdate', 'paste'] as const;

/** Listens from now on. Returns what ends it. */
export function watchComposer(): () => void {
  const note = (event: Event): void => {
    if (event.target instanceof Element && event.target.closest('[data-composer]')) last = performance.now();
  };
  for (const name of EVENTS) document.addEventListener(name, note, true);
  return () => {
    for (const name of EVENTS) document.removeEventListener(name, note, true);
  };
}

const QUIET_MS = 2_000;

/**
 * Whether a card may take the focus: nothing has it, and nobody wrote just now. Never from the composer, however long it rests: who
 * pauses and then types "1. …" means a message, and in the card that is an answer.
 */
export function mayTakeFocus(): boolean {
  if (document.querySelector('[role="dialog"][data-state="open"], [role="menu"]')) return false;
  const active = document.activeElement;
  return (active === null || active === document.body) && performance.now() - last > QUIET_MS;
}
