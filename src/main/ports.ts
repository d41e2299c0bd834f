/**
 * The small interfaces through which the parts of main know each other (docs/architecture.md, layers): each part is given these,
 * none imports another's inside. They carry contracts; implementations live in journal/, models/, tools/ and session/.
 */
import type { ListedSkill } from '@shared/skills';
import type { WordFile, WordsAsk } from '@shared/words';
import type { NothingReason } from '@shared/compaction/plan';
import type { AppEvent } from '@shared/ipc/contract';
import type {
  DeletedSession,
  Failure,
  ForkOrigin,
  ModelRef,
  ProviderInfo,
  StoredLine,
  SyncMark,
  TurnEnd,
  UploadAnswer,
} from '@shared/types';
import type { EntryDraft, SessionEntry, SessionHeader } from '@shared/session/records/entry';
import type { SessionTree } from '@shared/session/tree/tree';
import type { Proxies } from './network/proxy-fetch';
import type { FindRoute } from './network/proxy-route';
import type { Api, Model } from './pi/pi-types';
import type { FolderNames } from './project/folder-names';

/** Sends one event to the window; delivery is batched per frame and in order. Never throws. */
export type Emit = (event: AppEvent) => void;

/** What the person chose for a session; stands in a sidecar beside the journal (SF24). */
export interface SessionMeta {
  title: string;
  /** Where the title comes from: a name given by the person is never overwritten. */
  titleSource: 'none' | 'auto' | 'person';
  /** What the person chose; empty: a scratch folder. */
  workspace: string;
  /** What the file itself says, where the person has not chosen (docs/specs/safety.md B4). */
  suggestion?: string;
  pinned: boolean;
  archived: boolean;
  createdAt: number;
  updatedAt: number;
  preview: string;
  /** Made with the demo model from the tour or the first start. */
  demo: boolean;
  /** The session that the app first opened on (WN18). */
  tour?: boolean;
  /** What it was forked from (GR18). */
  fork?: ForkOrigin;
  /** It is one of two copies of a session that went on in two places. */
  conflict?: SessionConflict;
}

/** How a session that was set apart differs from the one it was part of (docs/specs/safety.md, E1). */
interface SessionConflict {
  /** The session whose file stayed in its place. */
  with: string;
  /** Messages that only that one has, and that only this one has. */
  there: number;
  here: number;
  /** Unix milliseconds of the first record that not both have; null if unknown, or if they share nothing. */
  since: number | null;
  /** No record of one is in the other. */
  sharesNothing?: boolean;
  /** The person has seen the notice. */
  isRead: boolean;
  /** The file in its place is that of another session, the one of this id. */
  fileOf?: string;
  /** This one lay beside the file; else it is what was saved here before the file was changed. */
  isCopy?: boolean;
}

export interface FoundInstead {
  /** `a folder` */
  what: string;
  /** Null: there was nothing to keep. */
  keptAs: string | null;
}

/**
 * What was wrong with a journal that was written anew. `older`: it ended before what the other copy has; `incomplete`: records between were not
 * there.
 */
export type JournalLoss = 'missing' | 'older' | 'incomplete' | 'damaged';

/** What came of a comparison of a session's two copies, and what the window does next. */
export type Reconciled = { answer: UploadAnswer } &
  /**
   * `wrote`: not from the database, but from a file beside the journal: `here`, what was open here when another program replaced the file;
   * `elsewhere`, a copy that such a program laid there. `found`: what was in its place if that was no session file,
   * and the name under which it is kept beside it.
   */
  (
    | { kind: 'rebuilt'; log: SessionLog; was: JournalLoss; wrote?: 'here' | 'elsewhere'; found?: FoundInstead }
    /** `merged`: how many messages another program put between ours. */
    | { kind: 'kept'; merged?: { sessionId: string; messages: number } }
    /** The copy is a session of its own now; it may have been one before (`wasThere`). */
    | { kind: 'apart'; log: SessionLog; from: string; wasThere: boolean }
  );

/** A record just made durable: the parsed entry, its exact line, the running CRC after it. */
export interface AppendedRecord {
  entry: SessionEntry;
  line: StoredLine;
  crc: number;
  /** The running CRC before it. */
  crcBefore: number;
}

