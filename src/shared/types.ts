import type { Settings } from './settings';
import type { TourMark } from './tour';

/** The data that crosses between main and the window. Everything here is plain JSON. */

/** One line of the sessions list. `updatedAt` is Unix milliseconds. */
export interface SessionSummary {
  id: string;
  title: string;
  /** The folder that it works in: a scratch one until the person has chosen one. */
  workspace: string;
  createdAt: number;
  updatedAt: number;
  entryCount: number;
  pinned: boolean;
  archived: boolean;
  state: SessionState;
  /** How its newest turn ended, while it is at rest. */
  turn: TurnEnd;
  /** What it waits for the person with; absent: nothing. */
  waiting?: Waiting;
  /** First words of the newest visible message. */
  preview: string;
  compactions: number;
  demo: boolean;
  /** The session that the app first opened on (WN18). */
  tour?: boolean;
  /** What it was forked from (GR18); that session may be gone. */
  fork?: ForkOrigin;
  /** Sentences about damage found in the session's files, for the notice in the transcript. */
  damage: string[];
  /** It is no session: what its file is instead, in two or three words. */
  foreign?: string;
}

/** Where a fork comes from (GR18). */
export interface ForkOrigin {
  /** The session. */
  of: string;
  /** Its entry that the fork goes on from, where that is known. */
  at?: string;
  /** What it was called then; empty: not known. */
  title: string;
}

/** How a turn ended; `unanswered`: a crash or a quit cut it off, or the person stopped a call of it. */
export type TurnEnd = 'none' | 'finished' | 'failed' | 'stopped' | 'unanswered';

/** What a session asks the person. */
export interface Waiting {
  /** In visible form and short: `run npm test`. */
  what: string;
  /** Further questions that are open. */
  more: number;
  /** Unix milliseconds. */
  since: number;
}

/** What sessions take of the disk, in bytes (WN15). */
export interface StorageSizes {
  /** With all that lies beside their journals, the largest first. */
  sessions: { id: string; bytes: number }[];
  /** Of all that is kept of deleted sessions, and copies of journals that were replaced. */
  trash: number;
  /** False: there are so many files that not all were looked at. */
  isWhole: boolean;
}

/** A session in the trash. */
export interface DeletedSession {
  id: string;
  title: string;
  /** First words of its newest visible message. */
  preview: string;
  /** Unix milliseconds. */
  deletedAt: number;
  /** Of its journal. */
  bytes: number;
}

export type SessionState = 'idle' | 'streaming' | 'waiting' | 'retrying' | 'compacting' | 'summarising' | 'error';

/** A wait before the next attempt. */
export interface RetryWait {
  attempt: number;
  maxAttempts: number;
  /** Unix milliseconds at which the next attempt starts. */
  until: number;
  errorMessage: string;
}

/** A record of a session file as both stores hold it. `line` is the exact text without its newline. */
export interface StoredLine {
  seq: number;
  /** Entry id; empty for the header and for lines that are no entries. */
  id: string;
  line: string;
}

/** How far a store has a session: `seq` of the last record, `crc` the running CRC-32 over all lines up to it. */
export interface SyncMark {
  sessionId: string;
  seq: number;
  crc: number;
}

/** What the window does with its rows of a session after it handed them in. */
export type UploadAnswer =
  | { then: 'nothing' }
  /** The journal has all of them: its lines take their place. They are in the trash. */
  | { then: 'replace' }
  /** The session was deleted; what it had is in the trash. */
  | { then: 'drop' }
  /** They are those of another session now, under its header; `crc`: the running CRC over all of them with that header. */
  | { then: 'move'; to: string; header: StoredLine; crc: number };

export interface Attachment {
  kind: 'image' | 'text';
  name: string;
  mimeType: string;
  /** base64 for images, the text itself for text files. */
  data: string;
}

