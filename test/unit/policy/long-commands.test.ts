import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RiskFinder, type Risk } from '@shared/policy/risk';

const PLACES = { cwd: '/work/project', home: '/home/me' };

function stepsOf(text: string, places: typeof PLACES | null): number[] {
  const finder = new RiskFinder(places);
  return [...finder.read(text, 0), ...finder.end()];
}

function risksOf(text: string): Risk[] {
  const finder = new RiskFinder(PLACES);
  for (const steps of [finder.read(text, 0), finder.end()]) for (const _ of steps) continue;
  return finder.risks();
}

describe('C2: a command of very many words', () => {
  it.each(['ssh h ', 'docker exec c ', 'psql a ', 'sudo ', 'git -c a ', 'rm a ', 'env a=b '])(
    '%s: no step looks at many',
    (words) => {
      const text = `x|${words.repeat(20_000)}`;
      for (const places of [null, PLACES]) expect(Math.max(...stepsOf(text, places))).toBeLessThan(2_500);
    },
  );

  it('what is said of it does not depend on how many words stand before it', () => {
    fc.assert(
      fc.property(fc.nat(3_000), fc.nat(3_000), (before, behind) => {
        const many = (count: number): string => 'a '.repeat(count);
        const kinds = (text: string): string[] => risksOf(text).map(({ kind, title }) => `${kind} ${title}`);
        const found = `find ${many(before)}-delete ${many(behind)}`;
        expect(kinds(found)).toEqual(['deletes Deletes files']);
        expect(kinds(`cp ${many(before)}/etc/passwd ${many(behind)}.`)).toEqual([
          'outside Reaches outside the workspace',
        ]);
        expect(kinds(`tar -x ${many(before)}-C /etc ${many(behind)}`)).toEqual([
          'outside Reaches outside the workspace',
        ]);
        expect(kinds(`cat ${many(before + behind)}`)).toEqual([]);
        const at = found.indexOf('-delete') + '-delete'.length;
        expect(risksOf(found)[0]?.marks.at(-1)?.to).toBe(at);
      }),
      { numRuns: 30 },
    );
  });
});
