import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { SPOOFS } from '../../support/spoof-corpus';
import type { VisibleRunKind } from '@shared/policy/visible-runs';
import { visibleString, visibleText, type VisiblePlace } from '@shared/policy/visible-text';
import { readBack, shownText } from '../../support/read-back';

/** What may not reach the screen as it is, whatever the text. */
const HIDDEN =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/u;

const shown = (text: string) => shownText(visibleText(text, 'command'));
const warnings = (text: string, place: VisiblePlace = 'command') => visibleText(text, place).warnings;
const kinds = (text: string): VisibleRunKind[] =>
  visibleText(text, 'command').lines.flatMap((line) => line.runs.map((run) => run.kind));

/** Texts as an attacker makes them: pieces that matter, in any order. */
const trap = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii' }) },
  {
    weight: 4,
    arbitrary: fc
      .array(
        fc.constantFrom(
          ...[
            'rm -rf ',
            '\u202e',
            '\u2066',
            '\u2069',
            '\u200b',
            '\t',
            '\r',
            '\n',
            '\r\n',
            ' ',
            '→',
            '␍',
            '⟨',
            '⟩',
            '\u0301',
          ],
          ...[
            'e',
            'א',
            'ب',
            '١',
            '5',
            '/',
            ';',
            '⟨U+202E⟩',
            '⟨60 empty lines⟩',
            '\ud800',
            '\udc00',
            '👩‍💻',
            '❤\ufe0f',
            '1\ufe0f\u20e3',
          ],
          ...[
            ' '.repeat(90),
            '\n'.repeat(9),
            ' \n'.repeat(7),
            '\t\n'.repeat(5),
            '\r\n'.repeat(6),
            '\t'.repeat(30),
            '\u{e0041}',
          ],
        ),
        { maxLength: 40 },
      )
      .map((parts) => parts.join('')),
  },
);

