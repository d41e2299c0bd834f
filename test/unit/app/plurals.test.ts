import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A count that may be one stands with `plural`; a bound, which is never one, and what is counted in tokens may stand as it is. */
const RAW =
  /toLocaleString\('en'\)\} (?:[a-z]+ ){0,2}(?:entries|messages|files|calls|lines|sessions|turns|characters|records)\b/;
/** Where there are always many: an approval that is read in steps, the bound of the field. */
const MANY = ['approval-card.tsx', 'draft-field.ts'];

it('no screen says “1 entries”', () => {
  const root = join(import.meta.dirname, '../../../src/renderer');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  expect(sources.length).toBeGreaterThan(100);
  const raw = sources
    .filter((name) => !MANY.some((many) => name.endsWith(many)))
    .flatMap((name) => {
      const found = RAW.exec(readFileSync(join(root, name), 'utf8'))?.[0];
      return found === undefined ? [] : [`${name}: ${found}`];
    });
  expect(raw).toEqual([]);
});
