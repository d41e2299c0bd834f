import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pixelSize, pixelSizeOfBase64 } from '../../../src/shared/pixel-size';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...part].map((c) => c.charCodeAt(0)) : part)));

const PNG = bytes([0x89], 'PNG\r\n', [0x1a, 0x0a, 0, 0, 0, 13], 'IHDR', [0, 0, 0x9c, 0x40, 0, 0, 0x75, 0x30]);
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 11, 8, 0x1f, 0x40, 0x2e, 0xe0]);
const GIF = bytes('GIF89a', [0x10, 0x27, 0x20, 0x4e]);
const WEBP_X = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 0x0f, 0x27, 0, 0x1f, 0x4e, 0]);
const WEBP_L = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8L', [0, 0, 0, 0, 0x2f, 0x63, 0xc0, 0x31, 0]);
const WEBP = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0x40, 1, 0xc8, 0]);

describe('A9: the size of a picture is known before it is decoded', () => {
  it.each([
    ['PNG', PNG, { width: 40_000, height: 30_000 }],
    ['JPEG', JPEG, { width: 12_000, height: 8_000 }],
    ['GIF', GIF, { width: 10_000, height: 20_000 }],
    ['WebP, extended', WEBP_X, { width: 10_000, height: 20_000 }],
    ['WebP, lossless', WEBP_L, { width: 100, height: 200 }],
    ['WebP', WEBP, { width: 320, height: 200 }],
  ])('%s', (_name, head, size) => {
    expect(pixelSize(head)).toEqual(size);
    expect(pixelSizeOfBase64(Buffer.from(head).toString('base64'))).toEqual(size);
    for (let length = 0; length < head.length; length++) {
      const cut = pixelSize(head.slice(0, length));
      if (cut) expect(cut).toEqual(size);
    }
  });

  it('never throws and never loops, whatever the bytes', () => {
    const heads = [PNG, JPEG, GIF, WEBP, WEBP_L, WEBP_X, new Uint8Array()];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array({ maxLength: 300 }), (head, kept, rest) => {
        const size = pixelSize(Uint8Array.from([...head.slice(0, kept), ...rest]));
        expect(size === null || (size.width > 0 && size.height > 0)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
    fc.assert(fc.property(fc.string(), (text) => pixelSizeOfBase64(text) !== undefined));
  });
});
