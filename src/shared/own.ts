/**
 * The value that a record itself holds under a name from outside. A plain object also answers to `constructor`,
 * `toString` and `__proto__`, which every tool, model or entry may be called.
 */
export function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
