import type { StoredLine } from '@shared/types';
import { notePieces } from '../large-json';
import { crc32InPieces, decodeInPieces, MANY_BYTES } from './large-entry';
import { CHUNK_BYTES, decodeLine } from './line-reader';
import { crcAfterLine } from './journal-builder';
import type { JournalBuilder } from './journal-builder';
import { toReadError } from './session-error';

/** Fills the buffer from a place in the journal; returns the bytes read. */
export type ReadAt = (buffer: Uint8Array, position: number) => Promise<number>;

/** Gaps up to this many bytes are read over rather than with a second call. */
const MAX_GAP_BYTES = 64 * 1024;
const MAX_LINES = 100;
const EMPTY = new Uint8Array();

/** A record as read: its line, or that its bytes are not what was written. */
export interface ReadRecord {
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
