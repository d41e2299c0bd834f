/**
 * The whole contract between main and the window: every request with its parameters, every event. Main checks the
 * sender and the parameters of each request against these schemas; the window checks the shape of each event. A request's
 * name is where it stands: `open` in `session` is `session.open`. To add one: an entry here and its handler, which the
 * compiler misses.
 */
import { z } from 'zod';
import type { MenuCommand } from '../app-menu';
import { MAX_NAME_CHARS } from '../cut-text';
import type { CompactPreview } from '../compaction/preview';
import { MAX_COMMAND_BYTES } from '../limits';
import { type ApprovalDecision, MAX_WHY_CHARS, type RuleView, type SessionRuleView } from '../policy/approval';
import { SETTING_KEYS, type SettingKey, type Settings } from '../settings';
import type { ImportState } from '../folder-import';
import { TOUR_MARKS } from '../tour';
import { PROMPT_REQUESTS } from './prompt-requests';
import { ENDPOINT } from './endpoint-schema';
import { EXTENSION_REQUESTS } from './extension-requests';
import { EXPORT, id, request, session, asked, type RequestSpec } from './request-spec';
import { IMPORT_REQUESTS } from './import-requests';
import { MCP_REQUESTS } from './mcp-requests';
import { BRANCH_REQUESTS, SEARCH_REQUESTS } from './tree-requests';
import { WORD_REQUESTS } from './word-requests';
import type { ContextHead, ContextPart, FoundEntry, PathHead } from './tree-types';
import type {
  Bootstrap,
  ChosenFile,
  DeletedSession,
  EndpointDraft,
  KeySource,
  Notice,
  ProviderInfo,
  SessionSummary,
  StorageSizes,
  StoredLine,
  SyncMark,
  TrustList,
  UploadAnswer,
  WorkspaceStatus,
} from '../types';
import type { CompactAnswer, UndoPreview } from '../compaction/summary-job';
import type { ExtensionEvent, SessionEvent } from '../session-state/events';
import type { Row, SessionSnapshot } from '../session-state/state';

