/**
 * Who has the keyboard: a card must not take it from somebody who writes, and who answers by key goes on by key
 * (docs/specs/safety.md C2).
 */
import type { ApprovalView } from '@shared/policy/approval';

/** When the composer last had a key. */
let last = Number.NEGATIVE_INFINITY;
/** The card in which the person pressed the last key, if they have done nothing else since. */
let keyedIn: string | null = null;
/** The session whose question was answered by that key: its next card may have the keyboard, until the person does anything. */
let goesOnIn: string | null = null;
/** When that was: who has only watched since for longer may begin to write. */
let answeredAt = Number.NEGATIVE_INFINITY;
const GOES_ON_MS = 10_000;

const WRITING = ['keydown', 'input', 'compositionupdate', 'paste'] as const;
const LEAVING = ['pointerdown', 'drop', 'wheel'] as const;

/** Listens from now on. Returns what ends it. */
export function watchComposer(): () => void {
  const note = (event: Event): void => {
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest('[data-composer]')) last = performance.now();
    const card = target?.closest('[data-approval]')?.getAttribute('data-approval') ?? null;
    // What is pressed once more in a card that is answered already goes nowhere.
    if (card === null || card !== keyedIn) goesOnIn = null;
    keyedIn = card;
  };
  const leave = (): void => {
    goesOnIn = null;
    keyedIn = null;
  };
  for (const name of WRITING) document.addEventListener(name, note, true);
  for (const name of LEAVING) document.addEventListener(name, leave, true);
  window.addEventListener('blur', leave);
  return () => {
    leave();
    for (const name of WRITING) document.removeEventListener(name, note, true);
    for (const name of LEAVING) document.removeEventListener(name, leave, true);
    window.removeEventListener('blur', leave);
  };
}

/** An answer is on its way: whether it was given by key is known now, and only now. */
export function noteAnswer({ id, sessionId }: ApprovalView): void {
  goesOnIn = keyedIn === id ? sessionId : null;
  answeredAt = performance.now();
}

/** It did not arrive: the same card goes on. */
export function noteRefused(): void {
  goesOnIn = null;
}

const QUIET_MS = 2_000;

/**
 * Whether a card of that session may take the focus: nothing has it, and nobody wrote just now. From the composer, however long it
 * rests, only if the person answered the card before by key and has touched nothing since, and the composer is empty: who pauses and
 * then types "1. …" means a message, and in the card that is an answer.
 */
export function mayTakeFocus(sessionId: string): boolean {
  if (document.querySelector('[role="dialog"][data-state="open"], [role="menu"]')) return false;
  const active = document.activeElement;
  const goesOn = goesOnIn === sessionId && performance.now() - answeredAt < GOES_ON_MS;
  if (active === null || active === document.body) return goesOn || performance.now() - last > QUIET_MS;
  return goesOn && active instanceof HTMLTextAreaElement && active.matches('[data-composer]') && active.value === '';
}
