import type { RandomHex } from '@shared/session/ids';
import type { SessionTree } from '@shared/session/tree';
import type { AppendedRecord } from '../ports';
import type { AppendFile } from './append-file';
import type { JournalFs } from './fs';
import type { IndexWriter } from './index-file';
import type { IndexRow } from './index-format';
import type { JournalBuilder } from './journal-builder';

export interface LogSurroundings {
  fs: JournalFs;
  /** Unix milliseconds. */
  clock: () => number;
  randomHex: RandomHex;
  /** True once the app ends: a file that is being read needs no more. */
  isClosed?: () => boolean;
  log: { warn(message: string, detail?: unknown): void };
}

export interface LogParts {
  sessionId: string;
  path: string;
  indexPath: string;
  builder: JournalBuilder;
  tree: SessionTree;
  index: IndexWriter;
  /** Null: the session has no file yet. */
  file: AppendFile | null;
  unendedRow: IndexRow | null;
  /** Rows and bytes of a session without a file, the header first, and what the listeners are told once it has one. */
  held?: { rows: IndexRow[]; lines: Buffer[]; records: AppendedRecord[] };
}

/** What a log tells the store, and how it asks to stay open. */
export interface LogEvents {
  /** The first message made the file. */
  created?: () => void;
  closed?: () => void;
  /** The file that was opened is not as it was left. */
  other?: () => void;
  /** Another file took the place of its own: it goes on beside it. */
  apart?: () => void;
  /** Another program wrote so many entries behind ours that follow nothing in the file. */
  strayed?: (entries: number) => void;
  /** Whoever had it needs it no longer; absent: the log closes its file at once. */
  letGo?: () => Promise<void>;
  /** Keeps the file open until the returned function was called. */
  leased?: () => () => Promise<void>;
}
