import { expect, it } from 'vitest';
import { type ConsentQuestion, drawnQuestion, oneAtATime } from '../../../src/main/consent/consent';

function question(title: string): ConsentQuestion {
  return {
    kind: 'test',
    title,
    paragraphs: [],
    facts: [],
    choices: [{ id: 'yes', label: 'Yes', tone: 'primary' }],
    cancel: 'Cancel',
  };
}

it('shows one question at a time, in order', async () => {
  const shown: string[] = [];
  const answers: ((answer: string | null) => void)[] = [];
  const ask = oneAtATime(({ title }) => {
    shown.push(title);
    return new Promise((resolve) => answers.push(resolve));
  });
  const [first, second] = [ask(question('first')), ask(question('second'))];
  await expect.poll(() => shown).toEqual(['first']);
  answers[0]!('yes');
  expect(await first).toBe('yes');
  await expect.poll(() => shown).toEqual(['first', 'second']);
  answers[1]!(null);
  expect(await second).toBeNull();
});

it('takes only a choice of the question itself for a yes', async () => {
  for (const answer of ['no', '', '__proto__', 'constructor', 'Yes'])
    expect(await oneAtATime(() => Promise.resolve(answer))(question('x'))).toBeNull();
});

it('a window that fails is no answer, and the next question is shown all the same', async () => {
  let count = 0;
  const ask = oneAtATime(() => (count++ === 0 ? Promise.reject(new Error('no window')) : Promise.resolve('yes')));
  expect(await Promise.all([ask(question('a')), ask(question('b'))])).toEqual([undefined, 'yes']);
});

it('refuses to pile up windows: the fifth question at once gets no answer without being shown', async () => {
  const answers: (() => void)[] = [];
  const ask = oneAtATime(() => new Promise((resolve) => answers.push(() => resolve('yes'))));
  const asked = Array.from({ length: 6 }, () => ask(question('x')));
  expect(await Promise.all(asked.slice(4))).toEqual([undefined, undefined]);
  for (let index = 0; index < 4; index += 1) {
    await expect.poll(() => answers.length).toBe(index + 1);
    answers[index]!();
  }
  expect(await Promise.all(asked.slice(0, 4))).toEqual(['yes', 'yes', 'yes', 'yes']);
});

it('writes out what cannot be seen, in every text', () => {
  const hidden = 'a\u202eb\nc\u200bd\u00a0e\u0007e\u0301 f';
  const drawn = drawnQuestion(
    {
      ...question(hidden),
      subject: hidden,
      paragraphs: [hidden],
      facts: [{ label: hidden, value: hidden }],
    },
    'light',
  );
  const seen = 'a⟨U+202E⟩b⟨U+000A⟩c⟨U+200B⟩d⟨U+00A0⟩e⟨U+0007⟩e\u0301 f';
  expect([drawn.title, drawn.subject, drawn.paragraphs[0], drawn.facts[0]?.label, drawn.facts[0]?.value]).toEqual(
    Array.from({ length: 5 }, () => seen),
  );
});

it('bounds what it shows and says what it left out', () => {
  const drawn = drawnQuestion(
    {
      ...question('x'),
      subject: 'a'.repeat(5000),
      facts: Array.from({ length: 500 }, (_, index) => ({ label: `${index}`, value: 'v' })),
    },
    'dark',
  );
  expect(drawn.subject).toMatch(/^a{2000}… \(3000 more characters\)$/);
  expect(drawn.facts).toHaveLength(401);
  expect(drawn.facts.at(-1)).toEqual({ label: 'Not shown', value: '100 more', warn: true });
});
