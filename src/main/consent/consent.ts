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
