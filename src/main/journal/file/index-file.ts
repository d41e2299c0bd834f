import { crc32 } from './crc32';
import type { FileFacts, JournalFile, JournalFs } from './fs';
import { crc32InPieces, MANY_BYTES } from './large-entry';
import { pause } from './line-reader';
import { RECORD_KINDS, type RecordKind } from './record-table';

const INDEX_MAGIC = Buffer.from('espalier-index-1\n', 'latin1');
const ROW_HEAD_BYTES = 37;
const ROW_TAIL_BYTES = 8;
const MIN_ROW_BYTES = ROW_HEAD_BYTES + ROW_TAIL_BYTES;
const MAX_ROW_BYTES = 16 * 1024 * 1024;

/**
 * The binary rows of an index file (docs/specs/journal.md, "The index"). One row a record, readable from either end, each
 * with a check of its own: a row is used only if it is whole.
 *
 *     u32 row bytes · u32 seq · f64 offset · u32 length · u32 running crc · u32 entries so far · u32 compactions so far
 *     · u32 malformed so far · u8 kind · text (facts as JSON; of a header its line) · u32 check · u32 row bytes
 */
export interface IndexRow {
  seq: number;
  offset: number;
  length: number;
  crc: number;
  entries: number;
  compactions: number;
  malformed: number;
  kind: RecordKind;
  /** Encoded facts of an entry as JSON, the line of a header, else empty. */
  text: string;
}

/** The bytes of one row. */
function encodeRow(row: IndexRow): Buffer {
  const text = Buffer.from(row.text, 'utf8');
  const total = MIN_ROW_BYTES + text.length;
  const bytes = Buffer.allocUnsafe(total);
  bytes.writeUInt32LE(total, 0);
  bytes.writeUInt32LE(row.seq, 4);
  bytes.writeDoubleLE(row.offset, 8);
  bytes.writeUInt32LE(row.length, 16);
  bytes.writeUInt32LE(row.crc, 20);
  bytes.writeUInt32LE(row.entries, 24);
  bytes.writeUInt32LE(row.compactions, 28);
  bytes.writeUInt32LE(row.malformed, 32);
  bytes.writeUInt8(RECORD_KINDS.indexOf(row.kind), 36);
  text.copy(bytes, ROW_HEAD_BYTES);
  bytes.writeUInt32LE(crc32(bytes, 0, 0, total - ROW_TAIL_BYTES), total - ROW_TAIL_BYTES);
  bytes.writeUInt32LE(total, total - 4);
  return bytes;
}

/** The row that begins at `at`, or null if no whole row is there. */
function decodeRow(bytes: Buffer, at: number): { row: IndexRow; bytes: number } | null {
  if (at + MIN_ROW_BYTES > bytes.length) return null;
  const total = bytes.readUInt32LE(at);
  const end = at + total;
  if (total < MIN_ROW_BYTES || total > MAX_ROW_BYTES || end > bytes.length) return null;
  if (bytes.readUInt32LE(end - 4) !== total) return null;
  if (bytes.readUInt32LE(end - ROW_TAIL_BYTES) !== crc32(bytes, 0, at, end - ROW_TAIL_BYTES)) return null;
  const kind = RECORD_KINDS[bytes.readUInt8(at + 36)];
  if (kind === undefined) return null;
  return {
    bytes: total,
    row: {
      seq: bytes.readUInt32LE(at + 4),
      offset: bytes.readDoubleLE(at + 8),
      length: bytes.readUInt32LE(at + 16),
      crc: bytes.readUInt32LE(at + 20),
      entries: bytes.readUInt32LE(at + 24),
      compactions: bytes.readUInt32LE(at + 28),
      malformed: bytes.readUInt32LE(at + 32),
      kind,
      text: bytes.toString('utf8', at + ROW_HEAD_BYTES, end - ROW_TAIL_BYTES),
    },
  };
}

/** The row that ends at the end of `bytes`, or null. */
function decodeLastRow(bytes: Buffer): IndexRow | null {
  if (bytes.length < MIN_ROW_BYTES) return null;
  const start = bytes.length - bytes.readUInt32LE(bytes.length - 4);
  return start < 0 ? null : (decodeRow(bytes, start)?.row ?? null);
}

