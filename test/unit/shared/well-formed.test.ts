import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wellFormed } from '@shared/cut-text';

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });

it('WG7: each half of a character becomes U+FFFD, one for one, and nothing else changes', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const sent = wellFormed(text);
      expect(sent).toHaveLength(text.length);
      expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(sent);
    }),
  );
  expect(wellFormed('a\ud83db\ude00c\ud83d\ude00')).toBe('a\ufffdb\ufffdc\ud83d\ude00');
});

it('WG7: anywhere in plain data, which comes back as it is where there is none', () => {
  const value = { a: ['x\ud83d', { '\ude00': 'y' }], n: 1, none: null };
  expect(wellFormed(value)).toEqual({ a: ['x\ufffd', { '\ufffd': 'y' }], n: 1, none: null });
  expect(value.a[0]).toBe('x\ud83d');
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (json) => {
      const whole = JSON.parse(Buffer.from(json, 'utf8').toString('utf8')) as unknown;
      if (JSON.stringify(whole).search(/\\ud[89a-f]/i) < 0) expect(wellFormed(whole)).toBe(whole);
    }),
  );
});
