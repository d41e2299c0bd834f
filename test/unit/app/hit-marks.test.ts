import fc from 'fast-check';
import { expect, it } from 'vitest';
import { marksOf } from '../../../src/renderer/features/search/hit-marks';

const place = fc.constantFrom('kept' as const, 'summarized' as const);
const hits = fc.array(fc.record({ place, share: fc.double({ min: 0, max: 1, noNaN: true }) }), { maxLength: 300 });

it('SE1: each hit has a mark of its row; a row has one, of the hit at which one is or the best known', () => {
  fc.assert(
    fc.property(hits, hits, fc.nat(400), fc.integer({ min: 1, max: 200 }), (path, forks, at, rows) => {
      const shares = new Map<string, number>();
      const named =
        (prefix: string) =>
        <H extends { share: number }>(hit: H, n: number) => {
          shares.set(`${prefix}${n}`, hit.share);
          return { ...hit, entryId: `${prefix}${n}`, count: 1 };
        };
      const answer = { path: path.map(named('p')), forks: forks.map(named('f')) };
      const shareOf = (id: string): number | null => shares.get(id) ?? null;
      const marks = marksOf({ answer, at, shareOf, rows });
      const rowOf = ({ share }: { share: number }): number => Math.min(rows - 1, Math.floor(share * rows));
      const wanted = new Set([...path, ...forks].map(rowOf));
      expect(marks.map(({ row }) => row)).toEqual([...wanted].sort((a, b) => a - b));
      for (const mark of marks) {
        const there = answer.path.filter((hit) => rowOf(hit) === mark.row);
        const places = new Set(there.map((hit) => hit.place));
        const here = answer.path[at];
        if (here && rowOf(here) === mark.row) expect(mark).toMatchObject({ hit: at, isHere: true, place: here.place });
        else {
          expect(mark.isHere).toBe(false);
          expect(mark.place).toBe(places.has('kept') ? 'kept' : places.has('summarized') ? 'summarized' : 'branch');
          // A press leads to the first of them.
          if (mark.place === 'branch') expect(rowOf({ share: shareOf(mark.forkId!)! })).toBe(mark.row);
          else expect(answer.path[mark.hit]).toBe(there.find((hit) => hit.place === mark.place));
        }
      }
    }),
  );
});

it('SE1: what is not laid out has no mark, and a branch from above all stands at the top', () => {
  const answer = { path: [{ entryId: 'a', place: 'kept' as const }], forks: [{ entryId: null, count: 3 }] };
  const marks = marksOf({ answer, at: -1, shareOf: () => null, rows: 10 });
  expect(marks).toEqual([{ row: 0, place: 'branch', hit: -1, forkId: null, isHere: false }]);
  expect(marksOf({ answer, at: 0, shareOf: () => 0.5, rows: 0 })).toEqual([]);
});
