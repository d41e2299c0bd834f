import type { JournalFile } from './fs';
import { MAX_LINE_BYTES } from '@shared/record-limits';

export const CHUNK_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;
/** With newlines the blanks of JSON. */
const [SPACE, TAB, RETURN] = [0x20, 0x09, 0x0d];

/** A run of blank lines ends at the first line end from here on: it is held in memory. */
export const RUN_BYTES = 128 * 1024;
/** Lines in a batch, and how long a reader may go on before it lets other work run. */
const BATCH_LINES = 1000;
const SLICE_MS = 6;

/** Lets other work of the process run: a load never holds it for longer than a slice (QP4: 16 ms). */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A line is kept in memory until it ends. One of ours is far shorter; a hole that a file system left has no end. */
const MOST_LINE_BYTES = 2 * MAX_LINE_BYTES;

/** A record takes some hundred bytes of memory, however short it is; an entry with its id, its parent and its time has more than `SHORT_BYTES`. */
const MOST_SHORT_LINES = 500_000;
const SHORT_BYTES = 90;
/** Ten messages a minute, day and night, for ten weeks. */
const MOST_LINES = 1_000_000;
/** Where so many of the first lines are that short, the rest is counted before it is handed out: what makes records of them is far slower. */
const MANY_SHORT_LINES = 20_000;

/** What is read as lines is nothing that Espalier or another agent wrote as a session; it is given up rather than to fill the memory (JN51). */
export class NotLinesError extends Error {
  override readonly name = 'NotLinesError';
  /** @param what completes “In its place is ” */
  constructor(readonly what: string) {
    super(`What was read is ${what}.`);
  }
}

/** @throws NotLinesError if so many lines with so many bytes in all are no session's (JN51) */
function checkLines(lines: number, bytes: number): void {
  if (lines > MOST_LINES) throw new NotLinesError(`a file with more than ${MOST_LINES.toLocaleString('en')} lines`);
  if (lines > MOST_SHORT_LINES && bytes < lines * SHORT_BYTES)
    throw new NotLinesError(
      `a file with more than ${MOST_SHORT_LINES / 1000},000 lines that are too short for a session`,
    );
}

/** A line of a file; lines with nothing but blanks that follow each other count as one (JN45). `bytes` is a view that is valid until the next batch is asked for. */
interface RawLine {
  offset: number;
  /** Without the newline. */
  bytes: Uint8Array;
  /** False only for a last line that has no newline. */
  ended: boolean;
}

/**
 * The lines of `file` from byte `from` to byte `to`, split on 0x0A only (SF1, SF16), read in chunks of 1 MiB: a
 * batch holds some of the lines that a chunk completed, and other work runs between the batches. Rejects with `NotLinesError`.
 * @param before what was read of the file, where these lines are only counted
 */
export async function* readLines(
  file: Pick<JournalFile, 'read'>,
  from: number,
  to: number,
  before?: { lines: number; bytes: number },
): AsyncGenerator<RawLine[], void, void> {
  // Most sessions are small: a buffer of the whole chunk would cost more than reading them.
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, to - from)));
  /** Bytes of an unfinished line at the start of `buffer`. */
  let carried = 0;
  /** Of these, those of a run of blank lines that may go on. */
  let carriedRun = 0;
  /** Up to here the line that is looked at is known to have blanks only. */
  let blankTo = 0;
  let position = from;
  /** Lines and runs that were handed out. */
  let count = before?.lines ?? 0;
  let isCounted = before !== undefined;
  let resumed = performance.now();
  const check = async (lines: number, next: number): Promise<void> => {
    count += lines;
    const bytes = next - from + (before?.bytes ?? 0);
    checkLines(count, bytes);
    if (isCounted || count < MANY_SHORT_LINES || bytes >= count * SHORT_BYTES) return;
    isCounted = true;
    const rest = readLines(file, next, to, { lines: count, bytes });
    while (!(await rest.next()).done);
  };
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
    const bufferOffset = position - carried;
    position += read;
    let lines: RawLine[] = [];
    /** Where the line or run begins that is not handed out yet; where the line begins that is looked at. */
    let start = 0;
    let lineStart = carriedRun;
    for (let at = buffer.indexOf(NEWLINE, carried); at !== -1 && at < filled; at = buffer.indexOf(NEWLINE, at + 1)) {
      blankTo = skipBlanks(buffer, Math.max(blankTo, lineStart), at);
      const isBlank = blankTo === at;
      if (!isBlank && lineStart > start) {
        lines.push({ offset: bufferOffset + start, bytes: buffer.subarray(start, lineStart - 1), ended: true });
        start = lineStart;
      }
      lineStart = at + 1;
      if (isBlank && lineStart - start <= RUN_BYTES) continue;
      lines.push({ offset: bufferOffset + start, bytes: buffer.subarray(start, at), ended: true });
      start = lineStart;
      if (lines.length < BATCH_LINES) continue;
      await check(lines.length, bufferOffset + start);
      yield lines;
      lines = [];
      if (performance.now() - resumed > SLICE_MS) {
        await pause();
        resumed = performance.now();
      }
    }
    await check(lines.length, bufferOffset + start);
    if (lines.length > 0) yield lines;
    if (performance.now() - resumed > SLICE_MS) {
      await pause();
      resumed = performance.now();
    }
    // A long line is looked at once, however many reads it takes.
    blankTo = skipBlanks(buffer, Math.max(blankTo, lineStart), filled) - start;
    if (start > 0) buffer.copyWithin(0, start, filled);
    carried = filled - start;
    carriedRun = lineStart - start;
    if (carried > MOST_LINE_BYTES) throw new NotLinesError('a file with a line that does not end');
  }
  const offset = position - carried;
  if (carriedRun > 0) yield [{ offset, bytes: buffer.subarray(0, carriedRun - 1), ended: true }];
  if (carried > carriedRun)
    yield [{ offset: offset + carriedRun, bytes: buffer.subarray(carriedRun, carried), ended: false }];
}

/** Where the first byte from `from` on is that is no blank; `to` if there is none before it. */
function skipBlanks(buffer: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const byte = buffer[at];
    if (byte !== SPACE && byte !== TAB && byte !== RETURN) return at;
  }
  return to;
}

/** How many lines a record of this kind is, as an editor counts them. */
export function linesIn(bytes: Uint8Array): number {
  let lines = 1;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** A line as text, U+FFFD for bytes that are not UTF-8; empty if it is longer than a string can be. */
export function decodeLine(bytes: Uint8Array): string {
  try {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  } catch {
    return '';
  }
}
