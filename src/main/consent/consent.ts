import type { DrawnQuestion } from '@shared/ipc/consent';
import { visibleString } from '@shared/policy/visible-text';

/**
 * Questions that main asks by itself, in a window of its own: what the page could ask for in the person's place must not be
 * answered in the page (docs/specs/safety.md C3).
 */

export interface ConsentFact {
  label: string;
  /** Shown in the code face, on one or more lines of its own; what can't be seen is written out. */
  value: string;
  /** Drawn as a warning. */
  warn?: boolean;
}

interface ConsentChoice {
  id: string;
  label: string;
  tone: 'primary' | 'plain' | 'danger';
}

export interface ConsentQuestion {
  /** What sort of question it is, for tests and the log: `trust-folder`. */
  kind: string;
  title: string;
  /** What it is about, exactly: a folder, an address. */
  subject?: string;
  paragraphs: string[];
  facts: ConsentFact[];
  choices: ConsentChoice[];
  /** The label of the button that says no. It has the focus. */
  cancel: string;
}

/** Asks in a modal window of main, which the page can neither see nor answer. Null: cancelled or closed. */
export type AskConsent = (question: ConsentQuestion) => Promise<string | null>;

/** The same before patience is counted: undefined where the question was never seen, so that nobody said no to it. */
export type ShowConsent = (question: ConsentQuestion) => Promise<string | null | undefined>;

/** A page that has gone wrong must not be able to bury a person in windows. */
const MAX_WAITING = 4;

/**
 * Shows one question at a time, in the order in which they were asked. An answer that is not a choice of its question is null; a
 * failure to show it and a question that finds too many waiting are undefined.
 */
export function oneAtATime(show: ShowConsent): ShowConsent {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (question) => {
    if (waiting >= MAX_WAITING) return undefined;
    waiting += 1;
    const shown = last.then(() => show(question)).catch(() => undefined);
    last = shown;
    const answer = await shown.finally(() => (waiting -= 1));
    if (answer === undefined) return undefined;
    return question.choices.some(({ id }) => id === answer) ? answer : null;
  };
}

/** More than a person reads; a page of a million characters would hide the rest of the question below it. */
const MAX_CHARS = 2000;
const MAX_FACTS = 400;

/** The question as its window draws it: every character visible, every text bounded, with a word about what was left out. */
export function drawnQuestion(question: ConsentQuestion, theme: DrawnQuestion['theme']): DrawnQuestion {
  const facts = question.facts.slice(0, MAX_FACTS).map(({ label, value, warn }) => ({
    label: visible(label),
    value: visible(value),
    warn: warn === true,
  }));
  const rest = question.facts.length - facts.length;
  if (rest > 0) facts.push({ label: 'Not shown', value: `${rest} more`, warn: true });
  return {
    kind: question.kind,
    theme,
    title: visible(question.title),
    subject: question.subject === undefined ? null : visible(question.subject),
    paragraphs: question.paragraphs.map(visible),
    facts,
    choices: question.choices.map(({ id, label, tone }) => ({ id, label: visible(label), tone })),
    cancel: visible(question.cancel),
  };
}

/** Cut first: what is left out must not cost the time either. */
function visible(text: string): string {
  const rest = text.length - MAX_CHARS;
  return (
    visibleString(text.slice(0, MAX_CHARS)) +
    (rest > 0 ? `… (${rest} more ${rest === 1 ? 'character' : 'characters'})` : '')
  );
}
