/**
 * Keys that were meant for a card that has gone: the keyboard is the composer's at once then, with whatever draft stands in it
 * (docs/specs/safety.md C2).
 */
import { ANSWER_KEYS } from '../../state/keys';
import { STILL_MS } from './use-guard';

/** Keys that answer in a card, those that press its buttons among them. */
const ANSWERING: ReadonlySet<string> = new Set([...Object.values(ANSWER_KEYS), 'Enter', ' ']);
const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock']);
/** What shows that the person goes on with something else. */
const GOING_ON = ['pointerdown', 'input', 'paste', 'drop'] as const;

/** When a card went that had the keyboard, if the person has done nothing else since. */
let goneAt = Number.NEGATIVE_INFINITY;
/** The key that went down last: in which card, and whether it has done nothing. */
let last: { code: string; card: Element | null; isSpent: boolean } | null = null;

/** To be called right before a card goes, while the focus is still in it. */
export function noteGone(card: Element | null): void {
  if (card?.contains(document.activeElement)) goneAt = performance.now();
}

/**
 * From now on a key that could have been an answer does nothing outside of a card for `STILL_MS` after a card with the keyboard went, and
 * one that is held down since it was pressed in a card does nothing anywhere else. Returns what ends it.
 */
export function watchLateKeys(): () => void {
  document.addEventListener('keydown', onKeyDown, true);
  for (const name of GOING_ON) document.addEventListener(name, forget, true);
  return () => {
    document.removeEventListener('keydown', onKeyDown, true);
    for (const name of GOING_ON) document.removeEventListener(name, forget, true);
    forget();
    last = null;
  };
}

function forget(): void {
  goneAt = Number.NEGATIVE_INFINITY;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing) return;
  const card = event.target instanceof Element ? event.target.closest('[data-approval]') : null;
  if (!event.repeat) {
    const isLate = card === null && isAnswering(event) && performance.now() - goneAt < STILL_MS;
    last = { code: event.code, card, isSpent: isLate };
  } else if (last?.code === event.code && last.card !== null && last.card !== card) last.isSpent = true;
  if (last?.isSpent && last.code === event.code) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (!MODIFIERS.has(event.key)) forget();
}

function isAnswering({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  // A command that was edited, and a message, go by Ctrl+Enter.
  return ANSWERING.has(key) && (key === 'Enter' || !(ctrlKey || metaKey || altKey));
}