const none = z.strictObject({});
const mark = z.strictObject({ sessionId: id, seq: z.int().min(-1), crc: z.int().min(0) });
const storedLine = z.strictObject({ seq: z.int().min(0), id: z.string().max(200), line: z.string() });
const CONTRACT = {
  app: {
    bootstrap: request<Bootstrap>()(none),
    ready: request<void>()(none),
    /** The answer to `closing`: what the window kept in memory is written. */
    written: request<void>()(none),
    openExternal: request<{ opened: boolean }>()(z.strictObject({ url: z.string().max(4000) })),
    /** A session is about to be drawn, stood on screen for 2 seconds, or could not be drawn at all. */
    drawing: request<void>()(z.strictObject({ ...session, state: z.enum(['begins', 'rests', 'blank', 'none']) })),
    /** Something failed in the window: for the log. */
    reportFault: request<void>()(z.strictObject({ where: z.string().max(80), text: z.string().max(6000) })),
    showInFolder: request<void>()(z.strictObject({ what: z.enum(['data', 'logs', 'skills', 'prompts', 'former']) })),
    /** To a folder that the person picks, once main has asked; resolves when all is copied. */
    moveData: request<{ next: string | null }>()(none),
    ...{ cancelMove: request<void>()(none), restart: request<void>()(none) },
  },
  sessions: {
    /**
     * In the workspace of another session; without one, in a scratch folder. `again`: under the id of a session that nothing was said in
     * when the app was closed, for the draft that was written there.
     */
    create: request<SessionSummary>()(z.strictObject({ beside: id.optional(), again: z.guid().optional() })),
    rename: request<void>()(z.strictObject({ ...session, title: z.string().max(MAX_NAME_CHARS) })),
    setPinned: request<void>()(z.strictObject({ ...session, pinned: z.boolean() })),
    setArchived: request<void>()(z.strictObject({ ...session, archived: z.boolean() })),
    delete: request<void>()(z.strictObject(session)),
    restore: request<SessionSummary>()(z.strictObject(session)),
    /** What `restore` can bring back, deleted last first. */
    deleted: request<{ sessions: DeletedSession[] }>()(none),
    /** What each takes of the disk. */
    storage: request<StorageSizes>()(none),
    /** Removes the session deleted last under this id from the trash, once main has asked the person: nothing brings it back. */
    deleteForGood: request<{ deleted: boolean }>()(z.strictObject(session)),
    /** Opens the file manager of the system at the session's file. */
    showInFolder: request<void>()(z.strictObject(session)),
    /** Files that the person chose in main's dialog; none if they closed it. */
    chooseImport: request<{ files: ChosenFile[] }>()(none),
    import: request<SessionSummary>()(z.strictObject({ file: z.string().max(100) })),
    export: request<{ path: string | null }>()(EXPORT),
    /** The person chooses a folder in main's dialog; null if they closed it. */
    chooseWorkspace: request<{ path: string | null }>()(z.strictObject(session)),
    /** The person has read that a session went on in two places (a notice with `conflict`). */
    conflictRead: request<void>()(z.strictObject(session)),
  },
  /** Of one live session: main binds it (`ipc/server.ts`), so each has `sessionId`. */
  session: {
    open: request<SessionSnapshot>()(z.strictObject(session)),
    entries: request<{ lines: StoredLine[] }>()(z.strictObject({ ...session, ids: z.array(id).max(500) })),
    ...PROMPT_REQUESTS,
    stop: request<void>()(z.strictObject(session)),
    /** `dropsLarge`: without images and long outputs, where the card of the failure offers that (TG9). */
    retry: request<void>()(z.strictObject({ ...session, dropsLarge: z.boolean().optional() })),
    skipRetryWait: request<void>()(z.strictObject(session)),
    /** `of`: what is dismissed; absent: the failure of the run. */
    dismissFailure: request<void>()(z.strictObject({ ...session, of: z.enum(['run', 'summary']).optional() })),
    setModel: request<void>()(z.strictObject({ ...session, provider: id, modelId: id })),
    setThinking: request<void>()(z.strictObject({ ...session, level: z.string().max(20) })),
    /** Resolves when the compaction has begun; how it ends comes as `job_end`. Not begun: with `asks`, at that leaf (SH2). */
    compact: request<CompactAnswer>()(
      z.strictObject({
        ...session,
        ...{ instructions: asked.instructions, model: asked.model, review: asked.review, cutAt: asked.cutAt },
        /** Afterwards the turn that ended open is gone on with. */
        retry: z.boolean().optional(),
        /** Where nothing is due, or it takes many requests, it does not begin. */
        asks: z.boolean().optional(),
      }),
    ),
    compactPreview: request<CompactPreview>()(z.strictObject(session)),
    /** Accepted, `text` is stored in place of the summary; refused if it is blank. `anew`: only what does not look like one (SU40), or is too long (SU41). */
    answerReview: request<void>()(
      z.strictObject({ ...session, answer: z.enum(['accept', 'cancel', 'anew']), text: z.string().max(1_000_000) }),
    ),
    /** Ends the summary under way, whatever it is for; the session stays as it was. */
    cancelJob: request<void>()(z.strictObject(session)),
    undoPreview: request<UndoPreview>()(z.strictObject({ ...session, entryId: id })),
    undoCompaction: request<void>()(z.strictObject({ ...session, entryId: id })),
    redoCompaction: request<void>()(z.strictObject({ ...session, entryId: id })),
    /** The same messages, a new summary in the place of the old one. Resolves when it has begun. */
    compactAgain: request<void>()(
      z.strictObject({ ...session, entryId: id, instructions: asked.instructions, model: asked.model }),
    ),
    editSummary: request<void>()(z.strictObject({ ...session, entryId: id, summary: z.string().max(1_000_000) })),
    restorePruned: request<void>()(z.strictObject({ ...session, entryId: id })),
    ...BRANCH_REQUESTS,
  },
  /** Bound to a session too. */
  queue: {
    /** All that is unsent, or one of it. */
    send: request<void>()(z.strictObject({ ...session, itemId: id.optional() })),
    /** False if it is no longer there, or just being sent. */
    remove: request<boolean>()(z.strictObject({ ...session, itemId: id })),
  },
  workspace: {
    /** Names of files in the session's folder. */
    completePath: request<{ paths: string[] }>()(z.strictObject({ ...session, query: z.string().max(500) })),
    /** Whether the person trusts the session's folder, and what of it is in force. */
    status: request<WorkspaceStatus>()(z.strictObject(session)),
    /** Opens main's own question about the session's folder. */
    review: request<{ trusted: boolean }>()(z.strictObject(session)),
  },
  trust: {
    list: request<TrustList>()(none),
    /** Folders of `trust.list` by their ids: main asks about them in its own window. */
    trustKnown: request<{ count: number }>()(z.strictObject({ ids: z.array(id).min(1).max(1000) })),
    withdraw: request<void>()(z.strictObject({ folderId: id })),
    /** The person does not want to be reminded of folders that are not trusted. */
    dismissOffer: request<void>()(none),
  },
  approvals: {
    answer: request<void>()(
      z.strictObject({
        approvalId: id,
        contentHash: z.string().max(128),
        decision: z.enum(['once', 'session', 'always', 'deny']) satisfies z.ZodType<ApprovalDecision>,
        /** With a "no": what the model is told. */
        why: z.string().max(MAX_WHY_CHARS).optional(),
      }),
    ),
    /** Puts another command into the open question, which is asked again as that call. */
    edit: request<void>()(
      z.strictObject({ approvalId: id, contentHash: z.string().max(128), command: z.string().max(MAX_COMMAND_BYTES) }),
    ),
    /** Brings main's own question to the front, where one is open. */
    showQuestion: request<void>()(none),
    rules: request<{ rules: RuleView[] }>()(none),
    removeRule: request<void>()(z.strictObject({ ruleId: id })),
    /** What is allowed until its session is closed. */
    sessionRules: request<{ rules: SessionRuleView[] }>()(none),
    removeSessionRule: request<void>()(z.strictObject({ ...session, ruleId: id })),
  },
  models: {
    list: request<{ providers: ProviderInfo[] }>()(none),
    discover: request<{ providers: ProviderInfo[] }>()(none),
    forgetWindow: request<void>()(z.strictObject({ provider: id, modelId: id })),
  },
  providers: {
    setKey: request<void>()(
      z.strictObject({
        provider: id,
        key: z.string().min(1).max(10_000),
        keep: z.enum(['encrypted', 'session', 'plain']),
      }),
    ),
    /** One small request with a key that is not kept, to this provider alone (WN16). `ok`: it answered; else `message` says why not. */
    testKey: request<{ ok: boolean; message: string }>()(
      z.strictObject({ provider: id, key: z.string().min(1).max(10_000) }),
    ),
    /** Ends the test that is on; it answers as one that was cancelled. */
    stopKeyTest: request<void>()(none),
    removeKey: request<void>()(z.strictObject({ provider: id })),
    /** Whether a key is kept under a name, and how; never the key. */
    keySource: request<{ source: KeySource }>()(z.strictObject({ provider: id })),
  },
  endpoints: {
    /** The endpoint and, if the form holds one, its key: both are kept or neither. */
    save: request<void>()(
      z.strictObject({
        endpoint: ENDPOINT satisfies z.ZodType<EndpointDraft>,
        key: z
          .strictObject({ key: z.string().min(1).max(10_000), keep: z.enum(['encrypted', 'session', 'plain']) })
          .optional(),
      }),
    ),
    remove: request<void>()(z.strictObject({ endpointId: id })),
    get: request<{ endpoint: EndpointDraft | null }>()(z.strictObject({ endpointId: id })),
    test: request<{ ok: boolean; message: string; models: string[] }>()(
      z.strictObject({ endpoint: ENDPOINT satisfies z.ZodType<EndpointDraft>, key: z.string().max(10_000).optional() }),
    ),
  },
  settings: {
    set: request<void>()(
      z.strictObject({ key: z.enum(SETTING_KEYS as [SettingKey, ...SettingKey[]]), value: z.unknown() }),
    ),
    reset: request<void>()(z.strictObject({ key: z.enum(SETTING_KEYS as [SettingKey, ...SettingKey[]]) })),
  },
  instructions: WORD_REQUESTS,
  tour: {
    /** The session of the tour, made anew where it was deleted. */
    open: request<SessionSummary>()(none),
    /** These coach marks were done or skipped. */
    seen: request<void>()(z.strictObject({ marks: z.array(z.enum(TOUR_MARKS)).max(TOUR_MARKS.length) })),
  },
  sync: {
    /** The window says how far its database has each session; main answers what it lacks and what main lacks. */
    hello: request<{ fetch: { sessionId: string; fromSeq: number }[]; upload: string[]; drop: string[] }>()(
      z.strictObject({ marks: z.array(mark).max(100_000), reset: z.boolean() }),
    ),
    ack: request<void>()(z.strictObject({ marks: z.array(mark).max(1000) })),
    /** The answer to the last chunk says what becomes of the rows; to the others it is `nothing`. */
    upload: request<UploadAnswer>()(
      z.strictObject({ ...session, lines: z.array(storedLine).max(2000), first: z.boolean(), last: z.boolean() }),
    ),
    /** `broken`: the database failed again when it was opened anew; the next start sets it aside. */
    storageState: request<void>()(
      z.strictObject({ state: z.enum(['ok', 'full', 'blocked', 'lost', 'broken']), detail: z.string().max(2000) }),
    ),
  },
  search: SEARCH_REQUESTS,
  extensions: EXTENSION_REQUESTS,
  mcp: MCP_REQUESTS,
  imports: IMPORT_REQUESTS,
  entries: {
    readOutput: request<{ text: string; offset: number; total: number }>()(
      z.strictObject({ ...session, entryId: id, offset: z.int().min(0) }),
    ),
    /** Where an entry is that a reference names: in this session, else in another; null if nowhere. */
    find: request<{ found: FoundEntry | null }>()(z.strictObject({ ...session, entryId: id })),
  },
} as const;