/** One open session: the journal as write-ahead log and the tree as its index (JN4, JN9). */
export interface SessionLog {
  readonly sessionId: string;
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  /** Sentences about what could not be read, for the person. */
  readonly damage: readonly string[];
  /**
   * Appends a batch: one write, fsync, then tree, then listeners. Parent is the leaf at the moment of writing unless
   * `parentId` is given. Calls are queued in order. Rejects with `StorageError` (`Could not save: <reason>`); then file,
   * tree and leaf are as before.
   */
  append(drafts: readonly EntryDraft[], options?: { parentId?: string | null }): Promise<AppendedRecord[]>;
  /** Persists a leaf move (`espalier.leaf`). Unknown id: `Entry <id> not found`. */
  moveLeaf(id: string | null, reason: string): Promise<void>;
  /** Bodies in the order of `ids`, from memory or from the file. Unknown ids are left out. */
  loadBodies(ids: readonly string[]): Promise<SessionEntry[]>;
  /** Makes every body resident that the context at the leaf needs and lets the others go. */
  loadContextBodies(): Promise<void>;
  /** Exact lines of the given entries, and of second records by the names of their rows (SF18). */
  linesOf(ids: readonly string[]): Promise<StoredLine[]>;
  /**
   * All records from `fromSeq` on, in chunks of at most 100 lines, with the running CRC after each chunk. Throws where the log is closed
   * before the last.
   */
  lines(fromSeq: number): AsyncIterable<{ lines: StoredLine[]; crc: number }>;
  mark(): SyncMark;
  /** Called after each durable append, in order. Returns the function that ends it. */
  onAppended(listener: (records: readonly AppendedRecord[]) => void): () => void;
  /** Keeps the file open for what is read piece by piece, also past `close`, until the returned function was called. */
  lease(): () => Promise<void>;
  /** Lets go of the log: its file is closed as soon as nobody reads it any more. */
  close(): Promise<void>;
}

/** A file among the journals that is not a session. */
export interface ForeignFile {
  /** In two or three words: `a picture (PNG)`. */
  what: string;
  /** When it was written, Unix milliseconds. */
  at: number;
}

/** What is known of a session that is made from lines. */
export interface MadeFrom {
  workspace: string;
  parentSession?: string;
  demo?: boolean;
  tour?: boolean;
  title?: string;
  fork?: ForkOrigin;
}

/** A session's line in the list. */
export interface ListedSession {
  sessionId: string;
  meta: SessionMeta;
  entryCount: number;
  compactions: number;
  damage: string[];
  /** As far as the end of the file tells (NT1); else `none`. */
  turn: TurnEnd;
  foreign?: ForeignFile;
}

/** A session that is here, by the id that its file had where it came from. */
export interface ImportedFrom {
  sourceId: string;
  sessionId: string;
  /** How long that file was. */
  bytes: number;
}

/** One of many files that are imported. */
export interface TakeIn {
  /** Sessions that may be of the same file. */
  among: readonly string[];
  /** Whether a session may be let go of now, to go on with what the file has more. */
  mayGrow(sessionId: string): Promise<boolean>;
  /** Where it works; absent: its file's folder is a suggestion. */
  workspace?: string;
  signal: AbortSignal;
  /** How far the file was read; may go back. */
  onBytes(upTo: number): void;
}

/**
 * What became of a file. `here`: all of it was in a session; `grown`: one has what the file has more; `second`: it is another session of
 * the same id; `busy`: a session that it goes on with is at work.
 */
export type TakenIn =
  | { kind: 'here' | 'busy'; sessionId: string }
  | {
      kind: 'imported' | 'second' | 'grown';
      sessionId: string;
      listed: ListedSession;
      /** Its lines were brought into the form of version 3. */
      isMigrated: boolean;
    };

