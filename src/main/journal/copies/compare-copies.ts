import { createHash } from 'node:crypto';
import type { JournalLoss } from '../../ports';
import { parseRecord } from '@shared/session/records/records';

/** One line of a copy of a session, as far as the comparison looks at it. */
export interface LineFacts {
  /** Stands for the exact text. */
  hash: string;
  /** It parses, and its bytes are those that were written. What is not sound is no reason to keep a copy. */
  isSound: boolean;
  isHeader: boolean;
  isMessage: boolean;
  id: string;
  parentId: string | null;
  /** Unix milliseconds; null where the record has none. */
  time: number | null;
}

/** How two copies of a session that are not alike differ. */
export interface Difference {
  /** Messages that only one of the two has. */
  inJournal: number;
  inDatabase: number;
  /** Unix milliseconds of the first record that not both have; null if none says, or if there is no time before: they share nothing. */
  since: number | null;
  /** No record of one is in the other, in whatever form. */
  sharesNothing?: true;
}

/**
 * What becomes of two copies whose marks differ:
 * - `journal`: it has every record that the database has; `merged`: how many more messages, if another program changed
 *   their order: we only append;
 * - `database`: it has every record of the journal, which was cut, damaged or lost;
 * - `both`: the journal is damaged, and goes on behind what the database has with records of the same session (`from`);
 * - `conflict`: each has records that the other lacks. Two computers went on with one session.
 */
export type CopyVerdict =
  | { kind: 'journal'; merged: number }
  | { kind: 'database' }
  | { kind: 'both'; from: number }
  | ({ kind: 'conflict' } & Difference);

/** Reads what the comparison needs off a line. `isIntact`: false if its bytes are known not to be what was written. */
export function lineFacts(line: string, isIntact = true): LineFacts {
  const record = parseRecord(line);
  const entry = record.kind === 'entry' ? (record.entry as unknown as Record<string, unknown>) : {};
  const { id, parentId, timestamp } = entry;
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return {
    hash: hashOf(line),
    isSound: isIntact && record.kind === 'entry',
    isHeader: record.kind === 'header',
    isMessage: entry.type === 'message',
    id: typeof id === 'string' ? id : '',
    parentId: typeof parentId === 'string' ? parentId : null,
    time: Number.isFinite(time) ? time : null,
  };
}

/** A short text that stands for a line. */
function hashOf(line: string): string {
  return createHash('sha256').update(line).digest('base64').slice(0, 22);
}

/**
 * Compares by what is in the copies, never by how much: a copy whose sound records the other has all of may be replaced, and
 * no other. Headers and lines that are no records do not count. O(lines).
 */
export function compareCopies(journal: readonly LineFacts[], database: readonly LineFacts[]): CopyVerdict {
  const inJournal = new Set(journal.map(({ hash }) => hash));
  const inDatabase = new Set(database.map(({ hash }) => hash));
  const onlyJournal = journal.filter(({ hash, isSound }) => isSound && !inDatabase.has(hash));
  const onlyDatabase = database.filter(({ hash, isSound }) => isSound && !inJournal.has(hash));
  const [firstNew] = onlyJournal;
  if (onlyDatabase.length === 0) {
    const isMerged = isWhole(database) && hasForeignLines(journal, database, onlyJournal);
    return { kind: 'journal', merged: isMerged ? messagesIn(onlyJournal) : 0 };
  }
  if (!firstNew) return { kind: 'database' };
  const from = journal.indexOf(firstNew);
  const isBehindAll = journal.slice(from).every(({ hash }) => !inDatabase.has(hash));
  if (isBehindAll && goesOn(database, inJournal, onlyDatabase, firstNew)) return { kind: 'both', from };
  const difference = differenceOf(onlyJournal, onlyDatabase);
  return shareARecord(journal, database)
    ? { kind: 'conflict', ...difference }
    : { kind: 'conflict', ...difference, since: null, sharesNothing: true };
}

/** By id: a record that another program wrote in another form is the same one. */
function shareARecord(journal: readonly LineFacts[], database: readonly LineFacts[]): boolean {
  const ids = new Set(journal.flatMap(({ isSound, id }) => (isSound ? id : [])));
  return database.some(({ isSound, id }) => isSound && ids.has(id));
}

/** What was wrong with a journal of which another copy has all records: what is in it was changed, or some of it is not there. */
export function whatWasLost(journal: readonly LineFacts[], database: readonly LineFacts[]): JournalLoss {
  if (journal.length === 0 || !isWhole(journal)) return 'damaged';
  return goesOnBehind(database, journal) ? 'older' : 'incomplete';
}

const isWhole = (copy: readonly LineFacts[]): boolean => copy.every(({ isSound, isHeader }) => isSound || isHeader);

/** What a copy has that the journal lacks, if the journal has nothing that the copy lacks. */
export function whatIsMore(copy: readonly LineFacts[], journal: readonly LineFacts[]): Difference {
  const inJournal = new Set(journal.map(({ hash }) => hash));
  return differenceOf(
    [],
    copy.filter(({ hash, isSound }) => isSound && !inJournal.has(hash)),
  );
}

function differenceOf(onlyJournal: readonly LineFacts[], onlyDatabase: readonly LineFacts[]): Difference {
  const times = [...onlyJournal, ...onlyDatabase].flatMap(({ time }) => time ?? []);
  return {
    inJournal: messagesIn(onlyJournal),
    inDatabase: messagesIn(onlyDatabase),
    // Not spread into Math.min: a session has more records than a call takes arguments.
    since: times.length === 0 ? null : times.reduce((first, time) => Math.min(first, time)),
  };
}

/**
 * Whether the journal's new records stand between the database's as another computer's would: what follows them does not hang at
 * them. Where it does, the database has merely lost a row.
 */
function hasForeignLines(
  journal: readonly LineFacts[],
  database: readonly LineFacts[],
  onlyJournal: readonly LineFacts[],
): boolean {
  const entries = journal.filter(({ isSound }) => isSound);
  const before = new Map(entries.map(({ hash }, at) => [hash, entries[at - 1]?.hash]));
  const fresh = new Set(onlyJournal.map(({ id }) => id));
  const known = database.filter(({ isSound }) => isSound);
  return known.some(
    ({ hash, parentId }, at) => before.get(hash) !== known[at - 1]?.hash && (parentId === null || !fresh.has(parentId)),
  );
}

const messagesIn = (records: readonly LineFacts[]): number => records.filter(({ isMessage }) => isMessage).length;

/**
 * Whether a copy goes on where the journal ends: it begins with the journal's records, in their order. Of a journal that has damage the
 * order proves nothing, and no more is asked than that the copy has all that is sound in it.
 */
export function goesOnBehind(copy: readonly LineFacts[], journal: readonly LineFacts[]): boolean {
  if (!isWhole(journal)) return true;
  const own = journal.filter(({ isSound }) => isSound);
  const other = copy.filter(({ isSound }) => isSound);
  return own.every(({ hash }, at) => other[at]?.hash === hash);
}

/**
 * Whether the journal's new records follow the database's last one: it is in the journal as well, or it is what the first new
 * one hangs at, so that its own line must be the damaged one.
 */
function goesOn(
  database: readonly LineFacts[],
  inJournal: ReadonlySet<string>,
  onlyDatabase: readonly LineFacts[],
  firstNew: LineFacts,
): boolean {
  const last = database.filter(({ isSound }) => isSound).at(-1);
  if (!last) return false;
  if (inJournal.has(last.hash)) return true;
  return onlyDatabase.length > 0 && firstNew.parentId === last.id;
}