const ROWS_AT_ONCE = 1000;
/** An index may have so many bytes whatever its journal has, and above that so many times those of the journal. */
const FREE_BYTES = 8 * 1024 * 1024;
const MOST_RATIO = 4;
const TAIL_BYTES = 64 * 1024;
/** Some ten million rows: a longer file is none of ours. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** The rows of an index file in order, decoded one by one: a session of 100,000 entries has as many. */
export class IndexCursor {
  private at = INDEX_MAGIC.length;
  private next: { row: IndexRow; bytes: number } | null = null;
  private seq = 0;
  private end = 0;

  constructor(private readonly bytes: Buffer) {
    this.decode();
  }

  /** The next row, or null at the end or at the first damage. */
  peek(): IndexRow | null {
    return this.next?.row ?? null;
  }

  /** Takes the row that `peek` gives. */
  take(): void {
    if (!this.next) return;
    this.at += this.next.bytes;
    this.decode();
  }

  /** Bytes of the file up to the last row taken. */
  get takenBytes(): number {
    return this.at;
  }

  private decode(): void {
    const next = decodeRow(this.bytes, this.at);
    const follows = next !== null && next.row.seq === this.seq && next.row.offset === this.end;
    this.next = follows ? next : null;
    if (!this.next) return;
    this.seq++;
    this.end = this.next.row.offset + this.next.row.length + 1;
  }
}

