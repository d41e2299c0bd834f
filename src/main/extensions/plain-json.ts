import { isRecord } from '@shared/own';

/** Bytes of JSON that an extension may store with one entry (EX5): 1 MiB. */
const MAX_STORED_BYTES = 1024 * 1024;

export type PlainJson = { ok: true; value: unknown } | { ok: false; problem: string };

/**
 * A copy of a value as the file will hold it, so that nothing that the extension does with its own object later can reach the
 * entry. Fails for what is not JSON (a cycle, a bigint) and for what is larger than 1 MiB. O(size).
 */
export function plainJson(value: unknown): PlainJson {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    return { ok: false, problem: 'cannot be stored as JSON' };
  }
  if (text === undefined) return { ok: true, value: undefined };
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STORED_BYTES) return { ok: false, problem: `is ${bytes} bytes of JSON, more than 1 MiB` };
  return { ok: true, value: JSON.parse(text) };
}

/**
 * What extensions want kept from one compaction to the next: later keys win (EX6).
 * @returns `base` with the keys of `added`, or why that can't be stored
 */
export function mergePreserved(
  base: Record<string, unknown> | undefined,
  added: unknown,
): { ok: true; value: Record<string, unknown> | undefined } | { ok: false; problem: string } {
  if (added === undefined || added === null) return { ok: true, value: base };
  if (!isRecord(added)) return { ok: false, problem: 'preserveData is not an object' };
  const own = plainJson(added);
  // With what is kept already it must not pass the limit either: else it grows with each compaction.
  const merged = own.ok ? plainJson({ ...base, ...(own.value as Record<string, unknown>) }) : own;
  if (!merged.ok) return { ok: false, problem: `preserveData ${merged.problem}` };
  return { ok: true, value: merged.value as Record<string, unknown> };
}
