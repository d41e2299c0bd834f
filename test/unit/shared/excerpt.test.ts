import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, firstLineOf } from '@shared/excerpt';
import { shortOrLong } from '../../support/long-form';

describe('TS14: an excerpt', () => {
  it.each([
    ['**bold** and *slanted* and ***both***', 'bold and slanted and both'],
    ['# Head\n\nText', 'Head Text'],
    ['## Head ##', 'Head'],
    ['See [the docs](https://a.b/c_(d) "A title") now', 'See the docs now'],
    ['[![badge](https://a.b/x.svg)](https://a.b)', 'badge'],
    ['![](https://a.b/x.svg)', 'https://a.b/x.svg'],
    ['a [name][ref] b', 'a name b'],
    ['<https://a.b>', 'https://a.b'],
    ['Run `npm test` twice', 'Run npm test twice'],
    ['```ts\nconst a = 1;\n```\nDone', 'const a = 1; Done'],
    ['- one\n- [x] two\n* three\n+ four', 'one two three four'],
    ['1. First\n2. Second', '1. First 2. Second'],
    ['> > quoted\n> # head', 'quoted head'],
    ['| a | b |\n|---|:-:|\n| 1 | 2 |', 'a | b 1 | 2'],
    ['Title\n=====\nText\n\n---\n', 'Title Text'],
    ['~~gone~~ __strong__ _slanted_.', 'gone strong slanted.'],
    ['**a *b* c**', 'a b c'],
    ['这是**重点**内容', '这是重点内容'],
    ['[cut off](data:image/png;base64,AAAA', 'cut off'],
    ['  many   \t blanks \n here ', 'many blanks here'],
  ])('of %j', (text, plain) => {
    expect(excerptOf(text)).toBe(plain);
  });

  it.each([
    'Delete all *.log and *.tmp files',
    'Look in src/**/*.ts, then lib/**/*.js',
    'snake_case_name and __init__.py',
    'f(**kwargs)',
    '2 * 3 * 4',
    'a - b + c',
    'if a < b and c > d',
    'Is C# 12 out?',
    'Issue #12, see [entry:0123] and array[0][1]',
    '-5 degrees',
    'A plain sentence, with a comma; and “quotes”.',
  ])('leaves %j as it is', (text) => {
    expect(excerptOf(text)).toBe(text);
  });

  it('is nothing where the text is nothing but marks', () => {
    expect(['', ' \n ', '***', '---', '# ', '| --- |', '```\n```'].map(excerptOf)).toEqual(Array(7).fill(''));
  });

  /** Texts as a hostile writer makes them: marks in any order, with few words between. */
  const piece = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(...'*_`~[]()<>#|!\\-+=:"/. \n\r\t', '**', '```', '](', '- ', '# ', '> ', '[x]'),
    },
    { weight: 2, arbitrary: fc.constantFrom('a', 'é', '重', '1', 'http://a.b', '\ud800', '\u00a0', '\u2028') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  );
  const hostile = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  const MANY = { numRuns: 5_000 };

  it('is the same if it is made again', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(excerptOf(excerptOf(text))).toBe(excerptOf(text));
      }),
      MANY,
    );
  });

  it('is never longer than the text, and on one line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const plain = excerptOf(text);
        expect(plain.length).toBeLessThanOrEqual(text.length);
        expect(plain).not.toMatch(/[\r\n\t]|^\s|\s$/);
      }),
      MANY,
    );
  });

  it('says something where the text has letters, as does its first line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        fc.pre(/\p{L}/u.test(text));
        expect(excerptOf(text)).toMatch(/\p{L}/u);
        expect(firstLineOf(text)).not.toBe('');
      }),
      MANY,
    );
  });

  it('has no backquote, and begins with no mark', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(excerptOf(text)).not.toMatch(/`|^(?:>|#{1,6}\s|[-*+]\s)/);
      }),
      MANY,
    );
  });

  it('is made of long runs of any marks, open or nested', () => {
    const units = ['*', '**', '_', '__ ', '`', '~~', '[', '](', '[a](', '[a](b "', '![', '<http:', '> ', '# ', '- '];
    units.push('~', '*a', '**a ', ' _a', '[a](b(c)', '[a][', '| ', ' #', '- [ ] ', '\n', '```\n', '\n- ', '(_', '*_`~');
    for (const unit of units) {
      const text = unit.repeat(Math.ceil(shortOrLong(200_000, 1_000_000) / unit.length));
      for (const whole of [`word ${text} word`, `${text}\`\nword`]) {
        const plain = excerptOf(whole);
        expect(plain.length).toBeLessThanOrEqual(whole.length);
        expect([unit, plain.includes('word') || !whole.startsWith('word')]).toEqual([unit, true]);
      }
    }
  });
});

describe('TS14: the first line of a text', () => {
  it('is the first one that says something', () => {
    expect(firstLineOf('\n---\n```ts\nconst a = 1;\n```\nText')).toBe('const a = 1;');
    expect(firstLineOf('## **Plan**\n\n- one')).toBe('Plan');
    expect(firstLineOf('```ts')).toBe('ts');
    expect(firstLineOf('```ts\n```')).not.toBe('');
    expect(firstLineOf('***\n')).toBe('');
  });
});
