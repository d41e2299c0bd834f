import { crc32, crc32OfByte } from './crc32';
import { noDamage } from './damage';
import type { IndexRow } from './index-file';
import { crc32InPieces, MANY_BYTES } from './large-entry';
import { decodeLine, linesIn } from './line-reader';
import { type RecordKind, type RecordPlace, RecordTable } from './record-table';
import { MAX_LINE_BYTES } from '@shared/record-limits';
import { OPAQUE_TYPE, type SessionEntry, type SessionHeader } from '@shared/session/records/entry';
import { factsInFull } from '@shared/policy/call-outcome';
import { type EntryFacts, isControl } from '@shared/session/records/facts';
import { areAdmitted, decodeFacts, encodeFacts } from '@shared/session/records/facts-codec';
import { createHeaderScan, type ParsedRecord, parseRecord, SESSION_VERSION } from '@shared/session/records/records';
import { SessionTree } from '@shared/session/tree/tree';

const NEWLINE = 0x0a;
/** Type of an entry whose bytes can't be trusted. */
const DAMAGED = 'damaged';

/** The running CRC after a line (bytes without newline), given the CRC before it. `end`: the byte behind the line. */
export function crcAfterLine(bytes: Uint8Array, before: number, end = NEWLINE): number {
  return crc32OfByte(end, crc32(bytes, before));
}

/** An entry whose bytes can no longer be trusted: it keeps its place in the tree and says nothing. */
function withoutContent(facts: EntryFacts): EntryFacts {
  const { id, parentId, timestampMs, side } = facts;
  return {
    ...{
      id,
      parentId,
      timestampMs,
      side,
      type: DAMAGED,
      visible: false,
      turnStart: false,
      silent: false,
      mute: false,
      skill: false,
      said: false,
    },
    ...{ role: undefined, customType: undefined, toolName: undefined, raw: 0, images: 0, thinking: 0 },
    ...{
      calls: undefined,
      paths: undefined,
      answers: undefined,
      isError: undefined,
      ended: undefined,
      reply: undefined,
    },
  };
}

/** Running CRCs after a record: of what was written, and of what the file has. */
export type Crcs = Pick<RecordPlace, 'crc' | 'fileCrc'>;

/**
 * Builds the table of records and the tree of one journal, record by record: from its lines, from its index rows, and
 * while it grows. The caller hands in every record exactly once and in file order.
 */
export class JournalBuilder {
  readonly table = new RecordTable();
  readonly report = noDamage();
  /** Line of the header, as written. */
  headerLine = '';
  /** Number of the last record whose bytes are those that the index knows; -1 before the first. */
  lastIntact = -1;
  private readonly changedSeqs = new Set<number>();
  /** Records that are several lines, each with how many lines more than records there are up to its end. */
  private readonly runs: { seq: number; extra: number }[] = [];
  /** Ids of the records that have one that came before, by record number. */
  private readonly takenIds = new Map<number, string>();
  /** What the told seconds say, so that a copy of one is not told again. */
  private readonly told = new Set<string>();
  private compactionTotal = 0;
  private builtTree: SessionTree | null = null;
  private readonly headerScan: ReturnType<typeof createHeaderScan>;

  constructor(name: string) {
    this.headerScan = createHeaderScan(name);
  }

  /** Null until the header was handed in. */
  get tree(): SessionTree | null {
    return this.builtTree;
  }
  get compactions(): number {
    return this.compactionTotal;
  }
  /** The id that a record was written with; empty if it is no entry. */
  idAt(seq: number): string {
    return this.table.id(seq) || (this.takenIds.get(seq) ?? '');
  }
  isChanged(seq: number): boolean {
    return this.changedSeqs.has(seq);
  }

  /**
   * Takes a line (bytes without newline) as it stands in the file. Returns its index row and, if it is a new entry, the
   * entry. Throws `NotASessionFileError` if the file turns out to be no session.
   */
  takeLine(bytes: Uint8Array, isEnded: boolean): { row: IndexRow; entry: SessionEntry | null } {
    const isTooLong = bytes.length > MAX_LINE_BYTES;
    const text = isTooLong ? '' : decodeLine(bytes);
    const record: ParsedRecord = isTooLong ? { kind: 'malformed', reason: 'too long' } : parseRecord(text);
    const seq = this.table.count;
    const isHeader = this.takeAsHeader(record, text, bytes.length + 1);
    let kind: RecordKind = 'other';
    let facts: EntryFacts | null = null;
    let entry: SessionEntry | null = null;
    if (isHeader) kind = 'header';
    else if (record.kind === 'entry' && this.builtTree) {
      facts = factsInFull(record.entry);
      const isNew = this.builtTree.add(facts, seq, isControl(facts) ? record.entry : undefined) !== null;
      kind = isNew ? 'entry' : 'duplicate';
      if (isNew) entry = record.entry;
      else {
        this.takenIds.set(seq, facts.id);
        this.noteSecond(facts, seq, bytes);
      }
    } else if (record.kind === 'blank' || record.kind === 'malformed') kind = record.kind;
    return { row: this.push(bytes, kind, facts, isHeader ? text : '', isEnded), entry };
  }

