import type { AppendFile } from './append-file';
import { readLines } from './line-reader';

/** Above it the next start reads it. */
const MAX_ADDED_BYTES = 256 * 1024 * 1024;
const NEWLINE = Buffer.from('\n');

/** A line that another writer added. */
export interface AddedLine {
  bytes: Buffer;
  ended: boolean;
}

/**
 * All that another writer added to a file, read whole before any of it is taken: a read that fails takes nothing (JN11).
 * @param isOpen the last line that we know has no newline yet
 * @returns null where what was added is not in whole lines behind ours, or is too much; rejects with what a read rejects with
 */
export async function readAdded(file: AppendFile, isOpen: boolean): Promise<AddedLine[] | null> {
  const { size } = await file.reader.stat();
  if (size - file.size > MAX_ADDED_BYTES) return null;
  if (isOpen) {
    const next = Buffer.alloc(1);
    await file.reader.read(next, file.size);
    if (!next.equals(NEWLINE)) return null;
  }
  const added: AddedLine[] = [];
  for await (const lines of readLines(file.reader, file.size + (isOpen ? 1 : 0), size))
    for (const { bytes, ended } of lines) added.push({ bytes: Buffer.from(bytes), ended });
  await file.advanceTo(size);
  return added;
}
