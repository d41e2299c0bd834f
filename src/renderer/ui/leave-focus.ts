/**
 * A ref for what may go with the focus in it, such as the button that dismisses its own row: unless somebody else takes the focus then,
 * the composer has it, so that the keyboard is never nowhere (WN9).
 */
export function leaveFocus(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined;
  return () => {
    if (!element.contains(document.activeElement)) return;
    setTimeout(() => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('[data-composer]')?.focus();
    });
  };
}