  /** Takes an entry that we are writing: its body stays in memory. `bytes` is its line without newline, `crcs` those after it if they are known. */
  takeOwnEntry(entry: SessionEntry, bytes: Uint8Array, crcs?: Crcs): IndexRow {
    const facts = factsInFull(entry);
    this.builtTree?.add(facts, this.table.count, entry);
    return this.push(bytes, 'entry', facts, '', true, crcs);
  }

  /**
   * Takes a record that the index knows. `bytes` are what the file has in its place, `end` the byte behind them; if they
   * are not what was written, the record is reported as changed and its content is not used. Returns the row as it should
   * stand in the index: another one if an earlier Espalier made its facts. Null: the row makes no sense, nothing was taken.
   */
  takeIndexed(row: IndexRow, bytes: Uint8Array, end: number): IndexRow | null {
    const { crc, fileCrc } = this.crcsAfter(bytes, end);
    const isIntact = crc === row.crc;
    const stored = row.kind === 'entry' || row.kind === 'duplicate' ? parseFacts(row.text) : null;
    const isStale = row.kind === 'entry' && isIntact && stored !== null && !stored.areAdmitted;
    const facts = isStale ? factsOfLine(bytes) : (stored?.facts ?? null);
    if (row.kind === 'header') {
      const record = parseRecord(row.text);
      if (!this.takeAsHeader(record, row.text, row.length + 1)) return null;
    } else if (row.kind === 'entry') {
      if (!facts || !this.builtTree) return null;
      if (!this.addIndexed(facts, isIntact ? bytes : null)) return null;
    }
    const { offset, length, kind } = row;
    if (kind === 'duplicate' && facts) this.takenIds.set(this.table.count, facts.id);
    const id = kind === 'entry' && facts ? facts.id : '';
    const seq = this.table.push({ offset, length, crc: row.crc, fileCrc, kind, id });
    if (kind === 'blank') this.noteRun(bytes, seq);
    if (isIntact) this.lastIntact = seq;
    if (row.kind === 'malformed') this.report.unreadable.push(this.lineOf(seq));
    else if (!isIntact) {
      this.report.changed.push(this.lineOf(seq));
      this.changedSeqs.add(seq);
    }
    if (end !== NEWLINE) this.report.unended.push(this.lineOf(seq));
    if (row.kind === 'entry' && facts) this.countEntry(facts, seq);
    else if (row.kind === 'duplicate' && facts && isIntact) this.noteSecond(facts, seq, bytes);
    return isStale && facts ? { ...row, text: JSON.stringify(encodeFacts(facts)) } : row;
  }

  /** At the end of the file. Throws `NotASessionFileError` if no header came. */
  finish(): SessionTree {
    if (!this.builtTree) this.headerScan.end();
    if (!this.builtTree) throw new Error('A header scan that found a header left no tree');
    this.builtTree.settleLeafAfterLoad();
    // The last line is not what was said last.
    if (this.builtTree.isOutOfOrder()) this.builtTree.leafId = this.builtTree.leafInTime();
    return this.builtTree;
  }

  /** Notes that the bytes of a record, found good before, are now others. */
  noteChanged(seq: number): void {
    if (this.changedSeqs.has(seq)) return;
    this.changedSeqs.add(seq);
    this.report.changed.push(this.lineOf(seq));
  }

