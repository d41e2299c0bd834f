import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32, crc32OfByte, ownCrc32 } from '../../../src/main/journal/file/crc32';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

/** Bit by bit, as the standard has it. */
function slowCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

describe('CRC-32', () => {
  it('gives the value of the standard', () => {
    expect(crc32(text('123456789'))).toBe(0xcbf43926);
    expect(ownCrc32(text('123456789'))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array())).toBe(0);
  });

  it('is the same with and without Node’s help, on any part, and goes on where it stopped', () => {
    const part = fc.uint8Array({ maxLength: 400 });
    fc.assert(
      fc.property(part, part, part, (before, bytes, after) => {
        const whole = Uint8Array.from([...before, ...bytes, ...after]);
        const [start, end] = [before.length, before.length + bytes.length];
        const expected = slowCrc32(bytes);
        expect(crc32(whole, 0, start, end)).toBe(expected);
        expect(ownCrc32(whole, 0, start, end)).toBe(expected);
        expect(crc32(bytes, crc32(before))).toBe(slowCrc32(whole.subarray(0, end)));
        expect(ownCrc32(bytes, ownCrc32(before))).toBe(slowCrc32(whole.subarray(0, end)));
        if (bytes[0] !== undefined)
          expect(crc32OfByte(bytes[0], crc32(before))).toBe(slowCrc32(whole.subarray(0, start + 1)));
      }),
    );
  });
});
