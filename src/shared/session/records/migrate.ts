import { isRecord } from '../../checks';
import type { SessionHeader } from './entry';
import { newEntryId, type RandomHex } from './ids';
import { parseRaw, type RawRecord, SESSION_VERSION, versionOf } from './records';
import { patchLine, serializeRecord } from './serialize-entry';

/** Turns the records of an older file into version 3, line by line, in memory that grows with the ids alone. */
export interface Migrator {
  /** The header of version 3. The same object if nothing needs to change. */
  header: SessionHeader;
  /** False: `migrate` only parses, and the bytes of the file may be copied. */
  needed: boolean;
  /** Takes every line after the header, in order. Its entries are not checked yet (`admit`). Never throws. */
  migrate(line: string): RawRecord;
}

type RawEntry = Extract<RawRecord, { kind: 'entry' }>['value'];

/** A migrator from the version of a header to 3 (SF15). */
export function createMigrator(header: SessionHeader, { randomHex }: { randomHex: RandomHex }): Migrator {
  const version = versionOf(header);
  if (version >= SESSION_VERSION) return { header, needed: false, migrate: parseRaw };
  const chain = version === 1 ? createChain(randomHex) : null;
  return {
    header: { ...header, version: SESSION_VERSION },
    needed: true,
    migrate(line) {
      const record = parseRaw(line);
      const chained = chain ? chain(record) : record;
      return chained.kind === 'entry' ? { kind: 'entry', value: withoutHookRole(chained.value) } : chained;
    },
  };
}

/** The line of a migrated record, without its 0x0A; what is not an entry keeps its text. Never throws. */
export function migratedLine(line: string, record: RawRecord): string {
  if (record.kind !== 'entry') return line;
  try {
    return serializeRecord(record.value);
  } catch {
    // Nested too deeply to be rewritten: it gets its place in the text.
    const { id, parentId } = record.value;
    return patchLine(line, { id, parentId: typeof parentId === 'string' ? parentId : null });
  }
}

/** Step 1 to 2: every record gets a fresh id and the record before it as parent. */
function createChain(randomHex: RandomHex): (record: RawRecord) => RawRecord {
  /** Ids by place among the parsed lines; the header is place 0. */
  const ids: (string | null)[] = [null];
  const taken = new Set<string>();
  let parentId: string | null = null;
  return (record) => {
    const source = record.kind === 'malformed' || record.kind === 'entry' ? record.value : undefined;
    if (!source) {
      // A stray header or title is a parsed line too: it takes a place.
      if (record.kind === 'header' || record.kind === 'title') ids.push(null);
      return record;
    }
    const id = newEntryId((candidate) => taken.has(candidate), randomHex);
    const value = { ...withBoundaryId(source, ids), id, parentId } as unknown as RawEntry;
    taken.add(id);
    ids.push(id);
    parentId = id;
    return { kind: 'entry', value };
  };
}

/** An index that names no earlier entry leaves no boundary: nothing is kept (SF15). */
function withBoundaryId(source: Record<string, unknown>, ids: readonly (string | null)[]): Record<string, unknown> {
  if (typeof source.firstKeptEntryIndex !== 'number') return source;
  const { firstKeptEntryIndex, ...rest } = source;
  return { ...rest, firstKeptEntryId: ids[firstKeptEntryIndex] ?? null };
}

/** Step 2 to 3: role `hookMessage` becomes `custom`. */
function withoutHookRole(entry: RawEntry): RawEntry {
  const { message } = entry;
  if (entry.type !== 'message' || !isRecord(message) || message.role !== 'hookMessage') return entry;
  return { ...entry, message: { ...message, role: 'custom' } };
}