type Contract = typeof CONTRACT;
type Group = keyof Contract;
/** The requests of a group by their own names. */
export type InGroup<G extends Group> = keyof Contract[G] & string;

export type RequestName = { [G in Group]: `${G}.${InGroup<G>}` }[Group];
type SpecOf<N extends RequestName> = N extends `${infer G extends Group}.${infer K}`
  ? K extends keyof Contract[G]
    ? Contract[G][K]
    : never
  : never;

/** Every request by its name. */
export const REQUESTS = Object.fromEntries(
  Object.entries(CONTRACT).flatMap(([group, requests]) =>
    Object.entries(requests).map(([name, spec]) => [`${group}.${name}`, spec]),
  ),
) as { [N in RequestName]: SpecOf<N> };

export type RequestParams<N extends RequestName> = z.infer<(typeof REQUESTS)[N]['params']>;
export type RequestResult<N extends RequestName> =
  (typeof REQUESTS)[N] extends RequestSpec<z.ZodType, infer R> ? R : never;
export type RequestHandlers = {
  [N in RequestName]: (params: RequestParams<N>) => Promise<RequestResult<N>> | RequestResult<N>;
};

export interface LineChunk {
  lines: StoredLine[];
  crc: number;
}

/** Bulk data comes in chunks over a MessagePort of its own (EV7). */
export interface BulkChunks {
  /** Older rows of the active path, newest chunk first, each chunk in path order. */
  'session.rows': { params: { sessionId: string; before: number }; chunk: { rows: Row[] } };
  /**
   * The path through an entry, and through `endId` behind it, which is read while HEAD stays (GR12). First its head and the page around the entry; then rows that follow
   * the last one (`isNewer`), then rows that precede the first, newest chunk first. Each chunk is in path order.
   */
  'session.path': {
    params: { sessionId: string; entryId: string; endId?: string | undefined };
    chunk: { head?: PathHead; rows: Row[]; isNewer?: true };
  };
  /** Path entries of all branches from `fromSeq` on, in file order. */
  'session.graph': { params: { sessionId: string; fromSeq: number }; chunk: { rows: Row[] } };
  /** What the model saw in the request that an entry answers, or sees now (null). The first chunk has the head. */
  'session.context': {
    params: { sessionId: string; entryId: string | null };
    chunk: { head?: ContextHead; parts: ContextPart[] };
  };
  /**
   * Lines of the session file from `fromSeq` on, in order, with the running CRC after the chunk. Where `fromSeq` is not 0 the first
   * chunk has no lines and the CRC before them: what the rows end with that they are to follow.
   */
  'sync.lines': { params: { sessionId: string; fromSeq: number }; chunk: LineChunk };
}
export type BulkName = keyof BulkChunks;
export const BULK = {
  'session.rows': z.strictObject({ sessionId: id, before: z.int().min(0) }),
  'session.path': z.strictObject({ sessionId: id, entryId: id, endId: id.optional() }),
  'session.graph': z.strictObject({ sessionId: id, fromSeq: z.int().min(0) }),
  'session.context': z.strictObject({ sessionId: id, entryId: id.nullable() }),
  'sync.lines': z.strictObject({ sessionId: id, fromSeq: z.int().min(0) }),
} as const satisfies Record<BulkName, z.ZodType>;

