import { expect, it } from 'vitest';
import { cutToLines } from '../../../src/renderer/features/transcript/output-lines';

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join('\n');

it('TS11: of an output the last lines are shown, or all of them', () => {
  expect(cutToLines(`${numbered(1, 40)}\n`, false)).toEqual({ shown: numbered(1, 40), hidden: 0 });
  expect(cutToLines(numbered(1, 100), false)).toEqual({ shown: numbered(61, 100), hidden: 60 });
  expect(cutToLines(numbered(1, 100), true)).toEqual({ shown: numbered(1, 100), hidden: 0 });
});

it('TS11: a line that is too long is cut, and says how much is missing', () => {
  expect(cutToLines(`short\n${'x'.repeat(5_000)}`, false).shown).toMatch(/^short\nx{4000} … 1,000 more characters$/);
});
