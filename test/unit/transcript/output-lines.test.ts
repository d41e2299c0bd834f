import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutToLines } from '../../../src/renderer/features/transcript/terminal';

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join('\n');

it('TS11: of an output the last lines are shown, or all of them', () => {
  expect(cutToLines(`${numbered(1, 40)}\n`, false)).toEqual({ shown: numbered(1, 40), hidden: 0, cut: 0 });
  expect(cutToLines(numbered(1, 100), false)).toEqual({ shown: numbered(61, 100), hidden: 60, cut: 0 });
  expect(cutToLines(numbered(1, 100), true)).toEqual({ shown: numbered(1, 100), hidden: 0, cut: 0 });
});

it('TS11: a line that is too long is cut, and says how much is missing', () => {
  expect(cutToLines(`short\n${'x'.repeat(5_000)}`, false).shown).toMatch(/^short\nx{4000} … 1,000 more characters$/);
});

it('TS11: what more lines do not bring is counted: the beginning of a very long text, and the ends of its long lines', () => {
  const command = `rm -rf photos\n${': x\n'.repeat(60_000)}`;
  expect(cutToLines(command, true)).toMatchObject({ hidden: 0, cut: command.length - 200_000 });
  expect(cutToLines(`short\n${'x'.repeat(5_000)}`, true).cut).toBe(1_000);
  fc.assert(
    fc.property(fc.array(fc.nat(9_000), { maxLength: 60 }), (lengths) => {
      const text = lengths.map((length) => 'x'.repeat(length)).join('\n');
      const { shown, cut } = cutToLines(text, true);
      expect(shown.replace(/ … [\d,]+ more characters?$/gm, '').length + cut).toBe(text.replace(/\n$/, '').length);
    }),
    { numRuns: 30 },
  );
});