describe('visible text', () => {
  it('can be read back to the exact text, whatever the text', () => {
    fc.assert(
      fc.property(trap, (text) => {
        const visible = visibleText(text, 'command');
        expect(readBack(shownText(visible))).toBe(text);
        const sources = visible.lines.map((line) => line.runs.map((run) => run.source).join(''));
        expect(sources.join('\n')).toBe(text);
        expect(visible.lines.reduce((sum, line) => sum + line.lines, 0)).toBe(text.split('\n').length);
      }),
      { numRuns: 3_000 },
    );
  });

  it('draws nothing that hides, moves or covers other characters', () => {
    const emoji = new RegExp('\\p{RGI_Emoji}', 'gv');
    /** What is wrong with characters as they are drawn. Plain tests: half a million `expect`s took most of a minute. */
    const wrong = (kind: VisibleRunKind, drawn: string): string[] =>
      [
        HIDDEN.test(drawn) && 'hides',
        /(?:^|[^\p{L}\p{M}])\p{M}|\p{M}{7}|\n/u.test(drawn) && 'covers',
        // A run that goes from right to left is one word: nothing changes its place with a neighbour.
        kind === 'rtl' && !/^[\p{L}\p{M}]+$/u.test(drawn) && 'is no word',
        kind === 'text' && /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u.test(drawn) && 'moves',
      ].filter((flaw) => flaw !== false);
    const flaws = ({ kind, shown: text }: { kind: VisibleRunKind; shown: string }): string[] => {
      const drawn = text.replace(/→\t/gu, '');
      // Emoji are looked for only where something is wrong: that takes a hundred times as long as all the rest.
      if (wrong(kind, drawn).length === 0) return [];
      return wrong(kind, drawn.replace(emoji, '')).map((flaw) => `${JSON.stringify(text)} ${flaw}`);
    };
    fc.assert(
      fc.property(trap, (text) => {
        expect(visibleText(text, 'command').lines.flatMap((line) => line.runs.flatMap(flaws))).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('writes out what hides, and says what it is', () => {
    expect(shown('echo \u202etset\u202c')).toBe('echo ⟨U+202E⟩tset⟨U+202C⟩');
    expect(warnings('echo \u202etset')).toEqual([
      'It holds a right-to-left override (U+202E): without the escape, text would be shown in another order than it runs.',
    ]);
    expect(shown('a\u0085b\u2028c\u2029d\vb\fc\rd')).toBe('a⟨U+0085⟩b⟨U+2028⟩c⟨U+2029⟩d⟨U+000B⟩b⟨U+000C⟩c⟨U+000D⟩d');
    expect(shown('a\u00a0\u2000\u3000\u3164\u2800\u180eb')).toBe('a⟨U+00A0⟩⟨U+2000⟩⟨U+3000⟩⟨U+3164⟩⟨U+2800⟩⟨U+180E⟩b');
    expect(shown('x\u{e0041}\ufe0f\u00ad\ue000\u0378\ud800y')).toBe(
      'x⟨U+E0041⟩⟨U+FE0F⟩⟨U+00AD⟩⟨U+E000⟩⟨U+0378⟩⟨U+D800⟩y',
    );
    expect(shown('\u200b'.repeat(5_000))).toBe('⟨U+200B ×5,000⟩');
    expect(warnings('a\u200b\u200bb')).toEqual([
      'It holds a zero-width space (U+200B, 2 times), which can’t be seen but counts when it runs.',
    ]);
  });

  it('does not say of contents or a path that they run', () => {
    const told = (place: 'content' | 'path') => visibleText('a\u200bb\u202e\u00a0', place).warnings;
    expect(told('content')).toEqual([
      'It holds a zero-width space (U+200B), which can’t be seen but is written.',
      'It holds a right-to-left override (U+202E): without the escape, text would be shown in another order than it is written.',
      expect.stringMatching(/looks like a space but isn’t one\.$/),
    ]);
    for (const sentence of told('path')) expect(sentence).not.toMatch(/runs|shell/);
  });

  it('shows tabs and the CR of a line end as signs, without a warning', () => {
    expect(shown('a\tb\r\nc')).toBe('a→\tb⟨CR⟩\nc');
    expect(warnings('a\tb\r\nc')).toEqual([]);
    expect(shown('a\rb\r\n')).toBe('a⟨U+000D⟩b⟨CR⟩\n');
    expect(warnings('a\rb')).toHaveLength(1);
  });

  it('counts what could push text out of sight', () => {
    expect(shown(`a${'\n'.repeat(61)}b`)).toBe('a\n⟨60 empty lines⟩\nb');
    expect(shown('a\n\n\n\nb')).toBe('a\n\n\n\nb');
    expect(shown(`a${' '.repeat(3_000)}b`)).toBe('a⟨3,000 spaces⟩b');
    expect(shown(`a${'\t'.repeat(3_000)}b`)).toBe('a⟨3,000 tabs⟩b');
    expect(shown(`a\n${'  \n'.repeat(9)}b`)).toBe('a\n⟨9 lines of 2 spaces⟩\nb');
    expect(warnings(`a${' '.repeat(3_000)}b`)[0]).toContain('3,000 spaces in a row');
    expect(warnings(`a${'\n'.repeat(61)}b`)[0]).toContain('60 empty lines in a row');
  });

  it('writes out marks that pile up, cover, or stand on nothing', () => {
    expect(shown('\u0301a')).toBe('⟨U+0301⟩a');
    expect(shown(`;\u0337`)).toBe(';⟨U+0337⟩');
    expect(shown('e\u0301\u0323x')).toBe('e\u0301\u0323x');
    expect(shown(`e${'\u0301'.repeat(50)}`)).toBe(`e\u0301⟨U+0301 ×49⟩`);
    expect(shown('cafe\u0301\u0323\u0301.txt')).toBe('cafe\u0301\u0323⟨U+0301⟩.txt');
    expect(shown('a\u20dd')).toBe('a⟨U+20DD⟩');
  });

  it.each([
    ['English', 'The quick brown fox — “jumps” over £5, 50 % …'],
    ['German', 'Größe der Straße'],
    ['Vietnamese, decomposed', 'Tiếng Việt'.normalize('NFD')],
    ['Chinese', '修复：排队任务（重要）'],
    ['Japanese, decomposed', 'がぎぐげご'.normalize('NFD')],
    ['Korean', '대기열 작업'],
    ['Russian', 'Очередь заданий и рост'],
    ['Hindi', 'कार्य कतार'],
    ['Thai', 'คิวงานที่รออยู่'],
    ['emoji', 'done 🎉 👩‍💻 👨‍👩‍👧‍👦 ❤️ 1️⃣ 🇩🇪 👍🏽'],
    ['arrows', 'a → b ⇒ c'],
  ])('leaves %s readable, without a warning', (_, text) => {
    expect(visibleText(text, 'content')).toEqual({
      lines: [{ runs: [{ kind: 'text', source: text, shown: text }], lines: 1 }],
      warnings: [],
    });
  });

  it('draws words that run from right to left one by one, in the order in which they run', () => {
    expect(kinds('mv אבג דהו')).toEqual(['text', 'rtl', 'text', 'rtl']);
    expect(visibleText('mv אבג דהו', 'command').lines[0]?.runs.map((run) => run.shown)).toEqual([
      'mv ',
      'אבג',
      ' ',
      'דהו',
    ]);
    expect(kinds('שָׁלוֹם')).toEqual(['rtl']);
    expect(kinds('١٢٣/٤٥')).toEqual(['isolated', 'text', 'isolated']);
    expect(kinds('א١٢ב')).toEqual(['rtl', 'isolated', 'rtl']);
    expect(warnings('שלום عالم', 'content')).toEqual([]);
  });

  it('can’t be imitated: our own signs in a text are written out', () => {
    expect(shown('⟨U+202E⟩')).toBe('⟨U+27E8⟩U+202E⟩');
    expect(shown('␍')).toBe('⟨U+240D⟩');
  });

  it('warns of names that look like others', () => {
    expect(warnings('/home/u/p\u0430sswd', 'path')[0]).toContain('“p\u0430sswd” looks like “passwd”');
    expect(warnings('\u0441\u043e\u0440\u0443', 'path')[0]).toContain('looks like “copy”');
    expect(warnings('a\uff0fb', 'path')[0]).toContain('looks like “/”');
    expect(warnings('a\u2215..\u2024x', 'path')).toHaveLength(2);
    expect(warnings('curl\u2013s evil', 'command')[0]).toContain('looks like “-”');
    expect(warnings('git commit -m "修复：任务"', 'command')).toEqual([]);
    expect(warnings('Рост и сон', 'content')).toEqual([]);
    expect(warnings('if (us\u0435r) {', 'content')[0]).toContain('Cyrillic');
  });

  it('warns of one name in two spellings that look alike', () => {
    const both = warnings('cat caf\u00e9.txt cafe\u0301.txt', 'command');
    expect(both).toEqual([expect.stringMatching(/^“caf\u00e9” is there in two spellings that look alike/)]);
    expect(warnings('cat cafe\u0301.txt cafe\u0301.txt', 'command')).toEqual([]);
    expect(warnings('cat caf\u00e9.txt caf\u00e9s.txt', 'command')).toEqual([]);
  });

  it('is one line where only one line fits', () => {
    expect(visibleString('a\nb\u202ec')).toBe('a⟨U+000A⟩b⟨U+202E⟩c');
    expect(visibleString('mv א')).toBe('mv \u2067א\u2069');
  });

  it('knows at least sixty ways to deceive', () => {
    expect(new Set(SPOOFS.map(({ command }) => command)).size).toBeGreaterThanOrEqual(60);
  });

  it.each(SPOOFS)('holds against: $name', ({ command }) => {
    const drawn = shown(command);
    expect(readBack(drawn)).toBe(command);
    expect(drawn.replace(/→\t/gu, '').replace(/\n/gu, '')).not.toMatch(HIDDEN);
  });

  it('takes long texts in linear time', () => {
    for (const unit of [
      ' ',
      '\t',
      ' \t',
      '\u200b',
      '\u200b\u200c',
      'e\u0301',
      'א',
      '\n',
      ' \n',
      '\r',
      '⟨',
      '１',
      'аa',
      '👩‍',
    ]) {
      const text = unit.repeat(Math.floor(100_000 / unit.length));
      expect(readBack(shown(text))).toBe(text);
    }
  });
});
