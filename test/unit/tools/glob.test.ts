import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { compileGlob } from '../../../src/main/tools/glob';

const wordOf = (...parts: string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 }).map((chosen) => chosen.join(''));
const plain = wordOf('a', 'b', 'x.ts', '*', '?', '[ab]', '[a-c]');
const braces = fc.constantFrom('', '{a,b}', '{ab,x*}', '{1..3}');
const stepGlob = fc.oneof(
  fc.constant('**'),
  fc.tuple(plain, braces, plain).map((parts) => parts.join('')),
);
const glob = fc.array(stepGlob, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('/'));
const path = fc.array(wordOf('a', 'b', 'c', 'x.ts', '.', '1', '-'), { minLength: 1, maxLength: 4 }).map((p) => p.join('/')); // prettier-ignore

test('TL16: globs mean what they mean elsewhere (property, against picomatch)', () => {
  fc.assert(
    fc.property(glob, path, (pattern, name) => {
      // Whether `x/**` means x itself as well, picomatch decides by what x is.
      fc.pre(!/(^|\/)\.{1,2}(\/|$)/u.test(name) && !/\*{2}[^/]|[^/]\*{2}|\/\*\*$/u.test(pattern));
      const wanted = picomatch(pattern.includes('/') ? pattern : `**/${pattern}`, { dot: true, noextglob: true });
      expect(compileGlob(pattern)(name), `${pattern} on ${name}`).toBe(wanted(name));
    }),
    { numRuns: 3_000 },
  );
});

test('TL16: common globs', () => {
  const matching = (pattern: string, names: string[]): string[] => names.filter(compileGlob(pattern));
  const names = ['a.ts', 'src/a.ts', 'src/deep/b.tsx', 'src/deep', '.env', 'app/(group)/page.tsx', 'x[1].txt', 'src'];
  expect(matching('*.ts', names)).toEqual(['a.ts', 'src/a.ts']);
  expect(matching('./src/*', names)).toEqual(['src/a.ts', 'src/deep']);
  expect(matching('src/**/*.{ts,tsx}', names)).toEqual(['src/a.ts', 'src/deep/b.tsx']);
  expect(matching('app/(group)/*', names)).toEqual(['app/(group)/page.tsx']);
  expect(matching('x\\[1\\].txt', names)).toEqual(['x[1].txt']);
  expect(matching('src/**', names)).toEqual(['src/a.ts', 'src/deep/b.tsx', 'src/deep', 'src']);
  expect(matching('[!a].ts', ['a.ts', 'b.ts', 'x/c.ts', '/.ts'])).toEqual(['b.ts', 'x/c.ts']);
  expect(matching('deep/', names)).toEqual(['src/deep']);
  expect(matching('**', names)).toEqual(names);
});

test('TL16: a hostile glob is refused or answered at once (an expression made of it would not end)', () => {
  expect(() => compileGlob('+(+(a)+(a))b')).toThrow('extended patterns such as +(a|b)');
  expect(() => compileGlob('x'.repeat(1_001))).toThrow('at most 1000');
  expect(() => compileGlob('{a,b}'.repeat(30))).toThrow('more than 200 patterns');
  expect(() => compileGlob('{1..999999}')).toThrow('more than 200 patterns');
  expect(() => compileGlob('{'.repeat(400) + 'a,b' + '}'.repeat(400))).not.toThrow();
  const names = `${'a'.repeat(200)}/`.repeat(15);
  expect(compileGlob(`${'*a'.repeat(90)}b`)('a'.repeat(255))).toBe(false);
  expect(compileGlob(`${'**/*a*/'.repeat(60)}b`)(names)).toBe(false);
});
