import { isRecord } from '@shared/checks';

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Parts of one schema that are looked at, and how deep they lie. What is beyond fits anything. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 16;
const MAX_CHOICES = 200;

/** What a tool's arguments may hold: its kinds, names and choices, nothing that takes long to check. */
export interface PlainSchema {
  type?: string | string[];
  properties?: Record<string, PlainSchema>;
  required?: string[];
  items?: PlainSchema;
  enum?: (string | number | boolean | null)[];
  additionalProperties?: false;
}

/**
 * What main's thread checks the arguments of an outside tool by (EX23). A stranger wrote the schema, so of it counts what is checked in
 * time that grows with the arguments alone: kinds, names and choices. Patterns, references, formats and alternatives are left to who
 * runs the tool, in its own process. Never throws.
 */
export function plainSchema(schema: unknown): PlainSchema {
  const left = { parts: MAX_PARTS };
  const plain = plainPart(schema, 0, left);
  return plain.type === 'object' ? plain : { type: 'object' };
}

function plainPart(schema: unknown, depth: number, left: { parts: number }): PlainSchema {
  if (!isRecord(schema) || depth > MAX_DEPTH || (left.parts -= 1) < 0 || isMore(schema)) return {};
  const type = typeOf(schema.type);
  const choices = choicesOf(schema);
  return {
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(type === 'object' ? ofObject(schema, depth, left) : {}),
    ...(type === 'array' && isRecord(schema.items) ? { items: plainPart(schema.items, depth + 1, left) } : {}),
  };
}

/** It says of itself by other means what it may be: its kind alone would refuse too much. */
function isMore(schema: Record<string, unknown>): boolean {
  return ['$ref', '$dynamicRef', 'anyOf', 'oneOf'].some((key) => schema[key] !== undefined) && schema.type !== 'object';
}

function typeOf(type: unknown): string | string[] | undefined {
  if (typeof type === 'string' && TYPES.has(type)) return type;
  const isList = Array.isArray(type) && type.length > 0 && type.length <= TYPES.size;
  return isList && type.every((one) => TYPES.has(one as string)) ? (type as string[]) : undefined;
}

function choicesOf(schema: Record<string, unknown>): PlainSchema['enum'] {
  const given = 'const' in schema ? [schema.const] : schema.enum;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_CHOICES) return undefined;
  const isPlain = given.every((one) => one === null || ['string', 'number', 'boolean'].includes(typeof one));
  return isPlain ? (given as PlainSchema['enum']) : undefined;
}

function ofObject(schema: Record<string, unknown>, depth: number, left: { parts: number }): PlainSchema {
  const { properties, required, additionalProperties } = schema;
  const named = isRecord(properties) ? Object.entries(properties) : [];
  if (named.length > left.parts) return {};
  // `__proto__` as a name is data, not a prototype.
  const plain = Object.fromEntries(named.map(([name, part]) => [name, plainPart(part, depth + 1, left)]));
  const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
  // Names that come by a pattern, or from another part, are named there.
  const isWhole = ['patternProperties', '$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'unevaluatedProperties']
    .every((key) => schema[key] === undefined); // prettier-ignore
  return {
    properties: plain,
    ...(names.length > 0 ? { required: names.slice(0, MAX_PARTS) } : {}),
    ...(additionalProperties === false && isWhole ? { additionalProperties: false } : {}),
  };
}

/** Parts and characters that a tool's schema may have, as it is told to a model. */
const MAX_SCHEMA_PARTS = 20_000;
const MAX_SCHEMA_CHARS = 64 * 1024;
const MAX_SCHEMA_DEPTH = 24;

/** Why a schema can't be told to a model; null: it can. Looks no further than the bound. */
export function flawOfSchema(schema: unknown): string | null {
  let parts = MAX_SCHEMA_PARTS;
  let chars = MAX_SCHEMA_CHARS;
  const tooLong = 'The schema of its arguments is too long.';
  const look = (part: unknown, depth: number): string | null => {
    if (typeof part === 'string') chars -= part.length;
    if ((parts -= 1) < 0 || chars < 0) return tooLong;
    if (typeof part !== 'object' || part === null) return null;
    if (depth > MAX_SCHEMA_DEPTH) return 'The schema of its arguments is nested too deeply.';
    for (const key in part) {
      if (!Object.hasOwn(part, key)) continue;
      if (!Array.isArray(part)) chars -= key.length;
      const flaw = look((part as Record<string, unknown>)[key], depth + 1);
      if (flaw !== null) return flaw;
    }
    return null;
  };
  return look(schema, 0);
}
