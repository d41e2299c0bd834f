import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pictureFacts, pictureFactsOfBase64 } from '@shared/picture-facts';
import { chunk, gif, jpeg, png, webp } from '../../support/pictures';

describe('safety A7: what a picture says of itself before it is decoded', () => {
  it.each([
    ['a PNG', png(300, 200), { mimeType: 'image/png', width: 300, height: 200, isAnimated: false }],
    [
      'an animated PNG',
      png(3, 2, [chunk('acTL', [0, 0, 0, 2, 0, 0, 0, 0])]),
      { mimeType: 'image/png', isAnimated: true },
    ],
    ['a bomb', png(60_000, 60_000), { width: 60_000, height: 60_000 }],
    ['a JPEG', jpeg(4000, 3000), { mimeType: 'image/jpeg', width: 4000, height: 3000, isAnimated: false }],
    ['a GIF', gif(16, 9, 1), { mimeType: 'image/gif', width: 16, height: 9, isAnimated: false }],
    ['an animated GIF', gif(16, 9, 3), { mimeType: 'image/gif', isAnimated: true }],
    ['a WebP', webp(640, 480, false), { mimeType: 'image/webp', width: 640, height: 480, isAnimated: false }],
    ['an animated WebP', webp(640, 480, true), { mimeType: 'image/webp', isAnimated: true }],
    ['a GIF whose frame is larger than its screen', gif(1, 1, 1, [30_000, 30_000]), { width: 30_000, height: 30_000 }],
  ])('%s', (_name, bytes, facts) => {
    expect(pictureFacts(bytes)).toMatchObject(facts);
    const { width, height } = pictureFacts(bytes) ?? {};
    expect(pictureFactsOfBase64(Buffer.from(bytes).toString('base64'))).toMatchObject({ width, height });
  });

  it('the beginning is enough, and says nothing else', () => {
    for (const whole of [png(300, 200), jpeg(4000, 3000), gif(16, 9, 1), webp(640, 480, false)]) {
      const facts = pictureFacts(whole);
      for (let end = 0; end < whole.length; end++) {
        const cut = pictureFacts(whole.subarray(0, end));
        if (cut) expect(cut).toEqual(facts);
      }
    }
    const long = Buffer.concat([gif(16, 9, 1), Buffer.alloc(1_000_000)]).toString('base64');
    expect(pictureFactsOfBase64(long)).toMatchObject({ width: 16, height: 9 });
    fc.assert(fc.property(fc.string(), (text) => pictureFactsOfBase64(text) !== undefined));
  });

  it('anything else is none, wherever it ends', () => {
    for (const whole of [png(3, 2), jpeg(3, 2), gif(3, 2, 2), webp(3, 2, true)]) {
      for (let end = 0; end < whole.length; end++) pictureFacts(whole.subarray(0, end));
    }
    expect(pictureFacts(new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>'.repeat(3)))).toBeNull();
    expect(pictureFacts(png(0, 5))).toBeNull();
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(png(3, 2), jpeg(3, 2), gif(3, 2, 2), webp(3, 2, true)),
        (noise, head) => {
          pictureFacts(noise);
          pictureFacts(new Uint8Array([...head.subarray(0, 14), ...noise]));
        },
      ),
    );
  });
});
