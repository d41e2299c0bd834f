import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanOutput, firstCharacter, incompleteSuffix, tailOf } from '../../../src/main/commands/clean-output';

test('TL17: sequences of terminals vanish, text stays', () => {
  expect(
    cleanOutput('\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u001b\\link\u001b]8;;\u0007 \u001b(Bplain\u001b='),
  ).toBe('red link plain');
  expect(cleanOutput('a\u001b]unterminated\nnext line stays')).toBe('a\nnext line stays');
  expect(cleanOutput('1%\r50%\r100%\nx\r\r\ny\r')).toBe('100%\nx\ny');
  expect(cleanOutput('a\u0000b\u0008c\u007f\td')).toBe('abc\td');
});

test('TL17: hostile output is cleaned in linear time (a quadratic cleaner would not end)', () => {
  const size = 400_000;
  for (const piece of ['\u001b]', '\u001b[;', '\u001b[', 'x', '\r', '\u001b', '\u001b]8;', '\u001b\\', '\u001bP\r']) {
    expect(cleanOutput(piece.repeat(size)).length).toBeLessThanOrEqual(piece.length * size);
  }
});

test('TL17: cleaned text has no control characters, and clean text is unchanged (property)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('\u001b', '[', ']', '1', ';', 'm', '\r', '\n', '\u0007', 'a', '\u009b', '\t')),
      (pieces) => {
        const cleaned = cleanOutput(pieces.join(''));
        expect(
          [...cleaned].filter(
            (char) => char !== '\n' && char !== '\t' && (char < ' ' || (char >= '\u007f' && char < '\u00a0')),
          ),
        ).toEqual([]);
        expect(cleanOutput(cleaned)).toBe(cleaned);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('TL17: cutting bytes anywhere and joining at whole characters loses nothing (property)', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, where) => {
      const bytes = Buffer.from(text);
      const cut = bytes.length === 0 ? 0 : where % (bytes.length + 1);
      const head = bytes.subarray(0, cut);
      const whole = head.subarray(0, head.length - incompleteSuffix(head));
      const rest = bytes.subarray(whole.length);
      expect(whole.toString() + rest.toString()).toBe(text);
      const tail = bytes.subarray(cut);
      expect(text.endsWith(tail.subarray(firstCharacter(tail)).toString())).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('TL17: the tail keeps whole lines within both caps, or the end of one longer line', () => {
  expect(tailOf('a\nb\n')).toEqual({ text: 'a\nb', lines: 2, isCut: false });
  expect(tailOf('x\n'.repeat(3_000))).toMatchObject({ lines: 2_000, isCut: true });
  const wide = tailOf(`${'é'.repeat(40_000)}`);
  expect(wide).toMatchObject({ lines: 1, isCut: true });
  expect(Buffer.byteLength(wide.text)).toBe(51_200);
  expect(tailOf(`${'y'.repeat(1_000)}\n`.repeat(100)).lines).toBe(51);
});