/** All sessions on disk. */
export interface SessionStore {
  /** Ids with meta and record count, without opening the journals. */
  list(): Promise<ListedSession[]>;
  /** A new session in memory; its file is created at the first user message (JN1). */
  /** `id`: rejects if there is, or was, a session of that id. */
  create(options: { workspace: string; parentSession?: string; demo?: boolean; id?: string }): Promise<SessionLog>;
  /**
   * A new session whose file is written at once and as a whole: its header, then the lines made for it, without newlines. Rejects
   * with `StorageError`, or with what `lines` throws; then there is no session.
   */
  createFrom(options: MadeFrom, lines: (header: SessionHeader) => AsyncIterable<string[]>): Promise<SessionLog>;
  /** The session whose file has an entry of this id, newest file first; null if none has. Reads files in chunks. */
  findEntry(entryId: string, except: readonly string[]): Promise<string | null>;
  /** Opens or returns the open log. Rejects with a plain message if the file is gone or no session. */
  open(sessionId: string): Promise<SessionLog>;
  /**
   * All records from `fromSeq` on, in chunks as `SessionLog.lines` gives them. The log stays open until the last was taken, whoever
   * closes it meanwhile; only where the file is moved or replaced the chunks end early.
   */
  lines(sessionId: string, fromSeq: number): AsyncGenerator<{ lines: StoredLine[]; crc: number }>;
  meta(sessionId: string): SessionMeta | undefined;
  /** Sessions that were set apart and whose notice was not read. */
  unreadConflicts(): string[];
  /** Sessions of earlier runs in which nothing was said and that the person named or pinned (JN49). */
  named(): string[];
  setMeta(sessionId: string, patch: Partial<SessionMeta>): Promise<void>;
  /** Copies a foreign session file into the store (SF2, SF15, SF21); the file itself is never written. */
  importFile(path: string): Promise<SessionLog>;
  /** Which sessions are here, by the ids that their files had. Reads what stands beside the journals. */
  importedFrom(): Promise<ImportedFrom[]>;
  /** The same of one of many files: no session is opened for it, and what is here already is not imported again. @throws where nothing of it was taken */
  takeIn(path: string, asked: TakeIn): Promise<TakenIn>;
  /** Writes the session to `path`: our journal byte for byte (false), the original bytes of an import (true), or what is made of the journal. */
  exportTo(
    sessionId: string,
    path: string,
    what: boolean | ((journal: string, signal: AbortSignal) => AsyncIterable<Uint8Array>),
  ): Promise<void>;
  /** Moves a session's files to the trash, kept for 30 days. Resolves with how far the journal went; null if that can't be told. */
  trash(sessionId: string): Promise<SyncMark | null>;
  restore(sessionId: string): Promise<SessionLog>;
  /** Marks of all sessions, from the index files, for the comparison with the database. */
  marks(): Promise<SyncMark[]>;
  /** How many messages there are from record `seq` on if they do not go on where those before it ended: 0 if they do. What follows nothing in the file loses the leaf. */
  strayedFrom(sessionId: string, seq: number): Promise<number>;
  /** The running CRC after record `seq` of a session, from its index; null if it has no such record. */
  crcAt(sessionId: string, seq: number): Promise<number | null>;
  /** The sessions in the trash, deleted last first. */
  deletedSessions(): Promise<DeletedSession[]>;
  /** Removes the session deleted last under this id from the trash, with what belongs to it. Nothing brings it back. */
  deleteForGood(sessionId: string): Promise<void>;
  /** Ids of sessions in the trash: the database forgets them instead of bringing them back. */
  trashed(): Promise<string[]>;
  /** The running CRC after record `seq` of a session in the trash; null if it has no such record. Reads the file. */
  trashedCrcAt(sessionId: string, seq: number): Promise<number | null>;
  /** Brings the database's lines of a session and its journal together; nothing that only one of them has is lost. */
  reconcile(sessionId: string, lines: AsyncIterable<StoredLine[]>): Promise<Reconciled>;
  /** Copies of sessions that a sync program laid beside their journals, or that were left aside here: each is brought together with its session. `closing`: that session is closed first. */
  takeStrays(closing?: string): Promise<Reconciled[]>;
  close(): Promise<void>;
}

export type ResolvedModel =
  | {
      ok: true;
      model: Model<Api>;
      apiKey: string;
      headers: Record<string, string>;
      /** The proxies that its requests go through. */
      proxies: Proxies;
    }
  | { ok: false; failure: Failure };

