import type { AppendFile } from './append-file';
import { NotLinesError, readLines } from './line-reader';

/** Above them the next start reads it. A line takes some hundred bytes of memory, however short it is. */
const MAX_ADDED_BYTES = 256 * 1024 * 1024;
const MAX_ADDED_LINES = 100_000;
const NEWLINE = Buffer.from('\n');

/** A line that another writer added. */
export interface AddedLine {
  bytes: Buffer;
  ended: boolean;
}

/**
 * All that another writer added to a file, read whole before any of it is taken: a read that fails takes nothing (JN11).
 * @param isOpen the last line that we know has no newline yet
 * @returns `unread` where what was added is not in whole lines behind ours, or is too much; `other` where that makes the file none of a
 *   session (JN32). Rejects with what a read rejects with
 */
export async function readAdded(file: AppendFile, isOpen: boolean): Promise<AddedLine[] | 'unread' | 'other'> {
  const { size } = await file.reader.stat();
  if (size - file.size > MAX_ADDED_BYTES) return 'unread';
  if (isOpen) {
    const next = Buffer.alloc(1);
    await file.reader.read(next, file.size);
    if (!next.equals(NEWLINE)) return 'unread';
  }
  const added: AddedLine[] = [];
  try {
    for await (const lines of readLines(file.reader, file.size + (isOpen ? 1 : 0), size)) {
      if (added.length + lines.length > MAX_ADDED_LINES) return 'unread';
      for (const { bytes, ended } of lines) added.push({ bytes: Buffer.from(bytes), ended });
    }
  } catch (error) {
    if (error instanceof NotLinesError) return 'other';
    throw error;
  }
  await file.advanceTo(size);
  return added;
}
