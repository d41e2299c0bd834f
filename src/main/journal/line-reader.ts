import { MAX_LINE_BYTES } from '@shared/record-limits';
import type { JournalFile } from './fs';

export const CHUNK_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;

/** A line is kept in memory until it ends. One of ours is far shorter; a hole that a file system left has no end. */
const MOST_LINE_BYTES = 2 * MAX_LINE_BYTES;

/** A line of more bytes than are ever read of one. */
export class EndlessLineError extends Error {
  override readonly name = 'EndlessLineError';
  constructor() {
    super(`A line has more than ${MOST_LINE_BYTES} bytes.`);
  }
}

/** A line of a file. `bytes` is a view that is valid until the next batch is asked for. */
export interface RawLine {
  offset: number;
  /** Without the newline. */
  bytes: Uint8Array;
  /** False only for a last line that has no newline. */
  ended: boolean;
}

/**
 * The lines of `file` from byte `from` to byte `to`, split on 0x0A only (SF1, SF16), read in chunks of 1 MiB: a
 * batch holds the lines that a chunk completed. Rejects with `EndlessLineError` rather than to fill the memory.
 */
export async function* readLines(
  file: Pick<JournalFile, 'read'>,
  from: number,
  to: number,
): AsyncGenerator<RawLine[], void, void> {
  // Most sessions are small: a buffer of the whole chunk would cost more than reading them.
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, to - from)));
  /** Bytes of an unfinished line at the start of `buffer`. */
  let carried = 0;
  let position = from;
  while (position < to) {
    if (buffer.length - carried < Math.min(CHUNK_BYTES / 2, to - position)) {
      const larger = Buffer.allocUnsafe(buffer.length * 2);
      buffer.copy(larger, 0, 0, carried);
      buffer = larger;
    }
    const wanted = Math.min(buffer.length - carried, to - position);
    const read = await file.read(buffer.subarray(carried, carried + wanted), position);
    if (read === 0) break;
    const filled = carried + read;
    const lines: RawLine[] = [];
    const bufferOffset = position - carried;
    let start = 0;
    for (let at = buffer.indexOf(NEWLINE, carried); at !== -1 && at < filled; at = buffer.indexOf(NEWLINE, at + 1)) {
      lines.push({ offset: bufferOffset + start, bytes: buffer.subarray(start, at), ended: true });
      start = at + 1;
    }
    position += read;
    if (lines.length > 0) yield lines;
    if (start > 0) buffer.copyWithin(0, start, filled);
    carried = filled - start;
    if (carried > MOST_LINE_BYTES) throw new EndlessLineError();
  }
  if (carried > 0) yield [{ offset: position - carried, bytes: buffer.subarray(0, carried), ended: false }];
}

/** A line as text, U+FFFD for bytes that are not UTF-8; empty if it is longer than a string can be. */
export function decodeLine(bytes: Uint8Array): string {
  try {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  } catch {
    return '';
  }
}
