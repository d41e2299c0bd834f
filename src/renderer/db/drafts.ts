import Dexie, { type Collection } from 'dexie';
import type { Draft } from '../state/local-store';
import type { DraftFileRow, EspalierDatabase } from './database';
import { withTimeLimit } from './time-limit';

/** A draft without its files, which lie apart: a key writes words, not pictures. Before version 2 it held them itself. */
interface StoredDraft extends Omit<Draft, 'attachments'> {
  fileIds: string[];
}

/** A stored draft with its files; the caller checks what it is. One that is missing is undefined. */
export async function readDraft(db: EspalierDatabase, sessionId: string): Promise<Draft | null> {
  return withTimeLimit(
    db.transaction('r', db.drafts, db.draftFiles, async () => {
      const draft = (await db.drafts.get(sessionId))?.draft as (Draft & Partial<StoredDraft>) | null | undefined;
      if (!Array.isArray(draft?.fileIds)) return draft ?? null;
      const { fileIds, ...rest } = draft;
      // Junk is no key.
      const keys = fileIds.map((id): [string, string] => [sessionId, String(id)]);
      const rows = await db.draftFiles.bulkGet(keys);
      return { ...rest, attachments: rows.map((row) => row?.file) as Draft['attachments'] };
    }),
  );
}

/** One transaction: after a kill there is the old draft with its files or the new one with its own. Null removes both. */
export async function writeDraft(db: EspalierDatabase, sessionId: string, draft: Draft | null): Promise<void> {
  await withTimeLimit(
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
