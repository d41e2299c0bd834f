import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BULK, REQUESTS } from '@shared/ipc/contract';
import { SETTING_KEYS } from '@shared/settings';
import { RAISING } from '../../../src/main/settings/settings-guard';

/** docs/specs/safety.md C3: what script in the page could ask for is known, request by request. */

const page = readFileSync(join(process.cwd(), 'docs/specs/page.md'), 'utf8');
const KINDS = ['looks', 'works', 'lowers', 'dialog', 'asks'];

/** Every request of the table with its kind. */
function rows(): { name: string; kind: string; says: string }[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [names = '', kind = '', says = ''] = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim());
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ name, kind, says }));
    });
}

/** Names of all parameters, at any depth: of objects, lists, unions, intersections, pipes, records, tuples, lazy schemas. */
function keysOf(schema: z.ZodType, seen = new Set<z.ZodType>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { shape, ...def } = schema.def as unknown as Record<string, unknown> & { shape?: Record<string, z.ZodType> };
  const named = Object.entries(shape ?? {}).flatMap(([key, inner]) => [key, ...keysOf(inner, seen)]);
  const getter = def.type === 'lazy' ? [(def.getter as () => unknown)()] : [];
  // Whatever holds schemas, by whatever name: a kind that is not known here is walked as well.
  const inner = [...Object.values(def).flat(), ...getter].filter((one) => one instanceof z.ZodType);
  return [...named, ...inner.flatMap((one) => keysOf(one, seen))];
}

/** What a parameter that names a place in the file system would be called. */
const PLACE = /(path|folder$|dir|cwd|workspace|filename)/i;

describe('C3: the page’s powers', () => {
  it('PG1: every request stands in the table once, with its kind and what holds; a new one fails here until it does', () => {
    const table = rows();
    expect(table.map(({ name }) => name).sort()).toEqual(Object.keys(REQUESTS).sort());
    for (const { name, kind, says } of table) {
      expect(KINDS, name).toContain(kind);
      expect(says.length, name).toBeGreaterThan(5);
    }
  });

  it('no request takes a path: nothing in the contract is named like one', () => {
    const named = [...Object.entries(REQUESTS), ...Object.entries(BULK)].flatMap(([name, spec]) =>
      keysOf('params' in spec ? spec.params : spec).map((key) => `${name} ${key}`),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((one) => PLACE.test(one.split(' ')[1] ?? ''))).toEqual([]);
  });

  it('a path would be found wherever it stood', () => {
    const place = z.strictObject({ path: z.string() });
    const other = z.strictObject({ id: z.string() });
    const hidden: Record<string, z.ZodType> = {
      list: z.array(place),
      union: z.union([other, place]),
      'union by a name': z.discriminatedUnion('kind', [
        other.extend({ kind: z.literal('a') }),
        place.extend({ kind: z.literal('b') }),
      ]),
      'both of two': z.intersection(other, place),
      pipe: z
        .string()
        .transform((text) => ({ path: text }))
        .pipe(place),
      'a check before': z.preprocess((value) => value, place),
      record: z.record(z.string(), place),
      map: z.map(z.string(), place),
      tuple: z.tuple([other, place]),
      'the rest of a tuple': z.tuple([other], place),
      optional: place.optional(),
      nullable: place.nullable(),
      default: place.default({ path: '' }),
      lazy: z.lazy(() => place),
      refined: place.refine(() => true),
      deep: z.strictObject({ a: z.array(z.union([other, z.record(z.string(), z.strictObject({ b: place }))])) }),
    };
    for (const [where, schema] of Object.entries(hidden))
      expect(
        keysOf(schema).filter((key) => PLACE.test(key)),
        where,
      ).toEqual(['path']);
  });

  it('every setting that says what tools may do is one that main asks about', () => {
    const tools = SETTING_KEYS.filter((key) => key.startsWith('tools.') || /endpoint$/i.test(key));
    expect(tools.filter((key) => !RAISING.has(key))).toEqual([]);
  });
});
