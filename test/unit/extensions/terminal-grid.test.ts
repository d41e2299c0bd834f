import { visibleWidth } from '@mariozechner/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFrame } from '../../../src/main/extensions/ui/check-frame';
import { Grid } from '../../../src/main/extensions/process/terminal/grid';
import { runsOf } from '../../../src/renderer/features/extensions/terminal-grid';
import { cellStyle, contrast } from '../../../src/renderer/features/extensions/terminal-colours';
import { pastedText, terminalKey } from '../../../src/renderer/features/extensions/terminal-keys';

/** What a terminal view may show, whatever is written to it (EX24). */

const drawn = (text: string, columns = 20, rows = 5) => {
  const grid = new Grid(columns, rows, visibleWidth);
  grid.write(text);
  return { grid, frame: checkFrame({ columns, rows: Math.max(1, grid.height), pieces: grid.pieces() })! };
};

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '\u001b',
    '\u001b[',
    '\u001b]8;;http://x\u0007',
    '\u001b]0;t',
    '\u009b31m',
    '\u001b[999;999H',
    '\u001b[1;31;48;2;1;2;3m',
  ),
  fc.constantFrom(
    '\u202e',
    '\u2066',
    '\u0000',
    '\u007f',
    '\r\n',
    '\t',
    '日本語',
    '👩‍👩‍👧‍👧',
    'e' + '\u0301'.repeat(50),
    '<img src=x onerror=alert(1)>',
    '\uF8FE',
  ),
  fc.tuple(fc.nat(500), fc.constantFrom(...'ABCDEFGHJKdfmsuhl')).map(([n, final]) => `\u001b[${n}${final}`),
);

test('EX24: whatever is written, nothing leaves its cells, and nothing but text and colours is left', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), (parts, cut) => {
      const grid = new Grid(20, 5, visibleWidth);
      const all = parts.join('');
      for (let at = 0; at < all.length; at += cut * 7) grid.write(all.slice(at, at + cut * 7));
      const frame = checkFrame({ columns: 20, rows: Math.max(1, Math.min(400, grid.height)), pieces: grid.pieces() })!;
      let before = { row: -1, end: 0 };
      for (const { row, at, width, text } of frame.pieces) {
        expect(row).toBeLessThan(frame.rows);
        expect(at + width).toBeLessThanOrEqual(20);
        expect(row > before.row || at >= before.end).toBe(true);
        before = { row, end: at + width };
        const shown = runsOf(text)
          .map((run) => run.text)
          .join('');
        expect(shown).not.toMatch(/(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(visibleWidth(shown)).toBeLessThanOrEqual(width);
        expect([...shown].length).toBeLessThanOrEqual(width * 12);
      }
    }),
    { numRuns: 300 },
  );
});

test('EX24: what is no frame is none, and of a frame only what lies in its cells is taken', () => {
  fc.assert(fc.property(fc.anything(), (value) => void checkFrame(value)));
  const piece = { row: 0, at: 0, width: 5, text: 'a\u001b]0;x\u0007\u202eb' };
  const pieces = [piece, { ...piece, row: 9 }, { ...piece, at: 18 }, { ...piece, width: -1 }, null];
  const frame = checkFrame({ columns: 20, rows: 3, pieces, cursor: { row: 7, at: 0 } })!;
  expect(frame.pieces).toEqual([{ row: 0, at: 0, width: 5, text: 'ab' }]);
  expect(frame.cursor).toBeNull();
});

test('EX24: moves, erasing, wide characters and colours as pi-tui writes them', () => {
  expect(drawn('one\r\ntwo\u001b[1A\r\u001b[2Know').frame.pieces.map(({ row, text }) => [row, text])).toEqual([
    [0, 'now'],
    [1, 'two'],
  ]);
  expect(drawn('a日b').frame.pieces.map(({ at, width, text }) => [at, width, text])).toEqual([
    [0, 1, 'a'],
    [1, 2, '日'],
    [3, 1, 'b'],
  ]);
  expect(drawn('\u001b[1;38;5;208mx\u001b[0my').frame.pieces[0]?.text).toBe('\u001b[0;1;38;5;208mx\u001b[0;my');
  expect(drawn('1\r\n2\r\n3\r\n4', 20, 2).grid).toMatchObject({ top: 2, height: 4 });
});

test('EX24: every colour can be read on the window’s own ground, in light and dark', () => {
  const rgb = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as never;
  fc.assert(
    fc.property(
      fc.oneof(
        fc.integer({ min: 0, max: 255 }).map((n) => `38;5;${n}`),
        fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((c) => `38;2;${c.join(';')}`),
      ),
      fc.constantFrom('', ';44', ';41', ';100'),
      (ink, ground) => {
        const { ink: shown, ground: behind } = cellStyle(`0;${ink}${ground}`);
        const [light, dark] = behind ?? ['#ffffff', '#242320'];
        expect(contrast(rgb(shown![0]), rgb(light))).toBeGreaterThan(4.1);
        expect(contrast(rgb(shown![1]), rgb(dark))).toBeGreaterThan(4.1);
      },
    ),
  );
});

test('EX24: keys as a terminal sends them; F6 is the window’s', () => {
  const key = (name: string, more = {}) =>
    terminalKey({ key: name, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false, ...more }, false);
  expect(['a', 'é', 'Enter', 'Escape', 'ArrowUp', 'Tab', 'Backspace', 'F6', 'Shift'].map((name) => key(name))).toEqual([
    ...['a', 'é', '\r', '\u001b', '\u001b[A', '\t', '\u007f', null, null],
  ]);
  expect(key('c', { ctrlKey: true })).toBe('\u0003');
  expect(key('Tab', { shiftKey: true })).toBe('\u001b[Z');
  expect(key('ArrowLeft', { ctrlKey: true })).toBe('\u001b[1;5D');
  expect(key('x', { altKey: true })).toBe('\u001bx');
  expect(key('k', { metaKey: true })).toBeNull();
  expect(pastedText('a\r\nb\u001b[201~c')).toBe('\u001b[200~a\nb[201~c\u001b[201~');
});