  /** The number of a record's first line, as an editor counts them. O(log runs of blank lines). */
  lineOf(seq: number): number {
    let [low, high] = [0, this.runs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.runs[middle]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return seq + 1 + (this.runs[low - 1]?.extra ?? 0);
  }

  private noteRun(bytes: Uint8Array, seq: number): void {
    const lines = linesIn(bytes);
    if (lines > 1) this.runs.push({ seq, extra: (this.runs.at(-1)?.extra ?? 0) + lines - 1 });
  }

  /** The running CRCs after each of the lines (with their newlines) that come next; none where few bytes are to be weighed. */
  async crcsAfterLarge(lines: readonly Uint8Array[]): Promise<Crcs[]> {
    if (!lines.some(({ length }) => length >= MANY_BYTES)) return [];
    const last = this.table.count - 1;
    let after: Crcs = { crc: this.table.crc(last), fileCrc: this.table.fileCrc(last) };
    const crcs: Crcs[] = [];
    for (const bytes of lines) {
      const crc = await crc32InPieces(bytes, after.crc);
      after = { crc, fileCrc: after.crc === after.fileCrc ? crc : await crc32InPieces(bytes, after.fileCrc) };
      crcs.push(after);
    }
    return crcs;
  }

  private crcsAfter(bytes: Uint8Array, end = NEWLINE): Crcs {
    const last = this.table.count - 1;
    const [crc, fileCrc] = [this.table.crc(last), this.table.fileCrc(last)];
    const next = crcAfterLine(bytes, crc);
    return { crc: next, fileCrc: crc === fileCrc && end === NEWLINE ? next : crcAfterLine(bytes, fileCrc, end) };
  }

  private countEntry({ type }: EntryFacts, seq: number): void {
    if (type === 'compaction') this.compactionTotal++;
    else if (type === OPAQUE_TYPE) this.report.opaque.push(this.lineOf(seq));
  }

  /** A copy, as programs leave it that put two files together, is no loss: only what says something else is told and shown. */
  private noteSecond(facts: EntryFacts, seq: number, bytes: Uint8Array): void {
    const first = this.builtTree?.node(facts.id);
    if (!first || (first.facts.type !== DAMAGED && this.isLine(first.seq, bytes))) return;
    const said = `${crc32(bytes)} ${bytes.length} ${facts.id}`;
    if (this.told.has(said)) return;
    this.told.add(said);
    this.report.sameId.push(this.lineOf(seq));
    this.builtTree?.seconds.add(facts, seq);
  }

  /** Whether these bytes are those of an earlier record, as it was written: the running CRCs around it tell. */
  private isLine(seq: number, bytes: Uint8Array): boolean {
    const { table } = this;
    return table.length(seq) === bytes.length && crcAfterLine(bytes, table.crc(seq - 1)) === table.crc(seq);
  }

  private addIndexed(facts: EntryFacts, bytes: Uint8Array | null): boolean {
    const tree = this.builtTree;
    const seq = this.table.count;
    if (!tree) return false;
    if (bytes === null) return tree.add(withoutContent(facts), seq) !== null;
    if (!isControl(facts)) return tree.add(facts, seq) !== null;
    const record = parseRecord(decodeLine(bytes));
    return record.kind === 'entry' && tree.add(facts, seq, record.entry) !== null;
  }

  private takeAsHeader(record: ParsedRecord, text: string, bytes: number): boolean {
    if (this.builtTree) return false;
    const header: SessionHeader | null = this.headerScan.feed(record, bytes);
    if (!header) return false;
    this.builtTree = new SessionTree(header);
    this.headerLine = text;
    const version: unknown = header.version;
    if (typeof version === 'number' && version > SESSION_VERSION) this.report.laterVersion = version;
    return true;
  }

  private push(
    bytes: Uint8Array,
    kind: RecordKind,
    facts: EntryFacts | null,
    text: string,
    isEnded: boolean,
    crcs: Crcs = this.crcsAfter(bytes),
  ): IndexRow {
    const place = {
      offset: this.table.end,
      length: bytes.length,
      ...crcs,
      kind,
    };
    const seq = this.table.push({ ...place, id: kind === 'entry' && facts ? facts.id : '' });
    if (kind === 'blank') this.noteRun(bytes, seq);
    if (kind === 'entry' && facts) this.countEntry(facts, seq);
    if (kind === 'malformed') {
      if (isEnded) this.report.unreadable.push(this.lineOf(seq));
      else this.report.torn = this.lineOf(seq);
    }
    const { fileCrc: _fileCrc, ...written } = place;
    return {
      ...written,
      seq,
      entries: this.table.entries,
      compactions: this.compactionTotal,
      malformed: this.table.malformed,
      text: facts ? JSON.stringify(encodeFacts(facts)) : text,
    };
  }
}

function parseFacts(text: string): { facts: EntryFacts; areAdmitted: boolean } | null {
  try {
    const value: unknown = JSON.parse(text);
    const facts = decodeFacts(value);
    return facts && { facts, areAdmitted: areAdmitted(value) };
  } catch {
    return null;
  }
}

function factsOfLine(bytes: Uint8Array): EntryFacts | null {
  const record = parseRecord(decodeLine(bytes));
  return record.kind === 'entry' ? factsInFull(record.entry) : null;
}
