import type { z } from 'zod';
import { seededRandom } from '../../support/random';

type Pick = <T>(values: readonly T[]) => T;

/** What structured clone lets through and no handler should ever see: every kind of value, at any place. */
function hostileValues(): unknown[] {
  const cycle: Record<string, unknown> = { name: 'cycle' };
  cycle.self = cycle;
  const deep: unknown[] = [];
  for (let i = 0, at = deep; i < 200; i++) at.push((at = []));
  return [
    ...[
      undefined,
      null,
      true,
      0,
      -1,
      -0,
      1.5,
      NaN,
      Infinity,
      2 ** 53,
      10n,
      '',
      ' ',
      '\0',
      '../../etc/passwd',
      '\ud800',
    ],
    ...[
      'x'.repeat(5000),
      '__proto__',
      'constructor',
      [],
      [[]],
      {},
      cycle,
      deep,
      new Array(3),
      new Date(0),
      new Date(NaN),
    ],
    ...[new Map([['sessionId', 's']]), new Set(['s']), /x/g, new Error('e'), new Uint8Array(8), new ArrayBuffer(4)],
    ...[Object('boxed'), Object(7), JSON.parse('{"__proto__":{"sessionId":"s"},"constructor":1}'), Object.create(null)],
    ...[['s', 's'], { sessionId: 's', extra: 1 }, { length: 3 }, { toString: 'x' }, { then: 'x' }],
  ];
}
const HOSTILE = hostileValues();

/** A value that a schema accepts: what a message must be close to for the fuzz to get past its first check. */
function validFor(schema: z.ZodType, pick: Pick): unknown {
  const { def } = schema as unknown as { def: Definition };
  switch (def.type) {
    case 'object':
      return Object.fromEntries(Object.entries(def.shape ?? {}).map(([key, inner]) => [key, validFor(inner, pick)]));
    case 'array':
      return def.element && pick([true, false]) ? [validFor(def.element, pick)] : [];
    case 'optional':
      return def.innerType && pick([true, false]) ? validFor(def.innerType, pick) : undefined;
    case 'union':
      return validFor(pick(def.options ?? []), pick);
    case 'record':
      return {};
    case 'enum':
      return pick(Object.values(def.entries ?? {}));
    case 'number':
      return pick([1, 7, 4096]);
    case 'boolean':
      return pick([true, false]);
    case 'string':
      return 'a1b2c3d4';
    default:
      return 'anything';
  }
}

interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  options?: z.ZodType[];
  entries?: Record<string, string>;
}

/**
 * An endless row of messages for a request, the same for a seed: noise, and valid parameters of which none, one or more
 * places hold something else, are missing or have a neighbour.
 */
export function* messagesFor(schema: z.ZodType, seed: number): Generator<unknown> {
  const random = seededRandom(seed);
  const pick: Pick = (values) => values[Math.floor(random() * values.length)] as never;
  for (;;) {
    if (random() < 0.15) {
      yield pick(HOSTILE);
      continue;
    }
    const message = validFor(schema, pick) as Record<string, unknown>;
    const edits = pick([0, 1, 1, 1, 2]);
    for (let i = 0; i < edits; i++) spoil(message, pick);
    yield message;
  }
}

/** Changes one place of a message, at any depth. */
function spoil(message: Record<string, unknown>, pick: Pick): void {
  let at = message;
  for (let inner = innerOf(at, pick); inner && pick([true, false]); inner = innerOf(at, pick)) at = inner;
  const key = pick([...Object.keys(at), 'extra']);
  const how = pick(['replace', 'replace', 'replace', 'remove', 'add']);
  if (how === 'remove') delete at[key];
  else
    Object.defineProperty(at, how === 'add' ? pick(['extra', '__proto__', 'constructor', '0']) : key, {
      value: pick(HOSTILE),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function innerOf(at: Record<string, unknown>, pick: Pick): Record<string, unknown> | undefined {
  const inner = Object.values(at).filter(
    (value) => typeof value === 'object' && value !== null && !HOSTILE.includes(value),
  );
  return inner.length > 0 ? (pick(inner) as Record<string, unknown>) : undefined;
}