export interface QueueItem {
  id: string;
  text: string;
  attachments: Attachment[];
  mode: 'steer' | 'followUp';
  createdAt: number;
  /** True after Stop or a restart: it waits for Send or Remove (QU6). */
  held: boolean;
  /** Of a prepared branch (GR13): the entry that it follows; null: it begins anew. Absent: the message is for HEAD. */
  parentId?: string | null;
  /** Who says it; absent: the person. */
  source?: 'interactive' | 'extension';
  /** With `parentId`: a summary of what stays behind is taken along. */
  summary?: BranchSummaryChoice;
  /** With `parentId`: the message that it is another version of; absent: it begins a branch of its own (GR5). */
  versionOf?: string;
  /** Why a prepared branch was not begun, in a sentence. Not stored. */
  problem?: string;
}

/** How the summary of a branch that is left is to be written (BR4). */
interface BranchSummaryChoice {
  instructions?: string;
}

export interface ModelRef {
  provider: string;
  modelId: string;
}

export interface ModelInfo extends ModelRef {
  name: string;
  contextWindow: number;
  maxTokens: number;
  reasoning: boolean;
  thinkingLevels: string[];
  images: boolean;
  /** The window that an error of its server told of, in tokens, and when (Unix milliseconds). */
  learnedWindow?: { tokens: number; at: number };
  /** US dollars per million tokens. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

export type KeySource = 'none' | 'stored' | 'session' | 'plain' | 'environment' | 'notNeeded';

export interface ProviderInfo {
  id: string;
  name: string;
  kind: 'builtin' | 'custom' | 'local' | 'demo' | 'extension';
  /** The extension that brings it. */
  extension?: string;
  /** Code of that extension sends its requests, with the key that the person entered (EX25). */
  givesKey?: boolean;
  keySource: KeySource;
  /** Name of the environment variable that holds the key, if that is where it comes from. */
  environmentName?: string;
  baseUrl?: string;
  available: boolean;
  /** Why it is not available, where that is not simply a missing key. */
  problem?: string;
  models: ModelInfo[];
}

export interface EndpointDraft {
  id: string;
  name: string;
  api: 'openai-completions' | 'openai-responses' | 'anthropic-messages';
  baseUrl: string;
  headers: Record<string, string>;
  models: {
    id: string;
    name?: string;
    contextWindow: number;
    maxTokens: number;
    images: boolean;
    reasoning: boolean;
  }[];
}

export interface ContextUsage {
  tokens: number;
  window: number;
  percent: number | null;
  threshold: number | null;
  reserve: number;
  exact: boolean;
  /** Tokens that the last reply reported and that can't be, so that `tokens` is an estimate; null: there is nothing such. */
  implausible: number | null;
  breakdown: Record<MeterPart, number>;
  largest: { entryId: string; label: string; tokens: number }[];
  /** Share of the last reply's prompt that was read from the cache, 0 to 100; null where its provider told nothing of one. */
  cachePercent: number | null;
  /** US dollars so far, of what had a price. */
  cost: number;
  /** Providers that were asked for what came without one, free ones among them; absent: none. */
  unpriced?: string[];
  autoCompaction: boolean;
}
export type MeterPart =
  'system' | 'skills' | 'tools' | 'summary' | 'pins' | 'messages' | 'toolOutputs' | 'images' | 'thinking';

/** A reply that is being streamed, as it stands. */
export interface LiveReply {
  streamId: string;
  provider: string;
  model: string;
  startedAt: number;
  blocks: { kind: 'text' | 'thinking' | 'toolCall'; text: string; toolName?: string; toolCallId?: string }[];
}

export interface LiveTool {
  toolCallId: string;
  toolName: string;
  /** Unix milliseconds; null while it waits for its turn or for the person. */
  startedAt: number | null;
  /** The last part of what the command printed. */
  tail: string;
}

export interface Failure {
  title: string;
  detail: string;
  actions: FailureAction[];
  /** The person stopped it: the turn is not finished, but nothing went wrong. */
  stopped?: true;
}
export type FailureAction = 'retry' | 'continue' | 'compact' | 'undo' | 'drop' | 'settings' | 'model' | 'dismiss';

