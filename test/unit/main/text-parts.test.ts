import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf, takeApart } from '@shared/ipc/long-texts';
import { pack } from '../../../src/main/ipc/bulk-chunks';
import { TextParts } from '../../../src/main/text-parts';

/** Requests and chunks with very long texts cross in parts and are what they were: docs/specs/safety.md A7. */

const MB = 1024 * 1024;
let count = 0;
const newId = (): string => `t${(count += 1)}`;

describe('a request with long texts', () => {
  it('is put together as it was, whatever else is in it', () => {
    const long = fc.integer({ min: 256 * 1024, max: 3 * MB }).map((length) => 'ab😀"'.repeat(length).slice(0, length));
    fc.assert(
      fc.property(long, long, fc.jsonValue({ maxDepth: 3 }), (one, two, other) => {
        const params = {
          text: one,
          attachments: [
            { kind: 'image', data: two },
            { kind: 'text', data: '' },
          ],
          other,
        };
        const before = JSON.stringify(params);
        const apart = takeApart(params, newId);
        if (!apart) throw new Error('Nothing was taken out.');
        const texts = new TextParts();
        for (const part of partsOf(apart)) {
          expect(part.text.length).toBeLessThanOrEqual(MB);
          texts.take(part);
        }
        expect(JSON.stringify(apart.rest).length).toBeLessThan(100_000);
        expect(JSON.stringify(texts.putBack(structuredClone(apart.rest), apart.places)) === before).toBe(true);
        expect(JSON.stringify(params) === before).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('without one is left alone', () => {
    expect(takeApart({ text: 'x'.repeat(1000), list: [1, null, undefined] }, newId)).toBeNull();
    const params = { a: 1 };
    expect(new TextParts().putBack(params, undefined)).toBe(params);
  });

  it('takes no part twice, none that it does not have, and puts it only where nothing stands', () => {
    const texts = new TextParts();
    texts.take({ id: 'a', text: 'one' });
    const put = (params: unknown, path: unknown, id: unknown = 'a') => texts.putBack(params, [{ id, path }]);
    for (const path of [['__proto__', 'x'], ['constructor'], ['b'], ['a', 'b'], [], 'a', undefined])
      expect(() => put({ a: 'taken' }, path)).toThrow('A part of the request is missing.');
    expect(() => put({ a: '' }, ['a'], 'b')).toThrow();
    expect(put({ a: '' }, ['a'])).toEqual({ a: 'one' });
    expect(() => put({ a: '' }, ['a'])).toThrow();
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('keeps no more than a bounded amount, and nothing of a page that is gone', () => {
    const texts = new TextParts(10);
    texts.take({ id: 'a', text: '12345' });
    expect(() => texts.take({ id: 'b', text: '123456' })).toThrow('The request is too large.');
    expect(() => texts.putBack({ a: '' }, [{ id: 'a', path: ['a'] }])).toThrow();
    texts.take({ id: 'c', text: '1234567890' });
    texts.clear();
    texts.take({ id: 'd', text: '1234567890' });
    for (const wrong of [null, 'x', { id: 1, text: '' }, { id: 'x'.repeat(101), text: '' }, { id: 'e', text: 1 }])
      expect(() => texts.take(wrong)).toThrow('That is not a part of a request.');
  });
});

describe('lines for the database', () => {
  const packets = async (chunk: unknown) => {
    const all = [];
    for await (const packet of pack(
      'sync.lines',
      (async function* () {
        yield chunk;
      })(),
    ))
      all.push(packet);
    return all;
  };

  it('cross as they are, and in parts where one is very long', async () => {
    const small = { lines: [{ seq: 0, id: 'a', line: '{"a":1}' }], crc: 1 };
    expect(await packets(small)).toEqual([{ chunk: small }]);
    const large = { lines: [...small.lines, { seq: 1, id: 'b', line: '{"ü\\"\n":1}'.repeat(MB) }], crc: 2 };
    const sent = await packets(large);
    expect(sent.at(-1)).toEqual({ chunk: '' });
    const parts = sent.slice(0, -1).map((packet) => ('part' in packet ? packet.part : ''));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2 * MB);
    expect(parts.join('') === JSON.stringify(large)).toBe(true);
  });
});