/** Models and keys. */
export interface ModelRegistry {
  providers(): ProviderInfo[];
  find(ref: ModelRef): Model<Api> | undefined;
  /** Model with its key at this moment: keys may change between two requests of one run. Never throws. */
  resolve(ref: ModelRef): Promise<ResolvedModel>;
  /** The model of a new session: the default of the settings if it can be used, else the demo model. */
  initialModel(): ModelRef;
  /** W of TK8: the configured window or the smaller limit learned from an overflow; 0 if unknown. */
  effectiveWindow(ref: ModelRef): number;
  learnWindow(ref: ModelRef, tokens: number): void;
  /** A request of so many tokens was answered: a smaller window that was learned is raised. */
  noteServed(ref: ModelRef, tokens: number): void;
  /** The key of the person's own summary endpoint (`compaction.remoteAuth`), if one is kept. */
  remoteKey(): string | undefined;
  /** How an address is reached at this moment (WN25). */
  readonly findRoute: FindRoute;
}

/** The project's own notes as they stand in the system prompt. */
export interface Guidance {
  name: string;
  content: string;
  /** Where it was read: relative to the workspace, links resolved. */
  path: string;
  /** Size of the whole file. */
  bytes: number;
  /** Only its beginning is in the prompt. */
  isCut: boolean;
}

/** A file under a name of guidance. */
export interface GuidanceFile {
  name: string;
  /** Of what stands under that name, which may be a link. */
  bytes: number;
  isFile: boolean;
  /** Where a link leads; null: to nothing. Undefined: it is none. */
  target: string | null | undefined;
  /** Another one after each change of what is said there; null where nothing is. */
  version?: string | null;
  /** `second`: another one is read before it. `unread`: no tool may read it, it can't be read, or it lies outside. */
  use: 'read' | 'second' | 'empty' | 'unread';
  /** Why no tool may read it, as a sentence. */
  refusal?: string;
}

export interface ProjectLook {
  isTrusted: boolean;
  /** Null where the person has not trusted the folder. */
  guidance: Guidance | null;
  /** The folder does not answer now; nothing of it is known. */
  isSilent?: true;
}

/** What the person wants to be told to every model (EX21). */
export interface Instructions {
  everywhere: string;
  /** In this workspace. */
  here: string;
}

/** What a session learns of its folder by itself, without a tool being called (docs/specs/safety.md B1). Never rejects. */
export interface ProjectDoor {
  look(folder: string): Promise<ProjectLook>;
  /** Lines for the system prompt. May run git, in a trusted folder. */
  facts(folder: string): Promise<string[]>;
  /** What would be read as guidance in a folder if the person trusted it. */
  guidanceFiles(folder: string): Promise<GuidanceFile[]>;
  /** What a folder would bring if the person trusted it, by names. Rejects with a sentence where it does not answer. */
  folderNames(folder: string): Promise<FolderNames>;
  /** Skills or templates, the person's own first, then those of the folder, if there is one that they trust, then those of packages and of `paths`. Two may have one name. */
  words(folder: string | null, ask: WordsAsk, paths?: readonly string[]): Promise<WordFile[]>;
  /** The skills that models in this folder are told of. */
  skills(folder: string, paths?: readonly string[]): Promise<ListedSkill[]>;
  instructions(folder: string): Instructions;
  /**
   * The notes of folders within a trusted workspace, by the folders' paths from there: those of them that have some. Absolute paths of
   * files are given; links that lead out are not followed.
   */
  nestedGuidance(folder: string, files: readonly string[]): Promise<Guidance[]>;
}

/** What the parts of main may write to. Texts only; nothing that came from a person or a model. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** How a compaction ended. */
export type CompactionOutcome =
  | { kind: 'done'; entryId: string; tokensBefore: number; tokensAfter: number; cost: number; durationMs: number }
  | { kind: 'nothing'; reason: NothingReason; text: string }
  | { kind: 'aborted' }
  /** `tried`: nobody could write the summary, these were asked. */
  | { kind: 'failed'; message: string; tried?: readonly ModelRef[] };
