import { expect, it } from 'vitest';
import { loadPiAi } from '../../../src/main/pi/pi';
import { flawOfSchema, plainSchema } from '../../../src/main/extensions/plain-schema';

/** Schemas of strangers, on main's thread (EX23). */
const CATASTROPHIC = '^(a+)+$';
const EVIL = `${'a'.repeat(40)}!`;

async function check(schema: unknown, args: Record<string, unknown>): Promise<unknown> {
  const { validateToolArguments } = await loadPiAi();
  const tool = { name: 'x', description: '', parameters: plainSchema(schema) as never };
  return validateToolArguments(tool, { type: 'toolCall', id: '1', name: 'x', arguments: args });
}

/** Milliseconds of processor time. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work().catch(() => undefined);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

it('EX23: kinds, names and choices are checked, and made what they should be where that is plain', async () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'number' }, kind: { enum: ['a', 'b'] }, list: { type: 'array', items: { type: 'string' } } },
    required: ['n'],
  }; // prettier-ignore
  expect(await check(schema, { n: '7', kind: 'a', list: ['x'] })).toEqual({ n: 7, kind: 'a', list: ['x'] });
  await expect(check(schema, {})).rejects.toThrow('Validation failed');
  await expect(check(schema, { n: 1, kind: 'c' })).rejects.toThrow('Validation failed');
  await expect(check(schema, { n: 1, list: 'x' })).rejects.toThrow('list');
});

it.each([
  ['a pattern', { properties: { s: { type: 'string', pattern: CATASTROPHIC } } }, { s: EVIL }],
  ['names by pattern', { patternProperties: { [CATASTROPHIC]: { type: 'string' } }, additionalProperties: false }, { [EVIL]: 'x' }],
  ['a pattern of names', { propertyNames: { pattern: CATASTROPHIC } }, { [EVIL]: 'x' }],
  ['a pattern behind a choice', { properties: { s: { anyOf: [{ type: 'string', pattern: CATASTROPHIC }, { type: 'null' }] } } }, { s: EVIL }],
  ['a pattern behind a reference', { $defs: { e: { pattern: CATASTROPHIC } }, properties: { s: { $ref: '#/$defs/e' } } }, { s: EVIL }],
])('EX23: %s is never run here', async (_what, more, args) => {
  expect(await cost(() => check({ type: 'object', ...more }, args))).toBeLessThan(500);
  await expect(check({ type: 'object', ...more }, args)).resolves.toEqual(args);
}); // prettier-ignore

it('EX23: references that lead back, and parts without end, fit anything and cost little', async () => {
  const recursive = { type: 'object', properties: { next: { $ref: '#' } } };
  let args: Record<string, unknown> = {};
  for (let depth = 0; depth < 500; depth++) args = { next: args };
  await expect(check(recursive, args)).resolves.toBeTruthy();
  let deep: Record<string, unknown> = { type: 'string' };
  for (let depth = 0; depth < 50_000; depth++) deep = { type: 'object', properties: { a: deep } };
  await expect(check(deep, { a: { a: {} } })).resolves.toBeTruthy();
  const self: Record<string, unknown> = { type: 'object' };
  self.properties = { a: self, b: self };
  expect(await cost(() => check(self, { a: { b: {} } }))).toBeLessThan(1_500);
});

it('EX23: names that an object has of itself are names like any other', async () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}') as unknown; // prettier-ignore
  const plain = plainSchema(schema);
  expect(Object.keys(plain.properties!)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(plain.properties)).toBe(Object.prototype);
  await expect(check(schema, { constructor: 'x' })).resolves.toEqual({ constructor: 'x' });
});

it('EX23: a schema that is too long or too deep is no schema for a model', () => {
  expect(flawOfSchema({ type: 'object', properties: { s: { type: 'string' } } })).toBeNull();
  expect(flawOfSchema({ description: 'x'.repeat(10_000_000) })).toMatch(/too long/);
  expect(flawOfSchema({ enum: Array.from({ length: 1_000_000 }, (_, n) => n) })).toMatch(/too long/);
  let deep: unknown = {};
  for (let depth = 0; depth < 10_000; depth++) deep = { items: deep };
  expect(flawOfSchema(deep)).toMatch(/too deeply/);
});
