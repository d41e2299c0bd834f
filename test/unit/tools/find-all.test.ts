import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits, codeUnits, findAll } from '../../../src/main/tools/edit';
test('TL15: all places are found, overlaps included (property)', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b', '\u{1f600}'), maxLength: 60 });
  fc.assert(
    fc.property(few, few, (text, wanted) => {
      fc.pre(wanted !== '');
      const expected: number[] = [];
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) expected.push(at);
      expect(findAll(codeUnits(text), codeUnits(wanted))).toEqual(expected);
      expect(findAll([...text], [...wanted], 1)).toHaveLength(Math.min(1, expected.length));
    }),
  );
});

test('TL15: 10 kB against 5 MB: texts that a comparison at each place never gets through', () => {
  const text = 'a'.repeat(5_000_000);
  const edit = (oldText: string, newText = 'x') => applyEdits(text, [{ oldText, newText }], 'f');
  expect(() => edit('a'.repeat(10_000))).toThrow('occurs at least 1000 times in f (lines 1, 1, 1, 1, 1, …)');
  expect(() => edit(`b${'a'.repeat(10_000)}`)).toThrow('does not occur in f');
  expect(() => edit(`${'a'.repeat(10_000)}b`)).toThrow('does not occur in f');
  const lines = 'a\n'.repeat(190_000);
  expect(() => applyEdits(lines, [{ oldText: `${' a\n'.repeat(5_000)}b`, newText: '' }], 'f')).toThrow('line 1, but');
});

test('TL15: edits that would make a text too long for any string are refused first', () => {
  const text = 'a\n'.repeat(90_000);
  const all = (newText: string, from = text) => applyEdits(from, [{ oldText: 'a', newText, replaceAll: true }], 'f');
  expect(all('b')).toBe('b\n'.repeat(90_000));
  expect(() => all('b'.repeat(1_000_000))).toThrow('f would have over 5242880 bytes');
  expect(() => all('b', 'a'.repeat(200_000))).toThrow('replaces more than 100000 places in f');
});
