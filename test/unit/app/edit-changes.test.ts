import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editChanges } from '../../../src/renderer/features/approvals/card-notes';

const dropped = (asked: string, ran: string): string[] =>
  (editChanges(asked, ran)?.dropped ?? []).map(({ from, to }) => asked.slice(from, to).trim());

it('C2: what was left out of a command is marked, what was put in is named', () => {
  expect(dropped('rm -rf build dist', 'rm build dist')).toEqual(['-rf']);
  expect(editChanges('npm test', 'npm test --silent -- a')).toEqual({
    dropped: [],
    added: ['--silent -- a'],
    isCut: false,
  });
  expect(editChanges('a\nb\nc', 'a\nc')?.dropped).toEqual([{ from: 2, to: 4 }]);
});

it('C2: of whatever two commands, what is not marked of the one stands in the other in that order', () => {
  const command = fc.array(fc.constantFrom('rm', '-rf', ' ', '\n', 'a', "'b c'", '\u202e', '  '), { maxLength: 30 });
  fc.assert(
    fc.property(command, command, (one, other) => {
      const [asked, ran] = [one.join(''), other.join('')];
      const changes = editChanges(asked, ran);
      let left = '';
      let at = 0;
      for (const { from, to } of changes?.dropped ?? []) {
        expect(from).toBeGreaterThanOrEqual(at);
        left += asked.slice(at, from);
        at = to;
      }
      left += asked.slice(at);
      let found = 0;
      for (const character of left) {
        found = ran.indexOf(character, found);
        expect(found).toBeGreaterThanOrEqual(0);
        found += 1;
      }
      if (asked === ran) expect(changes).toEqual({ dropped: [], added: [], isCut: false });
    }),
  );
});

it('C2: texts that share too little, or are too long, are told apart no further', () => {
  const words = (word: string): string => `${word} `.repeat(400);
  expect(editChanges(words('a'), words('b'))).toBeNull();
  expect(editChanges('a'.repeat(20_001), '')).toBeNull();
  expect(editChanges('a', `${'b'.repeat(300)} a`)).toMatchObject({ added: [], isCut: true });
});
