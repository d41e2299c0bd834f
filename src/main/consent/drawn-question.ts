import type { DrawnQuestion } from '@shared/ipc/consent';
import { visibleString } from '@shared/policy/visible-text';
import type { ConsentQuestion } from './consent';

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
