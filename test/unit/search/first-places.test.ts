import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findIn, findSome, readQuery } from '@shared/search/words';
import { firstPlaces, lacks } from '../../../src/main/search/snippet';

const LONG = 'the lazy dog at line 12, the water is warm\n'.repeat(3_000);
const first = (text: string, typed: string, how: { exact?: boolean; matchCase?: boolean } = {}): string | undefined => {
  const query = readQuery(typed, { exact: false, matchCase: false, ...how });
  const [span] = query ? firstPlaces(text, query) : [];
  return span && text.slice(...span);
};

describe('SE5: the first place of a long text', () => {
  it('is found far behind: phrases, parts of names, paths, accents, scripts without blanks, letters as typed', () => {
    const text = `${LONG}const retryBudget in src/queue/enqueue.ts: Crème brûlée, 一度だけ再試行する, ΟΔΟΣ, 한국 ¾ A retry, budget`;
    for (const [typed, found, how] of [
      ['retry budget', 'retryBudget', { exact: true }],
      ['retrybud', 'retryBudget'],
      ['queue/enq', 'queue/enq'],
      ['creme brulee', 'Crème'],
      ['brulee', 'brûlée'],
      ['試行', '試行'],
      ['οδος', 'ΟΔΟΣ'],
      ['한국', '한국'],
      ['¾', '¾'],
      ['A', 'A', { matchCase: true }],
      ['Budget', 'Budget', { matchCase: true }],
      ['etry', undefined],
      ['creme retry', 'retry'],
    ] as const)
      expect(first(text, typed, how), typed).toBe(found);
  });

  it('is that of all its words, and nothing where there is none', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'retry',
        'Retry',
        'retryBudget',
        'RETRY',
        'budget',
        'x',
        'a',
        'HTML5parser',
        '漢字',
        '漢',
        'é',
        '½',
      ),
      fc.constantFrom(
        'e\u0301',
        '한국',
        'Σ',
        'ς',
        ' ',
        ' ',
        '/',
        '.',
        '\n',
        '-',
        '12',
        'filler '.repeat(150),
        'z'.repeat(90),
      ),
    );
    const asked = fc.constantFrom(
      'retry',
      'retrybud',
      'budget',
      'a',
      'x',
      '漢字',
      '字',
      'e',
      'retry budget',
      'html5',
      'parser',
      '12',
      'σ',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        asked,
        fc.boolean(),
        fc.boolean(),
        (pieces, typed, exact, matchCase) => {
          const text = pieces.join('');
          const query = readQuery(typed, { exact, matchCase })!;
          const [whole] = findSome(text, query);
          const [near] = firstPlaces(text, query);
          expect(near).toEqual(whole);
          if (lacks(text, query)) expect(findIn(text, query)).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
