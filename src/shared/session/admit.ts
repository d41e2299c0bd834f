import { flawOf } from './check-entry';
import type { Flaw } from '../checks';
import type { SessionEntry } from './entry';
import { isSideRecord } from './facts';
import { OPAQUE_TYPE } from './opaque';

const RESERVED: Flaw = { path: 'type', found: 'a name that Espalier keeps for itself' };

/**
 * The door: a record of a file as everything behind it may use it. One that is not as its type says becomes opaque
 * (docs/specs/safety.md A3); the file keeps it as it is. The given value is not changed. O(size of the record).
 * @param value has a `type` and an `id`
 */
export function admit(value: Record<string, unknown> & { type: string; id: string }): SessionEntry {
  const flaw = value.type === OPAQUE_TYPE ? RESERVED : flawOf(value);
  if (!flaw) return value as unknown as SessionEntry;
  const { id, parentId, timestamp } = value;
  return {
    type: OPAQUE_TYPE,
    id,
    parentId: typeof parentId === 'string' ? parentId : null,
    timestamp: typeof timestamp === 'string' ? timestamp : '',
    side: isSideRecord(value),
    flaw: wordsOf(flaw),
  };
}

/** The flaw in a sentence's end: "`message.content` is a number". */
function wordsOf({ path, found }: Flaw): string {
  return path === '' ? `it is ${found}` : `\`${path}\` is ${found}`;
}