/** Events from main, batched per frame, in order. A batch carries `seq`, so that a gap can be seen (EV4). */
export type AppEvent =
  | SessionEvent
  | { type: 'sessions_changed'; summary: SessionSummary }
  /** It was deleted. `mark`: how far its file went; null if that can't be told, because it is damaged. */
  | { type: 'session_removed'; sessionId: string; mark: SyncMark | null }
  /** Its file was replaced: what is shown of it is read anew. What was going on in it goes on in the session `goesOnIn`. */
  | { type: 'session_reloaded'; sessionId: string; goesOnIn?: string }
  /** A session's copies are to be compared anew: its file was found to be another one. */
  | { type: 'copies_differ'; sessionId: string }
  | { type: 'notice'; notice: Notice }
  /** What a notice about a session said holds no longer. */
  | { type: 'notice_over'; code: string; sessionId: string }
  | { type: 'settings_changed'; settings: Settings }
  | { type: 'models_changed'; providers: ProviderInfo[] }
  | { type: 'command'; command: MenuCommand }
  /** The person asked outside the window for a session: it is shown, at what it asks. */
  | { type: 'attend'; sessionId: string }
  /** The window is about to close: it writes what it holds and answers `app.written`. */
  | { type: 'closing' }
  /** What the person trusts has changed: what the window knows of folders may be old. */
  | { type: 'trust_changed' }
  /** `session.commands` may answer something else now; without a session: in all of them. */
  | { type: 'commands_changed'; sessionId?: string }
  | ExtensionEvent
  /** A server does something else now, or is another one. */
  | { type: 'mcp_changed' }
  /** The import of a folder is somewhere else. */
  | { type: 'imports_changed'; state: ImportState }
  | { type: 'storage_state'; state: 'ok' | 'full'; detail: string };

export interface EventBatch {
  seq: number;
  events: AppEvent[];
}

/**
 * What the preload exposes as `window.espalier`, and nothing else. Answers and batches come as JSON text: between the
 * preload's world and the page's, objects are copied value by value, which took 40 ms for the list of models.
 */
export interface EspalierBridge {
  /** Resolves with the text of an `IpcResult`. */
  request(name: RequestName, params: unknown): Promise<string>;
  /** Calls back with the text of every `EventBatch` until the returned function is called. */
  onEvents(listener: (batch: string) => void): () => void;
  /**
   * Streams chunks, as text or as they are, to `onChunk` until done; rejects with a message. `cancel` ends it early. The next
   * chunk is asked for when `onChunk` has settled.
   */
  bulk(
    name: BulkName,
    params: unknown,
    onChunk: (chunk: unknown) => void | Promise<void>,
  ): { done: Promise<void>; cancel(): void };
  /**
   * Gives main the files that a person dropped, and resolves with the text of an `IpcResult` of `ChosenFile`s. The preload
   * finds their paths itself and sends them: no path ever comes from the page.
   */
  offerFiles(files: unknown): Promise<string>;
}
