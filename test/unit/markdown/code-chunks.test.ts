import { describe, expect, it } from 'vitest';
import { CodeChunks } from '../../../src/renderer/features/markdown/code-chunks';

const lines = (count: number): string => 'a\n'.repeat(count);
const textOf = (chunks: CodeChunks): string => chunks.made.map(({ text }) => text).join('');
function makeAll(chunks: CodeChunks, pages = 1): void {
  while (!chunks.isWhole(pages)) chunks.next(pages);
}

describe('A2: code is made in chunks, one by one', () => {
  it('nothing is made before it is asked for, and then one chunk', () => {
    const chunks = new CodeChunks();
    expect(chunks.update(lines(100_000))).toBe(0);
    expect(chunks.made).toEqual([]);
    chunks.next(1);
    expect(chunks.made.map(({ first, count }) => [first, count])).toEqual([[0, 80]]);
    chunks.next(1);
    expect(chunks.made.map(({ first, count }) => [first, count])).toEqual([[0, 80], [80, 80]]); // prettier-ignore
  });

  it('the shortest lines have a price: they fill a frame of 6 ms before they take 50 to lay out', () => {
    const chunks = new CodeChunks();
    chunks.update(lines(100_000));
    let ns = 0;
    while (ns < 6_000_000) ns += chunks.next(1);
    expect(chunks.made.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(2_000);
  });

  it('put together they are the code, page by page', () => {
    const code = Array.from({ length: 5_000 }, (_, at) => `line ${at} of a code`).join('\n');
    const chunks = new CodeChunks();
    chunks.update(code);
    makeAll(chunks);
    expect(chunks.isFull(1)).toBe(true);
    expect(code.startsWith(textOf(chunks))).toBe(true);
    expect(chunks.isFull(2)).toBe(false);
    makeAll(chunks, 2);
    expect(chunks.isFull(2)).toBe(false);
    expect(textOf(chunks)).toBe(`${code}\n`);
    expect(chunks.made.map(({ first }) => first)).toEqual(
      chunks.made.map((_, at) => chunks.made.slice(0, at).reduce((sum, { count }) => sum + count, 0)),
    );
  });

  it('code that grows costs its last chunk; as many as stood are made at once', () => {
    const chunks = new CodeChunks();
    chunks.update(lines(200));
    makeAll(chunks);
    const before = [...chunks.made];
    expect(before).toHaveLength(3);
    expect(chunks.update(`${lines(200)}more`)).toBe(3);
    expect(chunks.made).toEqual(before.slice(0, 2));
    chunks.next(1);
    expect(chunks.made[0]).toBe(before[0]);
    expect(textOf(chunks)).toBe(`${lines(200)}more\n`);
    expect(chunks.isWhole(1)).toBe(true);
  });

  it('the same code costs nothing, other code begins anew', () => {
    const chunks = new CodeChunks();
    chunks.update(lines(200));
    makeAll(chunks);
    const { made } = chunks;
    expect(chunks.update(lines(200))).toBe(3);
    expect(chunks.made).toBe(made);
    expect(chunks.update('b')).toBe(1);
    makeAll(chunks);
    expect(textOf(chunks)).toBe('b\n');
  });

  it('a line that is too long is cut for the eye, and its chunk has no colours', () => {
    const chunks = new CodeChunks();
    chunks.update(`${'x'.repeat(5_000)}\nshort`);
    makeAll(chunks);
    expect(textOf(chunks)).toBe(`${'x'.repeat(2_000)} … 3,000 more characters\nshort\n`);
    expect(chunks.made[0]?.count).toBe(0);
  });
});
