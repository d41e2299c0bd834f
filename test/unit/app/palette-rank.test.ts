import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldText } from '../../../src/renderer/state/session-groups';
import { offeredSessions, rankOf } from '../../../src/renderer/features/palette/palette';
import type { SessionSummary } from '../../../src/shared/types';

/** Names in the order in which the palette lists them. */
const ranked = (typed: string, ...names: string[]): string[] =>
  names
    .map((name) => ({ name, rank: rankOf(typed, [name]) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ name }) => name);

it('WN8: a name itself comes first, then its beginning, its words, its initials, its middle', () => {
  const found = ranked('ab', 'slab', 'All branches', 'the abacus', 'About', 'ab', 'none');
  expect(found).toEqual(['ab', 'About', 'the abacus', 'All branches', 'slab']);
  expect(ranked('Plan A', 'Turn automatic compaction on or off', 'Plan B', 'Plan A')).toEqual(['Plan A']);
});

it('WN8: accents and capitals make no difference', () => {
  expect(ranked('cafe', 'Zebra', 'Café')).toEqual(['Café']);
  expect(ranked('CAFÉ', 'cafe')).toEqual(['cafe']);
});

it('WN8: what is said besides finds less than a name does', () => {
  expect(rankOf('okapi', ['Plan'], ['okapi'])).toBeLessThan(rankOf('okapi', ['An okapi']));
  expect(rankOf('okapi', ['Plan'], ['okapi'])).toBeGreaterThan(0);
});

it('WN8: each name is found by itself, and before all others', () => {
  const name = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => foldText(text) !== '');
  // Most of what anybody types is in no other name: these have it at the beginning, at the end, in between.
  const around = fc.tuple(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }));
  fc.assert(
    fc.property(name, around, (one, [before, after]) => {
      const other = before + one + after;
      expect(rankOf(one, [one])).toBe(1);
      if (foldText(other) === foldText(one)) expect(rankOf(one, [other])).toBe(1);
      else expect(rankOf(one, [other])).toBeLessThan(1);
    }),
  );
});

it('WN8: of all sessions those that fit best are offered, however old, and the newest while nothing is typed', () => {
  const session = (id: number, title: string): SessionSummary =>
    ({ id: `s${id}`, title, preview: '', updatedAt: id }) as SessionSummary;
  const all = [
    session(0, 'Oldest puffin'),
    ...Array.from({ length: 3_000 }, (_, at) => session(at + 1, `Session ${at}`)),
  ];
  const newest = offeredSessions(all, '');
  expect([newest.length, newest[0]?.id, newest.at(-1)?.id]).toEqual([50, 's3000', 's2951']);
  expect(offeredSessions(all, 'puffin').map(({ id }) => id)).toEqual(['s0']);
  // Its name itself comes before what begins so.
  expect(
    offeredSessions(all, 'session 7')
      .slice(0, 2)
      .map(({ title }) => title),
  ).toEqual(['Session 7', 'Session 799']);
});
