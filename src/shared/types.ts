/** The data that crosses between main and the window. Everything here is plain JSON. */
import type { Settings } from './settings';

/**
 * What a file is to the guidance of the workspace: `now`: what is read with the next message, or would be once it is there;
 * `other`: a file of such a name elsewhere, the second one, or one that such a name leads to.
 */
export type GuidanceRole = 'now' | 'other';

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
  /** First words of the newest visible message. */
  preview: string;
  compactions: number;
  demo: boolean;
  /** Sentences about damage found in the session's files, for the notice in the transcript. */
  damage: string[];
  /** It is no session: what its file is instead, in two or three words. */
  foreign?: string;
}

export type SessionState = 'idle' | 'streaming' | 'waiting' | 'retrying' | 'compacting' | 'summarising' | 'error';

/** Why a compaction runs (EV2). */
export type CompactionReason = 'manual' | 'threshold' | 'overflow';

/** What the one job that writes a summary may be for (EV10). */
export type JobKind = 'compaction' | 'leave' | 'bringOver' | 'handoff';

/** A summary on its way, as the window shows it. Tokens. */
export type LiveJob = JobProgress & (CompactionFacts | BranchFacts);

interface JobProgress {
  phase: 'plan' | 'write' | 'review' | 'commit';
  /** What is written; `hooks`: extensions are asked. */
  part: 'hooks' | 'history' | 'prefix' | 'short' | null;
  /** Summary call under way, from 1, of `steps`; 0 before the first. */
  step: number;
  steps: number;
  retry: RetryWait | null;
  /** Waits for the person to accept it. */
  review: ReviewDraft | null;
  startedAt: number;
}

interface CompactionFacts {
  kind: 'compaction';
  reason: CompactionReason;
  tokensBefore: number;
  /** What the context will come to, once planned. */
  projected: number | null;
  /** Messages that the summary will stand for, once planned. */
  messages: number | null;
}

interface BranchFacts {
  kind: Exclude<JobKind, 'compaction'>;
  /** Where the summary will stand; for a handoff null. */
  targetId: string | null;
  /** The leaf of the branch that it tells of. */
  fromId: string | null;
}

/** What a person asks of a summary: one form from the dialog to the prompt. */
export interface SummaryInstructions {
  /** What to look at in particular. */
  instructions?: string;
  /** They stand in place of the prompt, not behind it. */
  replaceInstructions?: boolean;
  /** Writes the summary, if it can: asked first of all. */
  model?: ModelRef;
  /** The summary waits for the person; absent: the setting decides. */
  review?: boolean;
  /** The first kept entry (PL13); absent: planned. */
  cutAt?: string;
}

/** A wait before the next attempt. */
export interface RetryWait {
  attempt: number;
  maxAttempts: number;
  /** Unix milliseconds at which the next attempt starts. */
  until: number;
  errorMessage: string;
}

/** A summary before it lands (SH3). */
export interface ReviewDraft {
  /** As the model wrote it, without the tags of files. */
  text: string;
  previousSummary: string | null;
  /** What the context comes to afterwards, where that changes: calibrated tokens of it, the summary aside, and of one raw token. */
  context: { rest: number; ratio: number } | null;
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
}

/** What undoing a compaction comes to, for the question before it. Tokens. */
export interface UndoPreview {
  /** Compactions after it that are undone with it, because they were made from its text. */
  later: number;
  tokensAfter: number;
  /** The window without the room for the answer; null if the window is unknown. Above it the next message compacts again. */
  hardLine: number | null;
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
  kind: 'builtin' | 'custom' | 'local' | 'demo';
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
  /** US dollars so far. */
  cost: number;
  autoCompaction: boolean;
  /** `ESPALIER_DISABLE_AUTOCOMPACT` forces it off, whatever the setting says. */
  autoCompactionForcedOff: boolean;
}
export type MeterPart = 'system' | 'tools' | 'summary' | 'pins' | 'messages' | 'toolOutputs' | 'images' | 'thinking';

export type ApprovalSubject =
  | {
      kind: 'command';
      command: string;
      cwd: string;
      timeoutMs: number;
      /** It calls git, and these are the programs that settings of the repository name. */
      gitRuns?: string[];
      /** The person changed it; what the model asked for. */
      edited?: { asked: string };
      canEdit: boolean;
    }
  | {
      kind: 'diff';
      path: string;
      diff: string;
      created: boolean;
      outside: boolean;
      /** It counts as outside because of what is mounted there. */
      onMount?: true;
      added: number;
      removed: number;
      guidance?: GuidanceRole;
    }
  | { kind: 'path'; path: string; outside: boolean; onMount?: true; why: string }
  /** A tool that is not ours: its name and all of its arguments. */
  | { kind: 'call'; text: string };

export interface ApprovalRequest {
  id: string;
  sessionId: string;
  toolCallId: string;
  tool: string;
  title: string;
  subject: ApprovalSubject;
  /** SHA-256 of exactly what was shown; the answer must carry it (QS7). */
  contentHash: string;
  createdAt: number;
  /** Which answers make sense: outside the workspace only `once`. */
  choices: ApprovalDecision[];
}
export type ApprovalDecision = 'once' | 'session' | 'always' | 'deny';

export interface ApprovalRule {
  id: string;
  tool: string;
  /** In words: the exact command or the folder. */
  what: string;
  /** Where a command may run. */
  folder?: string;
  createdAt: number;
  /**
   * Why it covers nothing now: no folder that it counts in is trusted, its command is asked each time, or what git could run has
   * changed; null: it is in force.
   */
  rest: 'untrusted' | 'asked' | 'changed' | null;
}

/** One that ends with its session. */
export interface SessionApprovalRule extends ApprovalRule {
  sessionId: string;
}

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
  startedAt: number;
  /** The last part of what the command printed. */
  tail: string;
}

/** A compaction for which nobody could write the summary: others can be offered for the same job (SU35). */
export interface SummaryFailure {
  reason: CompactionReason;
  /** The last error. */
  message: string;
  /** Who was asked. */
  tried: ModelRef[];
  job: SummaryJob;
}

/** What a compaction was asked for, so that it can be asked for again. */
interface SummaryJob extends SummaryInstructions {
  /** The compaction that is summarised again. */
  again?: string;
}

export interface Failure {
  title: string;
  detail: string;
  actions: FailureAction[];
  /** The person stopped it: the turn is not finished, but nothing went wrong. */
  stopped?: true;
}
export type FailureAction = 'retry' | 'continue' | 'compact' | 'settings' | 'model' | 'dismiss';

/** What the window shows of a session's folder. */
export interface WorkspaceStatus {
  folder: string;
  /** `silent`: it does not answer; that it does again is told by `trust_changed`. */
  trust: 'trusted' | 'restricted' | 'scratch' | 'missing' | 'silent';
  /** Another folder stands where the person trusted one. */
  isReplaced: boolean;
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

export interface TrustList {
  /** `trustedAt`: Unix milliseconds. */
  trusted: { id: string; path: string; trustedAt: number; isReplaced: boolean }[];
  known: KnownFolder[];
}

/** The code of the notice that offers the folders of earlier sessions. */
export const TRUST_OFFER = 'trust-offer';

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
  paths: { data: string; logs: string };
  /** The session that ended the window while it was drawn: it is not opened by itself. */
  afterBlank: { sessionId: string; reason: 'blank' | 'gone' | 'hang' | 'twice' } | null;
  /** The app runs on an older Electron than it ships with. */
  developmentRuntime: boolean;
  /** The first event batch whose events this does not hold. */
  nextBatch: number;
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
