import Dexie, { type Collection } from 'dexie';
import type { Draft } from '../state/local-store';
import type { DraftFileRow, EspalierDatabase } from './database';
import { inTurn } from './in-turn';
import { withTimeLimit } from './time-limit';

const LOST = new Set(['DataError', 'NotReadableError', 'NotFoundError']);

/** A draft without its files, which lie apart: a key writes words, not pictures. Before version 2 it held them itself. */
interface StoredDraft extends Omit<Draft, 'attachments'> {
  fileIds: string[];
}

/**
 * A stored draft with its files; the caller checks what it is. One that is missing, or that the disk no longer has, is undefined: it takes
 * nothing else with it. Rejects where the database does not answer for now.
 */
export async function readDraft(db: EspalierDatabase, sessionId: string): Promise<Draft | null> {
  const draft = (await unlessLost(db.drafts.get(sessionId)))?.draft as
    (Draft & Partial<StoredDraft>) | null | undefined;
  if (!Array.isArray(draft?.fileIds)) return draft ?? null;
  const { fileIds, ...rest } = draft;
  const files: unknown[] = [];
  for (const id of fileIds as unknown[]) {
    // Junk is no key.
    const row = typeof id === 'string' ? await unlessLost(db.draftFiles.get([sessionId, id])) : undefined;
    files.push(row?.file);
  }
  return { ...rest, attachments: files as Draft['attachments'] };
}

/** Undefined for a row of which the browser keeps a part in a file of its own, and can't read that: it will not come back. */
async function unlessLost<T>(row: PromiseLike<T | undefined>): Promise<T | undefined> {
  try {
    return await withTimeLimit(row);
  } catch (error) {
    if (error instanceof Error && LOST.has(error.name)) return undefined;
    throw error;
  }
}

/** One transaction: after a kill there is the old draft with its files or the new one with its own. Null removes both. */
export async function writeDraft(db: EspalierDatabase, sessionId: string, draft: Draft | null): Promise<void> {
  await inTurn(db, () =>
    db.transaction('rw', db.drafts, db.draftFiles, async () => {
      const files = new Map(draft?.attachments.map((file) => [file.id, file]));
      const there = new Set((await filesOf(db, sessionId).primaryKeys()).map(([, id]) => id));
      // What lies under an id never changes.
      const added = [...files].filter(([id]) => !there.has(id)).map(([id, file]) => ({ sessionId, id, file }));
      const gone = [...there].filter((id) => !files.has(id)).map((id): [string, string] => [sessionId, id]);
      if (added.length > 0) await db.draftFiles.bulkPut(added);
      if (gone.length > 0) await db.draftFiles.bulkDelete(gone);
      if (!draft) return db.drafts.delete(sessionId);
      const { attachments: _apart, ...rest } = draft;
      const stored: StoredDraft = { ...rest, fileIds: [...files.keys()] };
      await db.drafts.put({ sessionId, draft: stored });
    }),
  );
}

function filesOf(db: EspalierDatabase, sessionId: string): Collection<DraftFileRow, [string, string]> {
  return db.draftFiles.where('[sessionId+id]').between([sessionId, Dexie.minKey], [sessionId, Dexie.maxKey]);
}
