import { isRecord } from './own';

/** With the flag `u` it stands for halves without their other half alone. */
const HALF = /\p{Cs}/gu;
const REPLACEMENT = '\ufffd';

/**
 * A value of plain data with each half of a character in its texts (a lone surrogate) as U+FFFD, one for one. No UTF-8 holds such a half;
 * pi-ai leaves it out, so that the model would read another text than the person. The same value comes back where there is none; pictures
 * are not looked through.
 */
export function wellFormed<T>(value: T): T {
  return replaced(value) as T;
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.search(HALF) < 0 ? value : value.replace(HALF, REPLACEMENT);
  if (Array.isArray(value)) {
    const items = value.map(replaced);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value) || value.type === 'image') return value;
  const before = Object.entries(value);
  const after = before.map(([key, inner]) => [replaced(key) as string, replaced(inner)] as const);
  const isSame = after.every(([key, inner], index) => key === before[index]?.[0] && inner === before[index][1]);
  return isSame ? value : Object.fromEntries(after);
}
