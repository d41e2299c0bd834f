import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findLookAlikes, twinsIn } from '@shared/policy/look-alikes';

const twins = (text: string, place: 'command' | 'path' | 'content' = 'command'): string[] =>
  twinsIn(text, place).map(({ from, to }) => text.slice(from, to));

it('C1: characters that look like others are found where they stand', () => {
  expect(twins('cat ./p\u0430ge.txt')).toEqual(['\u0430']);
  expect(twins('echo a\u2215b \u2013 c')).toEqual(['\u2215']);
  expect(twins('rm \u2013rf x')).toEqual(['\u2013']);
  expect(twins('\u0441\u0430\u0440 x')).toEqual(['\u0441\u0430\u0440']);
  expect(twins('echo "\u041f\u0440\u0438\u0432\u0435\u0442"')).toEqual([]);
  expect(twins('caf\u00e9 \u4e2d\u6587 ls')).toEqual([]);
  expect(twins('a\u2215b', 'content')).toEqual([]);
});

it('C1: wherever a sentence names one, one is found, and the other way round', () => {
  const letters = fc.constantFrom('a', 'b', ' ', '/', '.', '\u0430', '\u0441', '\u0436', '\u2215', '\u2013', '\u00e9', '\ud83d\ude00', '"'); // prettier-ignore
  const place = fc.constantFrom('command' as const, 'path' as const, 'content' as const);
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 40 }), place, (parts, where) => {
      const text = parts.join('');
      expect(twinsIn(text, where).length > 0).toBe(findLookAlikes(text, where).length > 0);
      let at = -1;
      for (const { from, to } of twinsIn(text, where)) {
        expect(from).toBeGreaterThan(at);
        expect(to).toBeGreaterThan(from);
        at = to;
      }
    }),
  );
});
