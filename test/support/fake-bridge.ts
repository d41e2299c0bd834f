/**
 * A scripted bridge without Electron: it answers every request of the contract from memory and streams a reply, so that
 * the window runs in plain Chromium and the stores run in Node. It checks parameters with the contract's own schemas.
 */
import {
  BULK,
  REQUESTS,
  type AppEvent,
  type EspalierBridge,
  type EventBatch,
  type RequestHandlers,
  type RequestName,
} from '../../src/shared/ipc/contract';
import type {
  Bootstrap,
  IpcResult,
  PathRow,
  SessionSnapshot,
  SessionSummary,
  StoredLine,
} from '../../src/shared/ipc/types';
import { checkSetting, defaultSettings, SETTINGS } from '../../src/shared/settings';
import { fakeProviders } from './fake-bridge/providers';

export interface FakeSession {
  summary: SessionSummary;
  rows: PathRow[];
  lines: Map<string, StoredLine>;
  snapshot: Partial<SessionSnapshot>;
}

export interface FakeMain {
  bridge: EspalierBridge;
  sessions: Map<string, FakeSession>;
  bootstrap: Bootstrap;
  /** Sends events to the window, as one batch. */
  emit(...events: AppEvent[]): void;
  /** Loses one batch: the next one shows a gap. */
  skipBatch(): void;
  /** Every request so far. */
  calls: { name: RequestName; params: unknown }[];
  /** Makes the next request of that name fail with the message. */
  refuseNext(name: RequestName, message: string): void;
  addSession(options?: Partial<SessionSummary>): FakeSession;
  /** Appends an entry and tells the window. */
  append(sessionId: string, kind: PathRow['kind'], message: Record<string, unknown>, id?: string): string;
  handlers: RequestHandlers;
}

const SNAPSHOT_ROWS = 200;
const CHUNK_ROWS = 500;

