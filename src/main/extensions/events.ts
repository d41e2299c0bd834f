/** The events that extensions hear, with the names and shapes of EX3, EX4. Tokens unless a unit is given. */
import type { FileOps } from '@shared/compaction/file-activity';
import type { CompactionReason } from '@shared/compaction/summary-job';
import type {
  BranchSummaryEntry,
  CompactionEntry,
  ProjectedMessage,
  SessionEntry,
  Usage,
} from '@shared/session/records/entry';
import type { ChainedRunEvents, ToldRunEvents } from './run-events';

/** What a compaction is about to do. */
interface CompactionPreparation {
  firstKeptEntryId: string;
  /** Whole turns before the cut, oldest first. */
  messagesToSummarize: ProjectedMessage[];
  /** The beginning of the turn that the cut divides, if it does. */
  turnPrefixMessages: ProjectedMessage[];
  isSplitTurn: boolean;
  tokensBefore: number;
  previousSummary?: string;
  /** Of both lists and of the compaction that this one builds on. */
  fileOps: Pick<FileOps, 'read' | 'written' | 'edited'>;
  settings: { enabled: boolean; reserveTokens: number; keepRecentTokens: number };
}

/** A summary that an extension wrote. `firstKeptEntryId` null keeps nothing word for word. */
interface SuppliedCompaction {
  summary: string;
  firstKeptEntryId: string | null;
  tokensBefore: number;
  details?: unknown;
  shortSummary?: string;
  preserveData?: Record<string, unknown>;
  usage?: Usage;
}

export interface BeforeCompact {
  preparation: CompactionPreparation;
  /** All entries of the branch, root first. */
  branchEntries: SessionEntry[];
  /** What the person asked to look at in particular. */
  customInstructions?: string;
  reason: CompactionReason;
  /** The request that a provider refused is sent again afterwards. */
  willRetry: boolean;
  /** Aborts when the job ends before the answer, or when the answer comes too late to count. */
  signal: AbortSignal;
}

export interface Compacting {
  sessionId: string;
  /** History and divided turn, oldest first. */
  messages: ProjectedMessage[];
  signal: AbortSignal;
}

interface CompactingAnswer {
  /** Lines for every request of the summary. */
  context?: string[];
  /** Stands in for our prompt where the history is summarised. */
  prompt?: string;
  preserveData?: Record<string, unknown>;
}

export interface AutoCompactionResult {
  summary: string;
  shortSummary?: string;
  firstKeptEntryId: string | null;
  tokensBefore: number;
  estimatedTokensAfter: number;
  details: unknown;
  usage?: Usage;
  preserveData?: Record<string, unknown>;
}

/** What a navigation is about to do. */
export interface TreePreparation {
  /** null: before the first entry. */
  targetId: string | null;
  oldLeafId: string | null;
  commonAncestorId: string | null;
  /** Of the branch that is left, oldest first. */
  entriesToSummarize: SessionEntry[];
  userWantsSummary: boolean;
  customInstructions?: string;
  /** The instructions stand in place of the prompt. */
  replaceInstructions?: boolean;
  label?: string;
}

interface BeforeTree {
  preparation: TreePreparation;
  /** Aborts when the navigation ends before the answer, or when the answer comes too late to count. */
  signal: AbortSignal;
}

interface BeforeTreeAnswer {
  cancel?: boolean;
  /** Counts only if a summary was asked for. */
  summary?: { summary: string; details?: unknown; usage?: Usage };
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

/** Events whose handlers may answer. */
export interface AskedEvents {
  session_before_tree: { payload: BeforeTree; answer: BeforeTreeAnswer };
  session_before_fork: {
    payload: { entryId: string | null; position: 'before' | 'at'; signal: AbortSignal };
    answer: { cancel?: boolean };
  };
  session_before_switch: {
    payload: { reason: 'new' | 'resume'; targetSessionFile?: string; signal: AbortSignal };
    answer: { cancel?: boolean };
  };
  session_before_compact: { payload: BeforeCompact; answer: { cancel?: boolean; compaction?: SuppliedCompaction } };
  'session.compacting': { payload: Compacting; answer: CompactingAnswer };
}

/** Events whose handlers each get what the one before made of the payload. */
export interface ChainedEvents extends ChainedRunEvents {
  /** What every handler answers is added up. */
  resources_discover: {
    payload: { cwd: string; reason: 'startup' | 'reload' };
    answer: { skillPaths?: string[]; promptPaths?: string[]; themePaths?: string[] };
  };
}

export type SessionStartReason = 'startup' | 'reload' | 'new' | 'resume' | 'fork';

/** Events that only tell. */
export interface ToldEvents extends ToldRunEvents {
  session_start: { payload: { reason: SessionStartReason; previousSessionFile?: string }; answer: void };
  /** The window shows this session now. */
  session_switch: { payload: { reason: 'new' | 'resume'; previousSessionFile?: string }; answer: void };
  session_shutdown: {
    payload: { reason: 'quit' | 'reload' | 'new' | 'resume' | 'fork'; targetSessionFile?: string };
    answer: void;
  };
  session_info_changed: { payload: { name: string | undefined }; answer: void };
  session_tree: {
    payload: {
      newLeafId: string | null;
      oldLeafId: string | null;
      summaryEntry?: BranchSummaryEntry;
      /** The summary is an extension's. */
      fromExtension?: boolean;
    };
    answer: void;
  };
  /** A fork is made, and told to it; `previousSessionFile` is the file of its source. */
  session_fork: { payload: { reason: 'fork'; previousSessionFile: string }; answer: void };
  session_compact: {
    payload: {
      compactionEntry: CompactionEntry;
      fromExtension: boolean;
      reason: CompactionReason;
      willRetry: boolean;
    };
    answer: void;
  };
  session_compact_failed: {
    payload: {
      reason: CompactionReason;
      errorMessage?: string;
      aborted: boolean;
      /** False: after a failure nothing is sent again by itself. */
      willRetry: boolean;
      /** An extension cancelled it, or the summary that could not be stored was an extension's. */
      fromExtension: boolean;
    };
    answer: void;
  };
  /** Aliases for the compactions that nobody asked for. */
  auto_compaction_start: { payload: { reason: CompactionReason; action: 'compact' }; answer: void };
  auto_compaction_end: {
    payload: { result?: AutoCompactionResult; aborted: boolean; willRetry: boolean; errorMessage?: string };
    answer: void;
  };
}

type ExtensionEvents = AskedEvents & ChainedEvents & ToldEvents;
export type EventName = keyof ExtensionEvents;
export type Payload<E extends EventName> = ExtensionEvents[E]['payload'];

/** What a handler is told beside the payload. */
export interface HandlerMoment {
  sessionId: string;
  /** Aborts with the job, and when the handler's time is up. */
  signal: AbortSignal;
  /** The handler asks the person something: its time stands still until the returned function is called. */
  waitForPerson: () => () => void;
}

/** What an extension registers. It may answer now or later, with nothing if it has nothing to say. */
export type Handler<E extends EventName> = (
  payload: Payload<E> & { type: E },
  moment: HandlerMoment,
) => ExtensionEvents[E]['answer'] | undefined | void | Promise<ExtensionEvents[E]['answer'] | undefined | void>;

/** Something that an extension did wrong. */
export interface ExtensionError {
  extensionPath: string;
  event: EventName;
  error: string;
  stack?: string;
}
