/**
 * The binary rows of an index file (docs/specs/journal.md, "The index"). One row a record, readable from either end, each
 * with a check of its own: a row is used only if it is whole.
 *
 *     u32 row bytes · u32 seq · f64 offset · u32 length · u32 running crc · u32 entries so far · u32 compactions so far
 *     · u32 malformed so far · u8 kind · text (facts as JSON; of a header its line) · u32 check · u32 row bytes
 */
import { crc32 } from './crc32';
import { RECORD_KINDS } from './record-table';
import type { RecordKind } from './record-table';

export const INDEX_MAGIC = Buffer.from('espalier-index-1\n', 'latin1');
const HEAD_BYTES = 37;
const TAIL_BYTES = 8;
const MIN_ROW_BYTES = HEAD_BYTES + TAIL_BYTES;
const MAX_ROW_BYTES = 16 * 1024 * 1024;

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
export function encodeRow(row: IndexRow): Buffer {
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
  text.copy(bytes, HEAD_BYTES);
  bytes.writeUInt32LE(crc32(bytes, 0, 0, total - TAIL_BYTES), total - TAIL_BYTES);
  bytes.writeUInt32LE(total, total - 4);
  return bytes;
}

/** The row that begins at `at`, or null if no whole row is there. */
export function decodeRow(bytes: Buffer, at: number): { row: IndexRow; bytes: number } | null {
  if (at + MIN_ROW_BYTES > bytes.length) return null;
  const total = bytes.readUInt32LE(at);
  const end = at + total;
  if (total < MIN_ROW_BYTES || total > MAX_ROW_BYTES || end > bytes.length) return null;
  if (bytes.readUInt32LE(end - 4) !== total) return null;
  if (bytes.readUInt32LE(end - TAIL_BYTES) !== crc32(bytes, 0, at, end - TAIL_BYTES)) return null;
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
      text: bytes.toString('utf8', at + HEAD_BYTES, end - TAIL_BYTES),
    },
  };
}

/** The row that ends at the end of `bytes`, or null. */
export function decodeLastRow(bytes: Buffer): IndexRow | null {
  if (bytes.length < MIN_ROW_BYTES) return null;
  const start = bytes.length - bytes.readUInt32LE(bytes.length - 4);
  return start < 0 ? null : (decodeRow(bytes, start)?.row ?? null);
}