/** Not through a link: who read an index there would write there as well. */
async function readWhole(fs: JournalFs, path: string): Promise<Buffer | null> {
  if ((await fs.kind(path)) !== 'file') return null;
  const stat = await fs.stat(path);
  if (!stat || stat.size > MAX_BYTES) return null;
  const file = await fs.open(path, 'read');
  try {
    const magic = Buffer.alloc(INDEX_MAGIC.length);
    await file.read(magic, 0);
    if (!magic.equals(INDEX_MAGIC)) return null;
    const bytes = Buffer.allocUnsafe(stat.size);
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}

/** Before the journal becomes another one. A folder of that name is no index and stays. */
export async function dropIndex(fs: JournalFs, path: string): Promise<void> {
  if ((await fs.kind(path)) !== 'folder') await fs.remove(path);
}

/** Reads an index file; null if it is missing or unreadable. Never throws. */
export async function readIndex(fs: JournalFs, path: string): Promise<IndexCursor | null> {
  const bytes = await readWhole(fs, path).catch(() => null);
  return bytes?.subarray(0, INDEX_MAGIC.length).equals(INDEX_MAGIC) ? new IndexCursor(bytes) : null;
}

/** The last rows of an index file, newest first, without reading the rest; decoded as they are taken. Never throws. */
async function readLastRows(fs: JournalFs, path: string): Promise<Iterable<IndexRow>> {
  try {
    const stat = (await fs.kind(path)) === 'file' ? await fs.stat(path) : null;
    if (!stat) return [];
    const file = await fs.open(path, 'read');
    try {
      const bytes = Buffer.allocUnsafe(Math.min(TAIL_BYTES, stat.size));
      const tail = bytes.subarray(0, await file.read(bytes, stat.size - bytes.length));
      return { [Symbol.iterator]: () => rowsFromEnd(tail) };
    } finally {
      await file.close();
    }
  } catch {
    return [];
  }
}

function* rowsFromEnd(tail: Buffer): Generator<IndexRow> {
  for (let end = tail.length; ;) {
    const last = decodeLastRow(tail.subarray(0, end));
    if (!last) return;
    yield last;
    end -= tail.readUInt32LE(end - 4);
  }
}

/** The last row of an index file without reading the rest, or null. Never throws. */
export async function readLastRow(fs: JournalFs, path: string): Promise<IndexRow | null> {
  for (const row of await readLastRows(fs, path)) return row;
  return null;
}

/** More than rounding takes off a time on the way to the disk. */
const ROUNDING_MS = 0.01;

/**
 * The time that an index gets which vouches for its journal (JN43): when that was last written to, which no program can set, as it can
 * `modifiedMs`. Where the disk has no such time, the other one must do.
 */
export function proofTimeOf({ modifiedMs, changedMs }: FileFacts): number {
  return changedMs > 0 ? changedMs : modifiedMs;
}

/**
 * The last rows of a session's index, newest first, if the journal is as the index left it, else null. Never throws. Times and size prove
 * nothing where another session's file of the same length was moved here with its times: the last record must be the one that the
 * index has.
 */
export async function readRowsAtEnd(
  fs: JournalFs,
  journalPath: string,
  indexPath: string,
): Promise<{ last: IndexRow; newestFirst: Iterable<IndexRow> } | null> {
  const index = await fs.stat(indexPath).catch(() => null);
  const journal = await fs.stat(journalPath).catch(() => null);
  // Another time, earlier or later, is that of another writer, whatever its clock says.
  if (!index || !journal || Math.abs(proofTimeOf(journal) - index.modifiedMs) > ROUNDING_MS) return null;
  const newestFirst = await readLastRows(fs, indexPath);
  const [last, before] = newestFirst;
  if (!last || journal.size !== last.offset + last.length + 1) return null;
  if (last.seq > 0 && before?.seq !== last.seq - 1) return null;
  return (await crcOfRecord(fs, journalPath, last, before?.crc ?? 0)) === last.crc ? { last, newestFirst } : null;
}

/** The last of them alone. */
export async function readRowAtEnd(fs: JournalFs, journalPath: string, indexPath: string): Promise<IndexRow | null> {
  return (await readRowsAtEnd(fs, journalPath, indexPath))?.last ?? null;
}

/** The running CRC after a record, as the file has it now; null if it can't be read. */
async function crcOfRecord(fs: JournalFs, path: string, row: IndexRow, before: number): Promise<number | null> {
  try {
    const file = await fs.open(path, 'read');
    try {
      const bytes = Buffer.allocUnsafe(row.length + 1);
      if ((await file.read(bytes, row.offset)) < bytes.length) return null;
      return bytes.length < MANY_BYTES ? crc32(bytes, before) : await crc32InPieces(bytes, before);
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/**
 * Appends rows to an index file. The index is a cache: nothing waits for its disk, and after a failed write it stays
 * behind until it is caught up at the next open.
 */
export class IndexWriter {
  private file: JournalFile | null = null;
  private hasFailed = false;
  private size: number;

  constructor(
    private readonly fs: JournalFs,
    private readonly path: string,
    /** Bytes to keep; what follows is cut off before the first row. 0 starts the file anew. */
    private keepBytes: number,
  ) {
    this.size = keepBytes;
  }

  /** Lets the index vouch for the journal as it was at that time (`proofTimeOf`), and later for nothing else. Never throws. */
  async vouchFor(time: number): Promise<void> {
    if (!this.hasFailed) await this.fs.setTime(this.path, time).catch(() => undefined);
  }

  /** Never throws. In pieces between which other work runs: the lines may be very short and very many. */
  async append(rows: readonly IndexRow[]): Promise<void> {
    for (let at = 0; at < rows.length && !this.hasFailed; at += ROWS_AT_ONCE) {
      if (at > 0) await pause();
      await this.appendSome(rows.slice(at, at + ROWS_AT_ONCE));
    }
  }

  private async appendSome(rows: readonly IndexRow[]): Promise<void> {
    try {
      const parts = rows.map(encodeRow);
      if (!this.file) {
        this.file = await this.begin();
        if (this.keepBytes === 0) parts.unshift(INDEX_MAGIC);
      }
      const bytes = Buffer.concat(parts);
      const last = rows.at(-1);
      const journalBytes = last ? last.offset + last.length : 0;
      this.size += bytes.length;
      // To parse such a file anew takes less than to read its index.
      if (this.size > FREE_BYTES && this.size > MOST_RATIO * journalBytes) return this.stop();
      for (let done = 0; done < bytes.length;) done += await this.file.append(bytes.subarray(done));
    } catch {
      // A row in the wrong place is found by its number at the next open; appending after a hole would be useless work.
      this.hasFailed = true;
    }
  }

  /** What is no index of ours is never emptied: its name goes, and with it no other name of the same file, nor where a link leads. */
  private async begin(): Promise<JournalFile> {
    if (this.keepBytes === 0) {
      await this.fs.remove(this.path);
      return this.fs.open(this.path, 'create');
    }
    const file = await this.fs.open(this.path, 'append');
    const { size } = await file.stat();
    if (size !== this.keepBytes) await file.truncate(this.keepBytes);
    return file;
  }

  /**
   * Writes no more rows: the journal has bytes that may not be those of the rows. An index that ends before the journal
   * is no proof of it, so that the next start reads the journal whole and finds them.
   */
  stop(): void {
    this.hasFailed = true;
  }

  async close(): Promise<void> {
    await this.file?.close().catch(() => undefined);
    this.file = null;
  }
}
