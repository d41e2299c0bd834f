import type { OpaqueEntry, SessionEntry } from './entry';

/** Type of what stands in memory for a record that can't be read. It is never written. */
export const OPAQUE_TYPE = 'espalier.opaque';

/** True for what stands for a record that can't be read: it has its id and place and says nothing. */
export function isOpaque(entry: SessionEntry): entry is OpaqueEntry {
  return entry.type === OPAQUE_TYPE;
}