/** Makes a main without sessions. `now` fixes the clock for screenshots. */
export function createFakeMain(now: () => number = Date.now): FakeMain {
  const sessions = new Map<string, FakeSession>();
  const trash = new Map<string, FakeSession>();
  const refusals = new Map<RequestName, string>();
  const listeners = new Set<(batch: EventBatch) => void>();
  let seq = 0;
  let count = 0;
  const calls: FakeMain['calls'] = [];

  const bootstrap: Bootstrap = {
    version: '0.1.0',
    platform: 'linux',
    home: '/home/ada',
    scratchDir: '/home/ada/.espalier/scratch',
    settings: defaultSettings(),
    settingsProblems: [],
    sessions: [],
    providers: fakeProviders(),
    keyring: 'available',
    systemDark: false,
    notices: [],
    paths: { data: '/home/ada/.espalier', logs: '/home/ada/.espalier/logs' },
  };

  function emit(...events: AppEvent[]): void {
    const batch = { seq: seq++, events };
    for (const listener of listeners) listener(batch);
  }

  function newId(): string {
    count += 1;
    return count.toString(16).padStart(8, '0');
  }

  function addSession(options: Partial<SessionSummary> = {}): FakeSession {
    const summary: SessionSummary = {
      id: newId(),
      title: '',
      workspace: '/home/ada/.espalier/scratch',
      createdAt: now(),
      updatedAt: now(),
      entryCount: 0,
      pinned: false,
      archived: false,
      state: 'idle',
      preview: '',
      compactions: 0,
      demo: false,
      damage: [],
      ...options,
    };
    const session: FakeSession = { summary, rows: [], lines: new Map(), snapshot: {} };
    sessions.set(summary.id, session);
    return session;
  }

  function find(sessionId: string): FakeSession {
    const session = sessions.get(sessionId);
    if (!session) throw new Error('This session is gone. It may have been deleted in another window.');
    return session;
  }

  function change(sessionId: string, patch: Partial<SessionSummary>): void {
    const session = find(sessionId);
    session.summary = { ...session.summary, ...patch };
    emit({ type: 'sessions_changed', summary: session.summary });
  }

  function append(sessionId: string, kind: PathRow['kind'], message: Record<string, unknown>, id = newId()): string {
    const session = find(sessionId);
    const parentId = session.rows.at(-1)?.id ?? null;
    const entry = { type: 'message', id, parentId, timestamp: new Date(now()).toISOString(), message };
    const line = { seq: session.lines.size + 1, id, line: JSON.stringify(entry) };
    const row: PathRow = { id, seq: line.seq, kind, tokens: Math.ceil(line.line.length / 4) };
    if (kind === 'toolResult') row.callId = String(message.toolCallId);
    session.lines.set(id, line);
    session.rows.push(row);
    session.summary = { ...session.summary, entryCount: session.rows.length };
    emit({ type: 'entry_appended', sessionId, line, crc: 0, row });
    return id;
  }

  const nothing = (): void => undefined;
  const handlers: RequestHandlers = {
    'app.bootstrap': () => ({ ...bootstrap, sessions: [...sessions.values()].map((session) => session.summary) }),
    'app.ready': nothing,
    'app.written': nothing,
    'app.openExternal': () => ({ opened: true }),
    'app.chooseFolder': () => ({ path: '/home/ada/code/orders' }),
    'app.showInFolder': nothing,
    'sessions.create': ({ workspace }) => {
      const { summary } = addSession(workspace ? { workspace } : {});
      emit({ type: 'sessions_changed', summary });
      return summary;
    },
    'sessions.rename': ({ sessionId, title }) => change(sessionId, { title }),
    'sessions.setPinned': ({ sessionId, pinned }) => change(sessionId, { pinned }),
    'sessions.setArchived': ({ sessionId, archived }) => change(sessionId, { archived }),
    'sessions.delete': ({ sessionId }) => {
      trash.set(sessionId, find(sessionId));
      sessions.delete(sessionId);
      emit({ type: 'session_removed', sessionId });
    },
    'sessions.restore': ({ sessionId }) => {
      const session = trash.get(sessionId);
      if (!session) throw new Error('That session is no longer in the trash.');
      sessions.set(sessionId, session);
      emit({ type: 'sessions_changed', summary: session.summary });
      return session.summary;
    },
    'sessions.chooseImport': () => ({ imported: [addSession({ title: 'Imported session' }).summary], problems: [] }),
    'sessions.import': ({ path }) => {
      if (!path.endsWith('good.jsonl'))
        throw new Error(`Not a session file: ${path.split('/').at(-1)}. The file is unchanged.`);
      return addSession({ title: 'Imported session' }).summary;
    },
    'sessions.export': () => ({ path: '/home/ada/session.jsonl' }),
    'sessions.setWorkspace': ({ sessionId, path }) => change(sessionId, { workspace: path }),
    'session.open': ({ sessionId }) => {
      const session = find(sessionId);
      const rows = session.rows.slice(-SNAPSHOT_ROWS);
      const lines = rows.slice(-40).flatMap((row) => session.lines.get(row.id) ?? []);
      return {
        summary: session.summary,
        leafId: rows.at(-1)?.id ?? null,
        rows,
        rowsBefore: session.rows.length - rows.length,
        lines,
        model: { provider: 'demo', modelId: 'demo' },
        thinkingLevel: 'off',
        usage: null,
        queue: [],
        live: null,
        tools: [],
        approvals: [],
        retry: null,
        failure: null,
        interrupted: false,
        damage: session.summary.damage,
        ...session.snapshot,
      };
    },
    'session.entries': ({ sessionId, ids }) => ({ lines: ids.flatMap((id) => find(sessionId).lines.get(id) ?? []) }),
    'session.prompt': ({ sessionId, itemId, text }) => {
      find(sessionId);
      append(sessionId, 'user', { role: 'user', content: text, timestamp: now() }, itemId);
      return { queued: false, itemId };
    },
    'session.stop': ({ sessionId }) => {
      change(sessionId, { state: 'idle' });
      emit({ type: 'settled', sessionId, leafId: null, reason: 'stopped' });
    },
    'session.retry': nothing,
    'session.skipRetryWait': nothing,
    'session.dismissFailure': ({ sessionId }) => emit({ type: 'failure', sessionId, failure: null }),
    'session.setModel': ({ sessionId, provider, modelId }) => {
      const model = { provider, modelId };
      find(sessionId).snapshot.model = model;
      emit({ type: 'model_changed', sessionId, model, thinkingLevel: find(sessionId).snapshot.thinkingLevel ?? 'off' });
    },
    'session.setThinking': ({ sessionId, level }) => {
      const model = find(sessionId).snapshot.model ?? { provider: 'demo', modelId: 'demo' };
      find(sessionId).snapshot.thinkingLevel = level;
      emit({ type: 'model_changed', sessionId, model, thinkingLevel: level });
    },
    'session.completePath': ({ query }) => ({
      paths: ['src/', 'src/queue/enqueue.ts', 'src/queue/worker.ts', 'README.md', 'my notes.md'].filter((path) =>
        path.includes(query),
      ),
    }),
    'session.readOutput': () => ({ text: '', offset: 0, total: 0 }),
    'queue.send': ({ sessionId }) => emit({ type: 'queue_changed', sessionId, items: [] }),
    'queue.remove': ({ sessionId, itemId }) => {
      const session = find(sessionId);
      session.snapshot.queue = (session.snapshot.queue ?? []).filter((item) => item.id !== itemId);
      emit({ type: 'queue_changed', sessionId, items: session.snapshot.queue });
    },
    'approvals.answer': ({ approvalId, contentHash, decision }) => {
      for (const session of sessions.values()) {
        const request = session.snapshot.approvals?.find((item) => item.id === approvalId);
        if (!request) continue;
        if (request.contentHash !== contentHash)
          throw new Error('What you saw is not what would run. Nothing was done.');
        session.snapshot.approvals = [];
        emit({ type: 'approval_resolved', sessionId: session.summary.id, approvalId, decision });
        return;
      }
      throw new Error('This question was closed before your answer arrived. Nothing was done.');
    },
    'approvals.rules': () => ({
      rules: [
        { id: 'r1', tool: 'bash', what: 'npm test -- queue', createdAt: now() - 86_400_000 },
        { id: 'r2', tool: 'write', what: '/home/ada/code/orders/docs', createdAt: now() - 3_600_000 },
      ],
    }),
    'approvals.removeRule': nothing,
    'models.list': () => ({ providers: bootstrap.providers }),
    'models.discover': () => ({ providers: bootstrap.providers }),
    'providers.setKey': ({ provider, keep }) => {
      const source = keep === 'encrypted' ? 'stored' : keep;
      bootstrap.providers = bootstrap.providers.map((item) =>
        item.id === provider ? { ...item, keySource: source, available: true, problem: undefined } : item,
      );
      emit({ type: 'models_changed', providers: bootstrap.providers });
    },
    'providers.removeKey': ({ provider }) => {
      bootstrap.providers = bootstrap.providers.map((item) =>
        item.id === provider ? { ...item, keySource: 'none', available: false, problem: 'needs a key' } : item,
      );
      emit({ type: 'models_changed', providers: bootstrap.providers });
    },
    'endpoints.save': nothing,
    'endpoints.remove': nothing,
    'endpoints.get': ({ endpointId }) => ({
      endpoint: {
        id: endpointId,
        name: 'Team proxy',
        api: 'openai-completions',
        baseUrl: 'https://proxy.example/v1',
        headers: { 'X-Team': 'orders' },
        models: [{ id: 'sonnet', contextWindow: 200_000, maxTokens: 8192, images: true, reasoning: true }],
      },
    }),
    'endpoints.test': ({ endpoint }) =>
      endpoint.baseUrl.includes('bad')
        ? {
            ok: false,
            message: 'The address answers with a web page, not with an API. Does it need /v1 at the end?',
            models: [],
          }
        : { ok: true, message: 'It answers and lists 2 models.', models: ['sonnet', 'haiku'] },
    'settings.set': ({ key, value }) => {
      const checked = checkSetting(key, value);
      if (!checked.ok) throw new Error(checked.message);
      bootstrap.settings = { ...bootstrap.settings, [key]: checked.value };
      emit({ type: 'settings_changed', settings: bootstrap.settings });
    },
    'settings.reset': ({ key }) => {
      bootstrap.settings = { ...bootstrap.settings, [key]: SETTINGS[key].initial };
      emit({ type: 'settings_changed', settings: bootstrap.settings });
    },
    'sync.hello': () => ({ fetch: [], upload: [], drop: [] }),
    'sync.ack': nothing,
    'sync.upload': nothing,
    'sync.storageState': nothing,
  };

  const bridge: EspalierBridge = {
    async request(name, raw): Promise<IpcResult<unknown>> {
      calls.push({ name, params: raw });
      const refusal = refusals.get(name);
      refusals.delete(name);
      if (refusal) return { ok: false, error: { code: 'refused', message: refusal } };
      const parsed = REQUESTS[name].params.safeParse(raw);
      if (!parsed.success)
        return { ok: false, error: { code: 'invalid', message: `${name}: ${parsed.error.message}` } };
      try {
        return { ok: true, value: await (handlers[name] as (params: unknown) => unknown)(parsed.data) };
      } catch (cause) {
        return { ok: false, error: { code: 'refused', message: (cause as Error).message } };
      }
    },
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    bulk(name, raw, onChunk) {
      let cancelled = false;
      const run = async (): Promise<void> => {
        if (name !== 'session.rows') return;
        const { sessionId, before } = BULK['session.rows'].parse(raw);
        const { rows } = find(sessionId);
        for (let end = before; end > 0 && !cancelled; end -= CHUNK_ROWS) {
          await Promise.resolve();
          onChunk({ rows: rows.slice(Math.max(0, end - CHUNK_ROWS), end) });
        }
      };
      return { done: run(), cancel: () => (cancelled = true) };
    },
    pathOfFile: (file) => `/home/ada/${(file as File).name}`,
  };

  return {
    bridge,
    sessions,
    bootstrap,
    emit,
    skipBatch: () => (seq += 1),
    calls,
    refuseNext: (name, message) => void refusals.set(name, message),
    addSession,
    append,
    handlers,
  };
}
