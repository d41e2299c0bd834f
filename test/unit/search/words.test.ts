import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findIn, indexedWords, readQuery, wordsOf } from '@shared/search/words';

const found = (text: string, typed: string, how: { exact?: boolean; matchCase?: boolean } = {}): string[] => {
  const query = readQuery(typed, { exact: false, matchCase: false, ...how });
  return query ? findIn(text, query).map(([start, end]) => text.slice(start, end)) : [];
};

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
});
