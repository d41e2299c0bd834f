import { isOwnId } from '@shared/session/records/ids';
import type { StoredLine } from '@shared/types';
import { type BranchTarget, readTarget } from './draft-field';

/** What the window keeps for itself: drafts, pane sizes, and a local copy of entries (SY1). */

export interface Draft {
  text: string;
  attachments: DraftAttachment[];
  /** Texts beside the field: too long for it, or stored before what is in it (CM6, CM7). */
  aside?: string[];
  /** Messages handed to main and not known to be saved when this was stored. */
  sent?: SentMessage[];
  /** Text and files begin a branch; what the composer held for HEAD is kept beside them (BR4). */
  branch?: StoredBranch;
}
/** The files of HEAD's draft are among those of the draft. */
interface StoredBranch extends BranchTarget {
  head: { text: string; fileIds: string[] };
}
/** A message on its way; its files are among those of the draft. */
export interface SentMessage {
  /** The id of its entry, or of its place in the queue, once main has saved it. */
  itemId: string;
  text: string;
  fileIds: string[];
  /** Where it begins a branch. */
  branch?: BranchTarget;
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

/** What a message takes of a file (`session.prompt`): a longer one could not be sent. Characters. */
const MAX_DATA_CHARS = 30_000_000;
const MAX_NAME_CHARS = 300;
const MAX_TYPE_CHARS = 100;

/** The pictures that models take. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A draft as the database has it, which may be anything: its sound part, each file once; `dropped`: what else lay there as a file. */
export function readDraft(
  stored: unknown,
): Required<Omit<Draft, 'branch'>> & { branch: StoredBranch | null; dropped: number } {
  const { text, attachments, aside, sent, branch } = (stored ?? {}) as Record<keyof Draft, unknown>;
  const files: unknown[] = Array.isArray(attachments) ? attachments : [];
  const texts: unknown[] = Array.isArray(aside) ? aside : [];
  // Not bounded in number: a message on its way lies here beside the next one.
  const sound = [...new Map(files.filter(isAttachment).map((file) => [file.id, file])).values()];
  return {
    text: typeof text === 'string' ? text : '',
    attachments: sound.map(({ id, kind, name, mimeType, data }) => ({ id, kind, name, mimeType, data })),
    aside: texts.filter((other) => typeof other === 'string'),
    sent: Array.isArray(sent)
      ? sent.filter(isSent).map(({ itemId, text: said, fileIds, branch: place }) => {
          const target = readTarget(place);
          return { itemId, text: said, fileIds, ...(target ? { branch: target } : {}) };
        })
      : [],
    branch: readBranch(branch),
    dropped: files.length - sound.length,
  };
}

function readBranch(stored: unknown): StoredBranch | null {
  const target = readTarget(stored);
  if (!target) return null;
  const { text, fileIds } = ((stored as { head?: unknown }).head ?? {}) as Record<'text' | 'fileIds', unknown>;
  const ids: unknown[] = Array.isArray(fileIds) ? fileIds : [];
  return {
    ...target,
    head: { text: typeof text === 'string' ? text : '', fileIds: ids.filter((id) => typeof id === 'string') },
  };
}

function isSent(message: unknown): message is SentMessage {
  const { itemId, text, fileIds } = (message ?? {}) as Record<keyof SentMessage, unknown>;
  return typeof itemId === 'string' && isOwnId(itemId) && typeof text === 'string' && Array.isArray(fileIds);
}

/** Its bytes are not gone through: with eight pictures that alone would be a long task. */
function isAttachment(file: unknown): file is DraftAttachment {
  const { id, kind, name, mimeType, data } = (file ?? {}) as Record<keyof DraftAttachment, unknown>;
  const isKind =
    kind === 'text' || (kind === 'image' && typeof mimeType === 'string' && IMAGE_TYPES.includes(mimeType));
  if (!isKind || !isText(id, MAX_NAME_CHARS) || !isText(name, MAX_NAME_CHARS) || !isText(data, MAX_DATA_CHARS))
    return false;
  return isText(mimeType, MAX_TYPE_CHARS) && (kind === 'text' || data !== '');
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most;
}

/** The store, and a promise for the end of all writes that are on their way: a window that closes waits for them. */
export function trackWrites(store: LocalStore): { local: LocalStore; written: () => Promise<void> } {
  const running = new Set<Promise<void>>();
  const track = (write: Promise<void>): Promise<void> => {
    running.add(write);
    const end = (): void => void running.delete(write);
    write.then(end, end);
    return write;
  };
  const local: LocalStore = {
    getDraft: (sessionId) => store.getDraft(sessionId),
    putDraft: (sessionId, draft) => track(store.putDraft(sessionId, draft)),
    draftsAlone: () => store.draftsAlone(),
    getUi: (key) => store.getUi(key),
    putUi: (key, value) => track(store.putUi(key, value)),
    loadEntries: (sessionId, wanted) => store.loadEntries(sessionId, wanted),
  };
  /** A write that ends may have led to another. */
  async function written(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running);
  }
  return { local, written };
}
