import type { JournalFs } from './fs';
import { CHUNK_BYTES } from './line-reader';

/** True if a session file has a record of this id, read in chunks: neither parsed nor held in memory. O(file). */
export async function hasEntry(fs: JournalFs, path: string, entryId: string): Promise<boolean> {
  // Writers that put a blank behind the colon are found too: pi and we write none.
  const needles = ['"id":', '"id": '].map((key) => Buffer.from(key + JSON.stringify(entryId)));
  const overlap = Math.max(...needles.map(({ length }) => length)) - 1;
  const file = await fs.open(path, 'read');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES + overlap);
    for (let position = 0, kept = 0; ;) {
      const read = await file.read(buffer.subarray(kept), position);
      if (read === 0) return false;
      const filled = buffer.subarray(0, kept + read);
      if (needles.some((needle) => filled.includes(needle))) return true;
      position += read;
      kept = Math.min(overlap, filled.length);
      filled.copy(buffer, 0, filled.length - kept);
    }
  } finally {
    await file.close();
  }
}
