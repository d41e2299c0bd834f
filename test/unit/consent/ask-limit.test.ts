import { expect, it } from 'vitest';
import { AskLimit, limitQuestions } from '../../../src/main/consent/ask-limit';
import type { ConsentQuestion } from '../../../src/main/consent/consent';

const questionOf = (kind: string): ConsentQuestion => ({
  kind,
  title: 'May I?',
  paragraphs: [],
  facts: [],
  choices: [{ id: 'yes', label: 'Yes', tone: 'primary' }],
  cancel: 'No',
});

function person(says: () => string | null | undefined) {
  const seen: string[] = [];
  let told = 0;
  let now = 0;
  const ask = limitQuestions(
    (question) => {
      seen.push(question.kind);
      return Promise.resolve(says());
    },
    () => (told += 1),
    new AskLimit(undefined, () => now),
  );
  return { ask, seen, told: () => told, pass: (ms: number) => void (now += ms) };
}

it('after two cancels of a kind nothing of it is asked for a minute, and that is said once', async () => {
  const { ask, seen, told, pass } = person(() => null);
  for (let i = 0; i < 10; i++) expect(await ask(questionOf('a'))).toBeNull();
  expect(seen).toEqual(['a', 'a']);
  expect(told()).toBe(1);
  pass(59_999);
  expect(await ask(questionOf('a'))).toBeNull();
  expect(seen).toHaveLength(2);
  pass(1);
  await ask(questionOf('a'));
  expect(seen).toHaveLength(3);
});

it('changing the kind does not help: after four cancels nothing at all is asked', async () => {
  const { ask, seen } = person(() => null);
  for (const kind of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await ask(questionOf(kind));
  expect(seen).toEqual(['a', 'b', 'c', 'd']);
});

it('a question that nobody saw does not count as cancelled', async () => {
  const { ask, seen, told } = person(() => undefined);
  for (let i = 0; i < 10; i++) expect(await ask(questionOf('a'))).toBeNull();
  expect(seen).toHaveLength(10);
  expect(told()).toBe(0);
});

it('a yes does not count, nor a cancel of a minute ago', async () => {
  let answer: string | null = 'yes';
  const { ask, seen, pass } = person(() => answer);
  for (let i = 0; i < 10; i++) expect(await ask(questionOf('a'))).toBe('yes');
  answer = null;
  for (let i = 0; i < 5; i++) {
    await ask(questionOf('a'));
    pass(60_000);
  }
  expect(seen).toHaveLength(15);
});
