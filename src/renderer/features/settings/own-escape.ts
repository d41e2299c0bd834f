import type { KeyboardEvent } from 'react';

interface OwnEscape {
  'data-own-escape': true;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/**
 * What a form in Settings does with Escape: the first one leaves it, the second one, which is pressed outside of it, closes Settings. A
 * form with something in it stays as it is meanwhile, so that nothing half typed is lost unseen.
 */
export function ownEscape(hasText: boolean, onDone: () => void, onKept?: () => void): OwnEscape {
  return {
    'data-own-escape': true,
    onKeyDown: (event) => {
      if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
      event.preventDefault();
      // The dialog takes the focus, before what has it goes.
      event.currentTarget.closest<HTMLElement>('[role="dialog"]')?.focus();
      if (hasText) onKept?.();
      else onDone();
    },
  };
}
