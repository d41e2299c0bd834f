import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffWordsInSteps, type WordPiece } from '@shared/word-diff';

function diff(before: string, after: string): { pieces: WordPiece[]; rests: number } {
  const steps = diffWordsInSteps(before, after);
  for (let rests = 0; ; rests++) {
    const step = steps.next();
    if (step.done) return { pieces: step.value, rests };
  }
}

const side = (pieces: readonly WordPiece[], without: WordPiece['kind']): string =>
  pieces.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('');

const words = fc
  .array(fc.constantFrom('the', 'queue', 'is', 'written', ' ', '\n', '500', 'ü', '🙂', '.', '\u202e'), {
    maxLength: 60,
  })
  .map((list) => list.join(''));

describe('GR14: the word diff', () => {
  it('puts both texts together again, whatever they are', () => {
    fc.assert(
      fc.property(fc.oneof(words, fc.string({ unit: 'binary' })), fc.oneof(words, fc.string()), (before, after) => {
        const { pieces } = diff(before, after);
        expect(side(pieces, 'added')).toBe(before);
        expect(side(pieces, 'removed')).toBe(after);
        expect(pieces.every(({ text }) => text !== '')).toBe(true);
      }),
    );
  });

  it('finds what was changed and no more', () => {
    const { pieces } = diff('Write to both tables, then read.', 'Write to one table, then read.');
    expect(pieces).toEqual([
      { kind: 'same', text: 'Write to ' },
      { kind: 'removed', text: 'both' },
      { kind: 'added', text: 'one' },
      { kind: 'same', text: ' ' },
      { kind: 'removed', text: 'tables' },
      { kind: 'added', text: 'table' },
      { kind: 'same', text: ', then read.' },
    ]);
    expect(diff('same', 'same').pieces).toEqual([{ kind: 'same', text: 'same' }]);
    expect(diff('', '').pieces).toEqual([]);
  });

  it('takes texts of any length in bounded pieces of work, what repeats itself without end as well', () => {
    const lines = Array.from({ length: 9000 }, (_, at) => `line ${at} of the answer`);
    const other = lines.map((line, at) => (at % 7 === 0 ? `${line}, changed` : line)).slice(100);
    const { pieces, rests } = diff(lines.join('\n'), other.join('\n'));
    expect(side(pieces, 'added')).toBe(lines.join('\n'));
    expect(side(pieces, 'removed')).toBe(other.join('\n'));
    expect(rests).toBeGreaterThan(0);
    const [a, b] = ['a b '.repeat(90_000), 'b a '.repeat(90_000)];
    const again = diff(a, b).pieces;
    expect([side(again, 'added'), side(again, 'removed')]).toEqual([a, b]);
  });
});