export interface Notice {
  level: 'info' | 'warning' | 'error';
  code: string;
  text: string;
  detail?: string;
  /** Further sentences, one below the other. */
  items?: string[];
  sessionId?: string;
  /** The two sessions that one became; the first is the one whose notice was read when this one is dismissed. */
  conflict?: { sessionId: string; title: string }[];
}

export interface Bootstrap {
  version: string;
  platform: string;
  home: string;
  scratchDir: string;
  settings: Settings;
  settingsProblems: string[];
  sessions: SessionSummary[];
  providers: ProviderInfo[];
  keyring: 'available' | 'unavailable';
  systemDark: boolean;
  notices: Notice[];
  /** Where the person's files are, for the Data panel. */
  paths: {
    data: string;
    logs: string;
    /** The copy of `data` that counts from the next start (SY13); null: none waits. */
    next: string | null;
    /** Where `data` was before, if that is still there. */
    former: string | null;
    /** `ESPALIER_HOME` says where `data` is: it is not moved. */
    isFixed: boolean;
  };
  /** The session that ended the window while it was drawn: it is not opened by itself. */
  afterBlank: { sessionId: string; reason: 'blank' | 'gone' | 'hang' | 'twice' } | null;
  /** The session that the window showed last; it may be gone. */
  lastShown: string | null;
  /** `ESPALIER_DISABLE_AUTOCOMPACT` forces automatic compaction off, whatever the setting says. */
  autoCompactionForcedOff: boolean;
  /** The app runs on an older Electron than it ships with. */
  developmentRuntime: boolean;
  desktop: DesktopSupport;
  /** Coach marks of the tour that are never shown again. */
  tourSeen: TourMark[];
  /** The session that the person asked for outside the window: it is shown at what it asks. */
  attend: string | null;
  /** The first event batch whose events this does not hold. */
  nextBatch: number;
}

/** What the system around the window can show of sessions that wait (NT3). */
export interface DesktopSupport {
  notifications: boolean;
  /** A count at the app's icon. */
  badge: boolean;
}

/** A file that the person chose in a dialog or dropped. */
export interface ChosenFile {
  /** Stands for its path, which the window never gives: for one use, for a while (`main/ipc/chosen-files.ts`). */
  handle: string;
  name: string;
}

export interface AppFailure {
  code: 'invalid' | 'refused' | 'not-found' | 'busy' | 'storage' | 'network' | 'internal';
  message: string;
  /** Nobody could write a summary: these were asked, others can be offered. */
  tried?: ModelRef[];
}
export type IpcResult<T> = { ok: true; value: T } | { ok: false; error: AppFailure };

/**
 * What a file is to the guidance of the workspace: `now`: what is read with the next message, or would be once it is there;
 * `other`: a file of such a name elsewhere, the second one, or one that such a name leads to; `code`: no guidance, but code of an
 * extension, which the app runs.
 */
export type GuidanceRole = 'now' | 'other' | 'code';

/** What the window shows of a session's folder. */
export interface WorkspaceStatus {
  folder: string;
  /** `silent`: it does not answer; that it does again is told by `trust_changed`. */
  trust: 'trusted' | 'restricted' | 'scratch' | 'missing' | 'silent';
  /** Another folder stands where the person trusted one. */
  isReplaced: boolean;
  /** Not trusted, but the person allowed reading here until the session is closed. */
  isReadingAllowed: boolean;
  /** The project's notes that the model is given; null if there are none, or none are read here. */
  guidance: { name: string; path: string; bytes: number; isCut: boolean } | null;
  /** Where an imported session says that it was made; the person has not chosen it. */
  suggestion: string | null;
}

/** A folder of sessions that the person has not trusted. */
interface KnownFolder {
  id: string;
  path: string;
  sessions: number;
}

/** What the window shows of folders and of the trust in them. */
export interface TrustList {
  /** `trustedAt`: Unix milliseconds. */
  trusted: { id: string; path: string; trustedAt: number; isReplaced: boolean }[];
  known: KnownFolder[];
}

/** The code of the notice that offers the folders of earlier sessions. */
export const TRUST_OFFER = 'trust-offer';
