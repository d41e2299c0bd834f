const FIELDS = 'input, textarea, select, [contenteditable]';

/** Whether the system's own menu and keys are right there. */
export function isInField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null;
}
