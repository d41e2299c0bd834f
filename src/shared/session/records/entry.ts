/**
 * The entry union of a session (SF3 to SF14). The shapes are pi's session format v3, so that a journal is a valid
 * pi session file; what Espalier adds lives in `custom` entries and in `details`. Fields unknown to us survive.
 */

export interface SessionHeader {
  type: 'session';
  version?: number;
  id: string;
  timestamp: string;
  cwd?: string;
  parentSession?: string;
  [key: string]: unknown;
}

export interface TextBlock {
  type: 'text';
  text: string;
  textSignature?: string;
}
export interface ImageBlock {
  type: 'image';
  data: string;
  mimeType: string;
}
interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  thinkingSignature?: string;
  redacted?: boolean;
}
export interface ToolCallBlock {
  type: 'toolCall';
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  thoughtSignature?: string;
}
export type ContentBlock = TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock;

/** Token counts of one reply; cost in US dollars. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens?: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted';

export interface UserMessage {
  role: 'user';
  content: string | (TextBlock | ImageBlock)[];
  timestamp: number;
  /** `espalier.source`: who said it, where that was not the person. */
  details?: unknown;
}
export interface AssistantMessage {
  role: 'assistant';
  content: (TextBlock | ThinkingBlock | ToolCallBlock)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  timestamp: number;
}
export interface ToolResultMessage {
  role: 'toolResult';
  toolCallId: string;
  toolName: string;
  content: (TextBlock | ImageBlock)[];
  details?: unknown;
  isError: boolean;
  timestamp: number;
  /** `stopped`: it came after the person had stopped the run (AG8). */
  espalier?: { stopped?: boolean };
}
export interface BashExecutionMessage {
  role: 'bashExecution';
  command: string;
  output: string;
  exitCode?: number | null;
  cancelled?: boolean;
  truncated?: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp: number;
}
interface CustomMessage {
  role: 'custom' | 'hookMessage';
  customType?: string;
  content: string | (TextBlock | ImageBlock)[];
  display?: boolean;
  details?: unknown;
  timestamp: number;
}
/** Roles of other writers (oh-my-pi's `developer`, `pythonExecution`, `fileMention`, and ones we do not know). */
interface ForeignMessage {
  role: string;
  content?: unknown;
  timestamp?: number;
  [key: string]: unknown;
}
type KnownMessage = UserMessage | AssistantMessage | ToolResultMessage | BashExecutionMessage | CustomMessage;
export type SessionMessage = KnownMessage | ForeignMessage;

interface EntryBase {
  id: string;
  parentId: string | null;
  /** ISO 8601 with milliseconds: time of append. */
  timestamp: string;
}
export interface MessageEntry extends EntryBase {
  type: 'message';
  message: SessionMessage;
}
interface ModelChangeEntry extends EntryBase {
  type: 'model_change';
  provider: string;
  modelId: string;
}
interface ThinkingLevelChangeEntry extends EntryBase {
  type: 'thinking_level_change';
  thinkingLevel: string;
}
export interface CompactionEntry extends EntryBase {
  type: 'compaction';
  summary: string;
  firstKeptEntryId: string | null;
  tokensBefore: number;
  details?: unknown;
  usage?: Usage;
  fromHook?: boolean;
  shortSummary?: string;
  preserveData?: Record<string, unknown>;
}
export interface BranchSummaryEntry extends EntryBase {
  type: 'branch_summary';
  fromId: string;
  summary: string;
  details?: unknown;
  usage?: Usage;
  fromHook?: boolean;
}
export interface CustomEntry extends EntryBase {
  type: 'custom';
  customType: string;
  data?: unknown;
}
export interface CustomMessageEntry extends EntryBase {
  type: 'custom_message';
  customType: string;
  content: string | (TextBlock | ImageBlock)[];
  display: boolean;
  details?: unknown;
}
interface LabelEntry extends EntryBase {
  type: 'label';
  targetId: string;
  label?: string;
}
interface SessionInfoEntry extends EntryBase {
  type: 'session_info';
  name?: string;
}
/** Only read, never written (SF6). */
interface ContextEditEntry extends EntryBase {
  type: 'context_edit';
  targetId: string;
  replacement: null | { content: unknown };
}
/** Only read, never written (SF6). */
interface ResetBoundaryEntry extends EntryBase {
  type: 'reset_boundary';
}
/**
 * Stands in memory for a record that can't be read (docs/specs/safety.md A3): id and place, no message, no tokens. Never
 * written: what copies an entry takes its line.
 */
export interface OpaqueEntry extends EntryBase {
  type: 'espalier.opaque';
  /** The record annotates the session, whatever it says. */
  side: boolean;
  /** What is wrong with it, the end of a sentence: "`message.content` is a number". */
  flaw: string;
  /** The id that it has in the file, if an earlier record has it as well: its own `id` is a name for its row (SF18). */
  second?: string;
  /** The record as it was written; in the window alone. */
  line?: string;
}
/** An entry of a type that we do not know: kept as it is. */
interface UnknownEntry extends EntryBase {
  type: string & {};
  [key: string]: unknown;
}

type KnownEntry =
  | MessageEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry
  | ContextEditEntry
  | ResetBoundaryEntry;
export type SessionEntry = KnownEntry | OpaqueEntry | UnknownEntry;

/** A branch summary as a message of the context: synthesised, never written as a `message` (SF14). */
interface BranchSummaryMessage {
  role: 'branchSummary';
  summary: string;
  fromId: string;
  timestamp: number;
  /** Of its entry, unless an extension wrote it: which files its blocks name (SU13). */
  details?: unknown;
}
/** A compaction's summary as a message of the context: synthesised, never written as a `message` (SF14). */
interface CompactionSummaryMessage {
  role: 'compactionSummary';
  summary: string;
  tokensBefore: number;
  timestamp: number;
  /** As of a branch summary. */
  details?: unknown;
}
/** A message of the context, view edits applied, not yet in the words of a provider (CX1). */
export type ProjectedMessage = SessionMessage | BranchSummaryMessage | CompactionSummaryMessage;
/** What a provider is sent. */
export type LlmMessage = UserMessage | AssistantMessage | ToolResultMessage;

type Draft<T> = T extends unknown ? Omit<T, 'id' | 'parentId' | 'timestamp'> & { id?: string } : never;
/** What a caller hands to an append: the log gives it parent and time, and an id where none is given. */
export type EntryDraft = Draft<KnownEntry>;

/** Type of what stands in memory for a record that can't be read. It is never written. */
export const OPAQUE_TYPE = 'espalier.opaque';

/** True for what stands for a record that can't be read: it has its id and place and says nothing. */
export function isOpaque(entry: SessionEntry): entry is OpaqueEntry {
  return entry.type === OPAQUE_TYPE;
}

/** An operation named an entry that the session does not have. */
export class EntryNotFoundError extends Error {
  override readonly name = 'EntryNotFoundError';
  constructor(readonly entryId: string) {
    super(`Entry ${entryId} not found`);
  }
}

/** The first record of a file is not a session header. The file is left as it is (SF17). */
export class NotASessionFileError extends Error {
  override readonly name = 'NotASessionFileError';
  constructor(readonly fileName: string) {
    super(`Not a session file: ${fileName}`);
  }
}

/** A context needs bodies that are not in memory. Whoever holds the file loads them with `setBody` and asks again. */
export class MissingBodiesError extends Error {
  override readonly name = 'MissingBodiesError';
  constructor(readonly ids: string[]) {
    super(`${ids.length} entry bodies are not in memory`);
  }
}
