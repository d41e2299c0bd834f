import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdMap } from '@shared/session/records/ids';

const anyId = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('__proto__', 'constructor', ''), fc.uuid());

it('holds what a map holds, whatever the ids are', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyId, fc.integer())), fc.array(anyId), (writes, asked) => {
      const [mine, plain] = [new IdMap<number>(), new Map<string, number>()];
      for (const [id, value] of writes) {
        mine.set(id, value);
        plain.set(id, value);
      }
      for (const id of [...plain.keys(), ...asked])
        expect([mine.has(id), mine.get(id)]).toEqual([plain.has(id), plain.get(id)]);
    }),
  );
});

it.each([
  ['hex', (at: number) => at.toString(16).padStart(8, '0')],
  ['the same for 60 characters', (at: number) => `${'x'.repeat(60)}${at}`],
])('a hundred thousand ids, %s, are found, and no other', (_kind, idOf) => {
  const map = new IdMap<number>();
  for (let at = 0; at < 100_000; at += 1) map.set(idOf(at), at);
  map.set(idOf(5), -5);
  for (let at = 0; at < 100_000; at += 1) if (map.get(idOf(at)) !== (at === 5 ? -5 : at)) throw new Error(idOf(at));
  expect([map.has(idOf(100_000)), map.get('')]).toEqual([false, undefined]);
});
