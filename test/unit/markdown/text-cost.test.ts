import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../support/markdown-blocks';
import { weigh } from '../../../src/renderer/features/markdown/fit-tokens';
import { affordable, affordableParts, textCost } from '../../../src/renderer/features/markdown/text-cost';

const MS = 1_000_000;

describe('A2: what text costs to lay out', () => {
  it('is small for what people write, in any script', () => {
    for (const text of [
      'The quick brown fox jumps over the lazy dog. '.repeat(40),
      'Съешь же ещё этих мягких французских булок, да выпей чаю. '.repeat(30),
      '敏捷的棕色狐狸跳过了懒狗。'.repeat(100),
      'สวัสดีชาวโลก ยินดีต้อนรับ '.repeat(30),
    ])
      expect(textCost(text)).toBeLessThan(9 * MS);
  });

  it('is large where each letter is of another script', () => {
    expect(textCost('aก'.repeat(1_000))).toBeGreaterThan(100 * MS);
    expect(textCost('а😀ก漢'.repeat(1_000))).toBeGreaterThan(100 * MS);
  });

  it('pieces put together are the text; none costs more than it may, none parts a character', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 }).map((some) => some + 'aก'.repeat(some.length));
    fc.assert(
      fc.property(text, fc.integer({ min: 300_000, max: 3 * MS }), (source, most) => {
        const parts = affordableParts(source, most);
        expect(parts.join('')).toBe(source);
        expect(parts.flatMap((part) => [...part])).toEqual([...source]);
        for (const part of parts) expect(textCost(part) <= most || [...part].length === 1).toBe(true);
        expect(affordable(source, 0, most)).toBeGreaterThanOrEqual(parts[0]?.length ?? 0);
      }),
    );
  });

  it('a paragraph that is too dear is parted and keeps what it is made of', () => {
    const line = '**Wichtig** ภาษา and `code` ไทย with [a link](https://a.example/) ลิงก์ ';
    const text = line.repeat(40).trim();
    const blocks = blocksOf(text).map(({ token }) => token);
    expect(blocks.length).toBeGreaterThan(1);
    expect(blocks.map(({ raw }) => raw).join('')).toBe(text);
    expect(new Set(blocks.map(({ type }) => type))).toEqual(new Set(['paragraph']));
    expect(JSON.stringify(blocks).match(/"type":"link"/g)).toHaveLength(40);
    for (const block of blocks) expect(weigh(block)).toBeLessThanOrEqual(1_200);
  });
});
