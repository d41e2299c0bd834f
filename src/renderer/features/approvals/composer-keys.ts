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

/** Whether a card may take the focus: nothing has it, or a composer that is empty and rests. */
export function mayTakeFocus(): boolean {
  if (document.querySelector('[role="dialog"][data-state="open"], [role="menu"]')) return false;
  const active = document.activeElement;
  if (active === null || active === document.body) return performance.now() - last > QUIET_MS;
  if (!(active instanceof HTMLTextAreaElement) || !active.matches('[data-composer]')) return false;
  return active.value === '' && performance.now() - last > QUIET_MS;
}
