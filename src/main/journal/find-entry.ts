import type { JournalFs } from './fs';
import { CHUNK_BYTES } from './line-reader';
import type { MetaStore } from './meta-store';
import type { SessionFiles } from './session-files';

/** The session that has an entry of this id, looked for in the newest ones first; null if none has. */
export async function findSessionOf(
  entryId: string,
  except: readonly string[],
  { fs, files, metas }: { fs: JournalFs; files: SessionFiles; metas: MetaStore },
): Promise<string | null> {
  const time = (id: string): number => metas.get(id)?.updatedAt ?? 0;
  const ids = (await files.ids(fs)).filter((id) => !except.includes(id));
  for (const id of ids.sort((a, b) => time(b) - time(a)))
    if (await hasEntry(fs, files.journal(id), entryId).catch(() => false)) return id;
  return null;
}

/** True if a session file has a record of this id, read in chunks: neither parsed nor held in memory. O(file). */
async function hasEntry(fs: JournalFs, path: string, entryId: string): Promise<boolean> {
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
