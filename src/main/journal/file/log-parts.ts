import { notePieces } from '../../large-json';
import type { AppendedRecord } from '../../ports';
import type { AppendFile } from './append-file';
import type { JournalFs } from './fs';
import type { IndexRow, IndexWriter } from './index-file';
import { crcAfterLine, type JournalBuilder } from './journal-builder';
import { crc32InPieces, decodeInPieces, MANY_BYTES } from './large-entry';
import { CHUNK_BYTES, decodeLine } from './line-reader';
import { toReadError } from './session-error';
import type { SessionEntry } from '@shared/session/records/entry';
import type { RandomHex } from '@shared/session/records/ids';
import type { SessionTree } from '@shared/session/tree/tree';
import type { StoredLine } from '@shared/types';

export interface LogSurroundings {
  fs: JournalFs;
  /** Unix milliseconds. */
  clock: () => number;
  randomHex: RandomHex;
  /** True once the app ends: a file that is being read needs no more. */
  isClosed?: () => boolean;
  log: { warn(message: string, detail?: unknown): void };
}

export interface LogParts {
  sessionId: string;
  path: string;
  indexPath: string;
  builder: JournalBuilder;
  tree: SessionTree;
  index: IndexWriter;
  /** Null: the session has no file yet. */
  file: AppendFile | null;
  unendedRow: IndexRow | null;
  /** Rows and bytes of a session without a file, the header first, and what the listeners are told once it has one. */
  held?: { rows: IndexRow[]; lines: Buffer[]; records: AppendedRecord[] };
}

/** What a log tells the store, and how it asks to stay open. */
export interface LogEvents {
  /** The first message made the file. */
  created?: () => void;
  closed?: () => void;
  /** The file that was opened is not as it was left. */
  other?: () => void;
  /** Another file took the place of its own: it goes on beside it. */
  apart?: () => void;
  /** Another program wrote so many entries behind ours that follow nothing in the file. */
  strayed?: (entries: number) => void;
  /** Whoever had it needs it no longer; absent: the log closes its file at once. */
  letGo?: () => Promise<void>;
  /** Keeps the file open until the returned function was called. */
  leased?: () => () => Promise<void>;
}

/** Fills the buffer from a place in the journal; returns the bytes read. */
type ReadAt = (buffer: Uint8Array, position: number) => Promise<number>;

/** Gaps up to this many bytes are read over rather than with a second call. */
const MAX_GAP_BYTES = 64 * 1024;
const MAX_LINES = 100;
const EMPTY = new Uint8Array();

/** A record as read: its line, or that its bytes are not what was written. */
interface ReadRecord {
  seq: number;
  bytes: Uint8Array;
  isIntact: boolean;
}

/**
 * Reads records of a journal by number. Each one is checked against the running CRC; one that fails is reported in the
 * builder's damage and never given out as an entry.
 */
export class RecordReader {
  constructor(
    private readonly builder: JournalBuilder,
    private readonly readAt: ReadAt,
  ) {}

  /**
   * The records `seqs` (ascending), near ones in one read. Records behind the end of the file are left out. Rejects with
   * `SessionError` if the file cannot be read.
   */
  async read(seqs: readonly number[]): Promise<ReadRecord[]> {
    const found: ReadRecord[] = [];
    const { table } = this.builder;
    for (let first = 0; first < seqs.length;) {
      const start = table.offset(seqs[first] ?? 0);
      let end = start;
      let after = first;
      for (; after < seqs.length; after++) {
        const seq = seqs[after] ?? 0;
        const recordEnd = table.offset(seq) + table.length(seq);
        if (after > first && (table.offset(seq) - end > MAX_GAP_BYTES || recordEnd - start > CHUNK_BYTES)) break;
        end = recordEnd;
      }
      const buffer = Buffer.allocUnsafe(end - start);
      const read = await this.readAt(buffer, start).catch((error: unknown) => {
        throw toReadError(error);
      });
      for (; first < after; first++) {
        const seq = seqs[first] ?? 0;
        const at = table.offset(seq) - start;
        if (at + table.length(seq) <= read)
          found.push(await this.check(seq, buffer.subarray(at, at + table.length(seq))));
      }
    }
    return found;
  }

  /** Chunks of at most 100 lines and about 1 MiB from record `fromSeq` on, up to the last record of the moment. */
  async *lines(fromSeq: number, count: () => number): AsyncGenerator<{ lines: StoredLine[]; crc: number }, void, void> {
    const { table } = this.builder;
    for (let seq = Math.max(0, fromSeq); seq < count();) {
      const seqs: number[] = [];
      for (let bytes = 0; seqs.length < MAX_LINES && seq < count() && bytes < CHUNK_BYTES; seq++) {
        seqs.push(seq);
        bytes += table.length(seq);
      }
      const lines: StoredLine[] = [];
      for (const record of await this.read(seqs)) lines.push(await this.toLine(record));
      if (lines.length < seqs.length) return;
      yield { lines, crc: table.fileCrc(seq - 1) };
    }
  }

  /**
   * A record as the database keeps it. A changed one loses its id, so that it is not taken for an entry.
   * @param name under which it was asked for, if it is not the id that the table has
   */
  async toLine({ seq, bytes, isIntact }: ReadRecord, name = this.builder.table.id(seq)): Promise<StoredLine> {
    if (!isIntact && this.builder.table.kind(seq) === 'header') return { seq, id: '', line: this.builder.headerLine };
    const id = isIntact ? name : '';
    if (bytes.length < MANY_BYTES) return { seq, id, line: decodeLine(bytes) };
    const pieces = await decodeInPieces(bytes);
    const line = { seq, id, line: pieces.reduce((whole, piece) => whole + piece, '') };
    notePieces(line, pieces);
    return line;
  }

  private async check(seq: number, bytes: Uint8Array): Promise<ReadRecord> {
    const { table } = this.builder;
    const before = table.crc(seq - 1);
    const crc =
      bytes.length < MANY_BYTES ? crcAfterLine(bytes, before) : crcAfterLine(EMPTY, await crc32InPieces(bytes, before));
    const isIntact = crc === table.crc(seq);
    if (!isIntact && table.kind(seq) !== 'malformed') this.builder.noteChanged(seq);
    return { seq, bytes, isIntact };
  }
}

/** Bodies read lately, the least used dropped first, bounded by the bytes of their lines. */
export class BodyCache {
  private readonly bodies = new Map<string, { entry: SessionEntry; bytes: number }>();
  private total = 0;

  constructor(private readonly maxBytes: number) {}

  get(id: string): SessionEntry | undefined {
    const found = this.bodies.get(id);
    if (!found) return undefined;
    this.bodies.delete(id);
    this.bodies.set(id, found);
    return found.entry;
  }

  /** `bytes`: length of the entry's line. One larger than the whole cache is not kept. */
  set(entry: SessionEntry, bytes: number): void {
    this.delete(entry.id);
    if (bytes > this.maxBytes) return;
    this.bodies.set(entry.id, { entry, bytes });
    this.total += bytes;
    for (const id of this.bodies.keys()) {
      if (this.total <= this.maxBytes) break;
      this.delete(id);
    }
  }

  private delete(id: string): void {
    const found = this.bodies.get(id);
    if (!found) return;
    this.bodies.delete(id);
    this.total -= found.bytes;
  }
}
