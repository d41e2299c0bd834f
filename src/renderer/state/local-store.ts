/** What the window keeps for itself: drafts, pane sizes, and a local copy of entries (SY1). */
import type { StoredLine } from '@shared/types';

export interface Draft {
  text: string;
  attachments: DraftAttachment[];
  /** Texts beside the field: too long for it, or stored before what is in it (CM6, CM7). */
  aside?: string[];
  /** Messages handed to main and not known to be saved when this was stored. */
  sent?: SentMessage[];
}
/** A message on its way; its files are among those of the draft. */
export interface SentMessage {
  /** The id of its entry, or of its place in the queue, once main has saved it. */
  itemId: string;
  text: string;
  fileIds: string[];
}
export interface DraftAttachment {
  id: string;
  kind: 'image' | 'text';
  name: string;
  mimeType: string;
  /** base64 for images, the text itself for text files. */
  data: string;
}

/** An entry by its id and its place in the session file: the database keeps older ones in chunks by place. */
export interface WantedEntry {
  id: string;
  seq: number;
}

/**
 * The window's own storage. No method may throw for a missing value; a storage failure rejects, and the callers treat
 * that as "not kept" because main holds the truth.
 */
export interface LocalStore {
  getDraft(sessionId: string): Promise<Draft | null>;
  /** Null removes the draft. */
  putDraft(sessionId: string, draft: Draft | null): Promise<void>;
  /** Sessions that have a draft here, and nothing else: nothing was said in them. */
  draftsAlone(): Promise<string[]>;
  getUi(key: string): Promise<unknown>;
  /** Undefined removes it. */
  putUi(key: string, value: unknown): Promise<void>;
  /** The lines that the database has, in any order; those it lacks are left out. */
  loadEntries(sessionId: string, wanted: readonly WantedEntry[]): Promise<StoredLine[]>;
}
