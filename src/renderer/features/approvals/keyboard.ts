/**
 * Who has the keyboard (docs/specs/safety.md C2): a card must not take it from somebody who writes, and who answers by key goes on by key.
 * What was meant for a card that has gone does nothing: the keyboard is the composer's at once then, with whatever draft stands in it.
 */
import type { ApprovalView } from '@shared/policy/approval';
import { ANSWER_KEYS } from '../../state/keys';
import { STILL_MS } from './guard';

/** When the composer last had a key. */
let typedAt = Number.NEGATIVE_INFINITY;
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
    if (target?.closest('[data-composer]')) typedAt = performance.now();
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
  if (active === null || active === document.body) return goesOn || performance.now() - typedAt > QUIET_MS;
  const isEmpty = (field: HTMLTextAreaElement): boolean => field.value === '' && field.dataset.holds === undefined;
  return goesOn && active instanceof HTMLTextAreaElement && active.matches('[data-composer]') && isEmpty(active);
}

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
