import { type Flaw, isRecord } from '../../checks';
import { MAX_ID_LENGTH } from '../../record-limits';
import { flawOf } from './check-entry';
import { NotASessionFileError, OPAQUE_TYPE, type SessionEntry, type SessionHeader } from './entry';
import { type EntryFacts, factsOf, isSideRecord } from './facts';
import { TreeNode } from './tree-node';

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

const PREFIX = 'espalier.second:';

/** True for a name that `Seconds` gives: no record of a file has it as its id (`parseRecord`), and none is written with it. */
export function isSecondKey(id: string): boolean {
  return id.startsWith(PREFIX);
}

export interface Second {
  readonly node: TreeNode;
  /** The id that it has in the file. */
  readonly id: string;
  readonly parentId: string | null;
}

/**
 * Records with the id of an earlier one that say something else (SF18). They are no entries of the tree: what names the id means
 * the first, and nothing hangs at them. Each has a name of its own, made of its record number, by which its row and its text are
 * found.
 */
export class Seconds {
  private readonly byKey = new Map<string, Second>();

  add({ id, parentId, timestampMs }: EntryFacts, seq: number): void {
    const key = PREFIX + String(seq);
    const facts = factsOf({ type: OPAQUE_TYPE, id: key, parentId: null, timestamp: '', side: false, flaw: '' });
    this.byKey.set(key, { node: new TreeNode({ ...facts, timestampMs }, seq, -1), id, parentId });
  }

  node(key: string): TreeNode | undefined {
    return this.byKey.get(key)?.node;
  }

  /** In file order. */
  all(): Iterable<Second> {
    return this.byKey.values();
  }
}

/** One line of a session file. */
export type ParsedRecord =
  | { kind: 'entry'; entry: SessionEntry }
  | { kind: 'header'; header: SessionHeader }
  | { kind: 'title' }
  | { kind: 'blank' }
  /** `value` is set for a JSON object that lacks what an entry needs: a record of version 1 has no id. */
  | { kind: 'malformed'; reason: string; value?: Record<string, unknown> };

/** A line as it was written: its entry is not checked yet. */
export type RawRecord =
  | Exclude<ParsedRecord, { kind: 'entry' }>
  | { kind: 'entry'; value: Record<string, unknown> & { type: string; id: string } };

/** A header must come within this many bytes; what stands before it is skipped (SF17). */
export const HEADER_SEARCH_BYTES = 1024 * 1024;

/** The version that we write, and as which every later one is read (SF15). */
export const SESSION_VERSION = 3;

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads one line of a session file (SF18): the one way from a line to an entry. What an entry needs is `type` and
 * `id`; one that is not as its type says is opaque (`admit`). Never throws.
 * @param line without its 0x0A; a trailing CR and a leading BOM are ignored
 */
export function parseRecord(line: string): ParsedRecord {
  const record = parseRaw(line);
  return record.kind === 'entry' ? { kind: 'entry', entry: admit(record.value) } : record;
}

/** The same without the check of its fields: for a record that is made into one of this version first. Never throws. */
export function parseRaw(line: string): RawRecord {
  const text = line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
  if (isBlank(text)) return { kind: 'blank' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'malformed', reason: 'not valid JSON' };
  }
  if (!isRecord(value)) return { kind: 'malformed', reason: 'not a JSON object' };
  return classify(value);
}

/** JSON has four blank characters; `trim` would take a line of other blanks for an empty one. */
function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

function classify(value: Record<string, unknown>): RawRecord {
  const { type, id } = value;
  if (typeof type !== 'string' || type === '') return { kind: 'malformed', reason: 'no type' };
  if (type === 'title') return { kind: 'title' };
  if (type === 'session') {
    if (typeof id !== 'string') return { kind: 'malformed', reason: 'header without id' };
    return { kind: 'header', header: value as SessionHeader };
  }
  if (typeof id !== 'string' || id === '') return { kind: 'malformed', reason: 'no id', value };
  if (id.length > MAX_ID_LENGTH) return { kind: 'malformed', reason: 'an id without end' };
  if (isSecondKey(id)) return { kind: 'malformed', reason: 'an id that Espalier keeps for itself' };
  return { kind: 'entry', value: value as typeof value & { type: string; id: string } };
}

/** Looks for the header in the first records of a file. */
interface HeaderScan {
  /**
   * Takes the next record.
   * @param bytes length of its line with the line end
   * @returns the header, or null to go on
   * @throws NotASessionFileError if something else comes first, or nothing in the first MiB
   */
  feed(record: ParsedRecord, bytes: number): SessionHeader | null;
  /** To be called at the end of the file. @throws NotASessionFileError if no header came */
  end(): void;
}

/** A scan for the header of a file (SF17): titles, blank and malformed lines before it are skipped. */
export function createHeaderScan(name: string): HeaderScan {
  let seen = 0;
  let found = false;
  return {
    feed(record, bytes) {
      const isLate = seen >= HEADER_SEARCH_BYTES;
      seen += bytes;
      if (record.kind === 'header' && !isLate) {
        found = true;
        return record.header;
      }
      // A version 1 entry has no id and reads as malformed; it is a record all the same, and no header.
      const isRecordOfAnotherKind =
        record.kind === 'entry' || (record.kind === 'malformed' && record.value !== undefined);
      if (isLate || isRecordOfAnotherKind) throw new NotASessionFileError(name);
      return null;
    },
    end() {
      if (!found) throw new NotASessionFileError(name);
    },
  };
}

/** The version of a header: absent is 1, above 3 is read as 3 (SF15). */
export function versionOf(header: SessionHeader): number {
  const { version } = header as { version?: unknown };
  if (typeof version !== 'number' || !Number.isFinite(version)) return 1;
  return Math.min(SESSION_VERSION, Math.max(1, Math.floor(version)));
}
