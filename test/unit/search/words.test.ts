import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findEachInSteps, findIn, indexedWords, readQuery, wordsOf } from '@shared/search/words';

const found = (text: string, typed: string, how: { exact?: boolean; matchCase?: boolean } = {}): string[] => {
  const query = readQuery(typed, { exact: false, matchCase: false, ...how });
  return query ? findIn(text, query).map(([start, end]) => text.slice(start, end)) : [];
};

/** What steps come to. */
function allOf<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe('what a search takes for a word', () => {
  it('SE2: parts of names, paths, accents, and scripts without blanks', () => {
    const folds = (text: string) => wordsOf(text).map(({ fold }) => fold);
    expect(folds('retryBudget HTMLParser utf8 src/queue/enqueue.ts:41 snake_case')).toEqual(
      'retry budget html parser utf8 src queue enqueue ts 41 snake case'.split(' '),
    );
    expect(folds('Crème BRÛLÉE ÄrgerÜbung данныеПолучить')).toEqual([
      'creme',
      'brulee',
      'arger',
      'ubung',
      'данные',
      'получить',
    ]);
    expect(folds('再試行は 한국')).toEqual(['再', '試', '行', 'は', '한', '국'].map((c) => c.normalize('NFKD')));
  });

  it('SE2: words stand anywhere, the last letters may be missing; all are to be there', () => {
    expect(found('The budget of a retry', 'retry budget')).toEqual(['budget', 'retry']);
    expect(found('const retryBudget = 3', 'budget')).toEqual(['Budget']);
    expect(found('const retryBudget = 3', 'retrybud')).toEqual(['retryBudget']);
    expect(found('src/queue/enqueue.ts', 'queue/enq')).toEqual(['queue/enq']);
    expect(found('Crème brûlée', 'creme brulee')).toEqual(['Crème', 'brûlée']);
    expect(found('一度だけ再試行する', '試行')).toEqual(['試行']);
    expect(found('a retry', 'retry budget')).toEqual([]);
    // Not in the middle of a word, and a letter alone is a word.
    expect(found('retry', 'etry')).toEqual([]);
    expect(found('an apple and a pear', 'a')).toEqual(['a']);
  });

  it('SE2: an exact phrase follows itself, and letters may have to be as typed', () => {
    expect(found('The budget of a retry', 'retry budget', { exact: true })).toEqual([]);
    expect(found('a retry-budget, a retry budget', 'retry budget', { exact: true })).toEqual([
      'retry-budget',
      'retry budget',
    ]);
    expect(found('Retry, retry, RETRY', 'retry', { matchCase: true })).toEqual(['retry']);
    expect(readQuery(' ?! ', { exact: false, matchCase: false })).toBeNull();
  });

  it('SE2: a word of a text is found where it stands, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(), (text, pick) => {
        const words = wordsOf(text);
        for (const { start, end, fold } of words) {
          expect(end).toBeGreaterThan(start);
          expect(fold).not.toMatch(/[\s"'*():]/);
        }
        expect(indexedWords(text).parts.split(' ').filter(Boolean)).toEqual(words.map(({ fold }) => fold));
        const word = words[pick % Math.max(1, words.length)];
        const query = word && readQuery(text.slice(word.start, word.end), { exact: true, matchCase: true });
        if (!word || !query || word.end - word.start > 64) return;
        const spans = findIn(text, query);
        expect(spans.some(([start, end]) => start <= word.start && end > word.start)).toBe(true);
      }),
    );
  });

  it('SE2: any of the words, each by itself, stands where it stands alone', () => {
    const part = fc.constantFrom(
      'retry',
      'retryBudget',
      'HTMLParser',
      're',
      'Re',
      'ΣΑΣ',
      'İz',
      '再試行',
      'b\u0301e',
      '4',
      '.',
      ' ',
      '\n',
    );
    const texts = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));
    const some = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(texts, some, fc.boolean(), fc.boolean(), (text, typed, exact, matchCase) => {
        const query = readQuery(typed, { exact, matchCase });
        if (!query) return;
        const marked = (spans: readonly (readonly [number, number])[]): boolean[] =>
          Array.from(text, (_, at) => spans.some(([start, end]) => start <= at && at < end));
        const each = allOf(findEachInSteps(text, query));
        const alone = query.groups.flatMap((group) => findIn(text, { ...query, groups: [group] }));
        expect(marked(each)).toEqual(marked(alone));
        for (const [at, [start]] of each.entries()) expect(start).toBeGreaterThanOrEqual(each[at - 1]?.[1] ?? 0);
      }),
    );
  });

  it('SE1: a long text is read once, in steps, however much is looked for', () => {
    const stepsOf = (typed: string): number => {
      const query = readQuery(typed, { exact: false, matchCase: false });
      return query ? [...findEachInSteps('再'.repeat(50_000), query)].length : 0;
    };
    // Its words are read, then looked at: a step each thousand.
    expect(stepsOf('再')).toBe(100);
    expect(stepsOf('再 a b c d e f g h')).toBe(100);
  });
});
