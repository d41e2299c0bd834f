import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHUNK, cutIntoChunks, MAX_CHUNK_BYTES } from '../../../src/renderer/db/session-records';

const bytes = (line: string): number => (/[^\x00-\xff]/.test(line) ? 2 : 1) * line.length;
const sizes = fc.oneof(fc.nat(400), fc.nat(MAX_CHUNK_BYTES), fc.constant(3 * MAX_CHUNK_BYTES));
const lines = fc
  .array(
    fc.record({
      gap: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, fc.nat(3)),
      size: sizes,
      isWide: fc.boolean(),
    }),
    {
      maxLength: 260,
    },
  )
  .map((all) => {
    let seq = -1;
    return all.map(({ gap, size, isWide }) => {
      seq += 1 + gap;
      return { seq, id: String(seq), line: (isWide ? 'д' : 'a').repeat(size) };
    });
  });

describe('cutIntoChunks', () => {
  it('loses and moves nothing: the chunks put together are the lines', () => {
    fc.assert(
      fc.property(lines, (all) => {
        expect(cutIntoChunks('s', all).flatMap(({ chunk }) => chunk.lines)).toEqual(all);
      }),
    );
  });

  it('has no gap within a chunk, whose number is that of its first record', () => {
    fc.assert(
      fc.property(lines, (all) => {
        for (const { chunk } of cutIntoChunks('s', all)) {
          expect(chunk.lines.map(({ seq }) => seq)).toEqual(chunk.lines.map((_, at) => chunk.seq + at));
        }
      }),
    );
  });

  it('SY5: ends a chunk once it is full and never before, unless a number is missing', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const runs = cutIntoChunks('s', all);
        runs.forEach(({ chunk, fill }, at) => {
          const before = chunk.lines.slice(0, -1).reduce((sum, { line }) => sum + bytes(line), 0);
          expect(before).toBeLessThan(MAX_CHUNK_BYTES);
          expect(chunk.lines.length).toBeLessThanOrEqual(CHUNK);
          const next = runs[at + 1]?.chunk;
          if (next?.seq === chunk.seq + chunk.lines.length) expect(fill).toBeGreaterThanOrEqual(1);
        });
      }),
    );
  });
});
