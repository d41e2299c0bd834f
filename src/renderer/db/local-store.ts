import type { Collection } from 'dexie';
import Dexie from 'dexie';
import type { Draft, LocalStore } from '../state/local-store';
import { type DraftFileRow, type EspalierDatabase, inTurn, withTimeLimit } from './database';
import { loadLines } from './session-records';

const LOST = new Set(['DataError', 'NotReadableError', 'NotFoundError']);

/** A draft without its files, which lie apart: a key writes words, not pictures. Before version 2 it held them itself. */
interface StoredDraft extends Omit<Draft, 'attachments'> {
  fileIds: string[];
}

/**
 * A stored draft with its files; the caller checks what it is. One that is missing, or that the disk no longer has, is undefined: it takes
 * nothing else with it. Rejects where the database does not answer for now.
 */
async function readDraft(db: EspalierDatabase, sessionId: string): Promise<Draft | null> {
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

/** Drafts, pane sizes and entries from the database. Calls reject when it fails; callers carry on without. */
export function createDatabaseStore(db: EspalierDatabase): LocalStore {
  return {
    getDraft: (sessionId) => readDraft(db, sessionId),
    putDraft: (sessionId, draft) => writeDraft(db, sessionId, draft),
    draftsAlone: async () => {
      const [drafts, marks] = await withTimeLimit(
        Promise.all([db.drafts.toCollection().primaryKeys(), db.marks.toCollection().primaryKeys()]),
      );
      const said = new Set(marks);
      return drafts.filter((id) => !said.has(id));
    },
    getUi: async (key) => (await withTimeLimit(db.ui.get(key)))?.value,
    putUi: async (key, value) => {
      await inTurn<unknown>(db, () => (value === undefined ? db.ui.delete(key) : db.ui.put({ key, value })));
    },
    loadEntries: (sessionId, wanted) => loadLines(db, sessionId, wanted),
  };
}

/**
 * A local store that can be used before the database is open: calls wait for it, and after `fallBack` go to memory. What
 * was put there meanwhile moves into the database when it comes after all. Drafts are not kept here: their stores hold them until
 * they are told what the database has (CM6).
 */
export class LateStore implements LocalStore {
  readonly #ui = new Map<string, unknown>();
  #real: LocalStore | null = null;
  #settle: () => void = () => undefined;
  #open: (real: LocalStore) => void = () => undefined;
  readonly #opened = new Promise<LocalStore>((resolve) => (this.#open = resolve));
  readonly #settled = new Promise<void>((resolve) => (this.#settle = resolve));

  /** The database is open. Never rejects: what it does not take is remembered until the window closes. */
  async arrive(real: LocalStore): Promise<void> {
    this.#open(real);
    const moves = [...this.#ui].map(([key, value]) => real.putUi(key, value));
    this.#real = real;
    this.#settle();
    await Promise.allSettled(moves);
  }

  /** The database can't be opened for now: whoever waits goes on without. */
  fallBack(): void {
    this.#settle();
  }

  async getDraft(sessionId: string): ReturnType<LocalStore['getDraft']> {
    // Only the database knows.
    return (await this.#opened).getDraft(sessionId);
  }

  async putDraft(sessionId: string, draft: Parameters<LocalStore['putDraft']>[1]): Promise<void> {
    await (await this.#opened).putDraft(sessionId, draft);
  }

  async draftsAlone(): Promise<string[]> {
    return (await this.#opened).draftsAlone();
  }

  async getUi(key: string): Promise<unknown> {
    await this.#settled;
    return this.#real ? this.#real.getUi(key) : this.#ui.get(key);
  }

  async putUi(key: string, value: unknown): Promise<void> {
    await this.#settled;
    if (this.#real) await this.#real.putUi(key, value);
    else this.#ui.set(key, value);
  }

  async loadEntries(...wanted: Parameters<LocalStore['loadEntries']>): ReturnType<LocalStore['loadEntries']> {
    await this.#settled;
    return this.#real ? this.#real.loadEntries(...wanted) : [];
  }
}
