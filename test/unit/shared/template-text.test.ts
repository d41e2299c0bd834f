import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillArguments, splitArguments } from '@shared/template-text';

describe('EX19: what stands behind the name of a template', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['  a   b\n\tc ', ['a', 'b', 'c']],
    ['"API compatibility" x', ['API compatibility', 'x']],
    [`doesn't it`, [`doesn't`, 'it']],
    [`'a b' "c d"`, ['a b', 'c d']],
    ['"the \\"fast\\" path"', ['the "fast" path']],
    [`'it\\'s' "C:\\dir\\n"`, [`it's`, 'C:\\dir\\n']],
    ['"no end here', ['"no', 'end', 'here']],
    ['"" \'\' x', ['', '', 'x']],
    ['"a"b c', ['ab', 'c']],
    ['\\"a b\\"', ['\\"a', 'b\\"']],
  ])('is split as a shell would: %j', (text, words) => expect(splitArguments(text)).toEqual(words));

  it('comes back whole when each argument was quoted', () => {
    const quoted = (word: string): string => `"${word.replace(/"/g, '\\"')}"`;
    // A backslash right before a quote is the one thing that can't be written.
    const word = fc.string({ unit: 'grapheme' }).filter((text) => !/\\("|$)/.test(text));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitArguments(words.map(quoted).join(' '))).toEqual(words);
      }),
    );
  });

  it('loses no letter without quotes, and never fails on any text', () => {
    const text = fc.string({
      unit: fc.constantFrom('"', "'", '\\', ' ', '\n', 'a', '$', '{', '}', '@', ':', '-', '1'),
    });
    fc.assert(
      fc.property(text, (any) => {
        const words = splitArguments(any);
        const letters = (of: string): number => of.split('a').length;
        expect(letters(words.join(''))).toBe(letters(any));
        fillArguments(any, any);
      }),
    );
    expect(splitArguments('a b c')).toEqual(['a', 'b', 'c']);
  });

  it('costs no more than its length', () => {
    const long = 200_000;
    for (const text of ['"'.repeat(long), '" \\'.repeat(long), `"${'\\"'.repeat(long)}`, 'x '.repeat(long)])
      expect(splitArguments(text).length).toBeGreaterThan(0);
    for (const end of ['', '}']) fillArguments(`${'${1:-'.repeat(long / 10)}${end}`, 'x');
  });
});

describe('EX19: a template with its arguments', () => {
  it.each<[string, string, string]>([
    ['Fix $1 in $2.', 'login "the app"', 'Fix login in the app.'],
    ['$3|$12', 'a b', '|'],
    ['All: $@ = $ARGUMENTS', 'a "b c"', 'All: a b c = a b c'],
    ['Focus on ${1:-security, style}.', '', 'Focus on security, style.'],
    ['Focus on ${1:-security}.', 'speed', 'Focus on speed.'],
    ['Focus on ${1:-security}.', '""', 'Focus on security.'],
    ['${@:-nothing} left', '', 'nothing left'],
    ['${@:-nothing} left', 'a b', 'a b left'],
    ['${@:2}|${@:2:1}|${@:1}|${@:9}', 'a b c', 'b c|b|a b c|'],
    ['${@:0}', 'a b', 'a b'],
    ['costs $0 and $ or ${HOME} $ARGUMENTSX $x', '', 'costs $0 and $ or ${HOME} $ARGUMENTSX $x'],
    ['none here', 'the login', 'none here\n\nthe login'],
    ['none here', '  ', 'none here'],
  ])('%j with %j', (template, written, text) => expect(fillArguments(template, written)).toBe(text));

  it('does not become longer than a message', () => {
    expect(() => fillArguments('$@'.repeat(1000), 'x'.repeat(10_000))).toThrow('longer than a message can be');
    expect(fillArguments('$@'.repeat(10), 'x'.repeat(10_000))).toHaveLength(100_000);
  });

  it('never looks at what was put in', () => {
    expect(fillArguments('$1 $2', '$2 $1')).toBe('$2 $1');
    expect(fillArguments('$@', "'${1:-x}' $& $`")).toBe('${1:-x} $& $`');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => /^[^\s"'\\]+$/.test(text)),
        (word) => {
          expect(fillArguments('<$1>', word)).toBe(`<${word}>`);
        },
      ),
    );
  });
});
