/** What a value from outside has under a name, and what it must look like, put together from small checks. Linear in what is looked at; never throws. */

/**
 * The value that a record itself holds under a name from outside. A plain object also answers to `constructor`,
 * `toString` and `__proto__`, which every tool, model or entry may be called.
 */
export function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a record is not as its type says, and what stands there. */
export interface Flaw {
  /** Path in the record, as in `message.content[1].thinking`; empty: the record as a whole. */
  path: string;
  /** Completes "… is": `a number`, `missing`. */
  found: string;
}

export type Check = (value: unknown) => Flaw | null;

export const anything: Check = () => null;
export const text: Check = (value) => (typeof value === 'string' ? null : wrong(value));
export const truth: Check = (value) => (typeof value === 'boolean' ? null : wrong(value));
export const number: Check = (value) => (typeof value === 'number' ? null : wrong(value));
export const finite: Check = (value) => (Number.isFinite(value) ? null : wrong(value));
export const record: Check = (value) => (isRecord(value) ? null : wrong(value));

export function wrong(value: unknown): Flaw {
  return { path: '', found: kindOf(value) };
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return Number.isFinite(value) ? 'a number' : 'a number without end';
    case 'boolean':
      return String(value);
    default:
      return 'an object';
  }
}

export function inside(key: string, flaw: Flaw): Flaw {
  const joint = flaw.path === '' || flaw.path.startsWith('[') ? '' : '.';
  return { path: key + joint + flaw.path, found: flaw.found };
}

export function maybe(check: Check): Check {
  return (value) => (value === undefined || value === null ? null : check(value));
}

export function fields(checks: Readonly<Record<string, Check>>): Check {
  const list = Object.entries(checks);
  return (value) => {
    if (!isRecord(value)) return wrong(value);
    for (const [key, check] of list) {
      const flaw = check(value[key]);
      if (flaw) return inside(key, flaw);
    }
    return null;
  };
}

export function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return wrong(value);
    for (let at = 0; at < value.length; at++) {
      const flaw = check(value[at]);
      if (flaw) return inside(`[${at}]`, flaw);
    }
    return null;
  };
}

/** A record whose field `key`, a text, says by which schema it is read; one that is not in the list is left alone. */
export function byName(key: string, schemas: ReadonlyMap<string, Check>): Check {
  return (value) => {
    if (!isRecord(value)) return wrong(value);
    const name = value[key];
    if (typeof name !== 'string') return inside(key, wrong(name));
    return schemas.get(name)?.(value) ?? null;
  };
}

export const map = (schemas: Record<string, Check>): ReadonlyMap<string, Check> => new Map(Object.entries(schemas));
