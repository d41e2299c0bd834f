import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { join } from 'node:path';
import type { JournalFs } from '../../src/main/journal/file/fs';
import { createSessionStore, type JournalStore } from '../../src/main/journal/session-store';
import type { AppendedRecord, SessionLog } from '../../src/main/ports';
import { SyncService } from '../../src/main/sync/sync-service';
import { AppError, type Client } from '../../src/renderer/bridge';
import { EspalierDatabase } from '../../src/renderer/db/database';
import { Persister } from '../../src/renderer/db/persister';
import { allLines } from '../../src/renderer/db/session-records';
import type { AppEvent, RequestName } from '../../src/shared/ipc/contract';
import type { Notice } from '../../src/shared/types';
import type { SessionEntry } from '@shared/session/records/entry';
import { user } from './journal';

/** Where the window died: after so many requests nothing of it is heard any more. */
export interface Death {
  atRequest: number;
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * A computer with the app on it, its window left out: the store, the sync service and the window's persister over a real
 * IndexedDB in memory, joined by requests and events as over the bridge. The folder is handed in, the database is its own.
 */
export class Computer {
  readonly notices: Notice[] = [];
  readonly problems: string[] = [];
  store!: JournalStore;
  sync!: SyncService;
  private db!: EspalierDatabase;
  private persister!: Persister;
  private factory = new IDBFactory();
  private requests = 0;
  private isDead = false;
  private readonly apart = new Set<string>();
  private readonly watched = new Set<SessionLog>();

  constructor(
    readonly name: string,
    readonly home: string,
    private readonly clock: () => number,
    private readonly randomHex: (length: number) => string,
  ) {}

  /** Starts the app and brings both copies together, as far as `death` lets it. */
  async start(fs: JournalFs, death: Death | null = null): Promise<void> {
    this.isDead = false;
    this.apart.clear();
    this.requests = 0;
    this.store = await createSessionStore({
      dir: join(this.home, 'sessions'),
      trashDir: join(this.home, 'trash'),
      unsaidFile: join(this.home, 'unsaid.json'),
      clock: this.clock,
      randomHex: this.randomHex,
      fs,
      log: silent,
      onApart: (sessionId) => void this.apart.add(sessionId),
    });
    const { store } = this;
    this.sync = new SyncService(
      store,
      (log) => Promise.resolve(this.watch(log)),
      silent,
      (notice) => this.notices.push(notice),
    );
    await store.list();
    this.db = new EspalierDatabase('espalier', undefined, { indexedDB: this.factory, IDBKeyRange });
    await this.db.open();
    const onProblem = (problem: { detail: string } | null): void =>
      void (problem && this.problems.push(problem.detail));
    this.persister = new Persister({ db: this.db, client: this.client(death), onProblem, retryMs: 1e8 });
    await this.persister.start(false);
  }

  /** Ends the app; `dies`: nothing is closed. */
  async stop(dies = false): Promise<void> {
    await this.persister.settle();
    this.persister.stop();
    this.isDead = true;
    this.db.close();
    if (!dies) await this.store.close();
    this.watched.clear();
  }

  /** The browser emptied the database. */
  loseDatabase(): void {
    this.factory = new IDBFactory();
  }

  async create(texts: readonly string[]): Promise<{ sessionId: string; ids: string[] }> {
    const log = this.watch(await this.store.create({ workspace: '/work' }));
    const records = await log.append(texts.map((text) => user(text)));
    await this.store.setMeta(log.sessionId, { title: 'Garden' });
    return { sessionId: log.sessionId, ids: records.map(({ entry }) => entry.id) };
  }

  /** Says something in a session; resolves with the ids of what was saved, shown and copied. */
  async say(sessionId: string, texts: readonly string[]): Promise<string[]> {
    const log = this.watch(await this.store.open(sessionId));
    const ids: string[] = [];
    for (const text of texts) ids.push(...(await log.append([user(text)])).map(({ entry }) => entry.id));
    await this.persister.settle();
    for (const apart of this.apart) {
      this.watched.clear();
      await this.sync.wentApart(apart);
      this.persister.accept([{ type: 'copies_differ', sessionId: apart }]);
      await this.persister.settle();
    }
    this.apart.clear();
    return ids;
  }

  /** Deletes a session, as the host does. */
  async remove(sessionId: string): Promise<void> {
    const mark = await this.store.trash(sessionId);
    this.persister.accept([{ type: 'session_removed', sessionId, mark }]);
    await this.persister.settle();
  }

  /** Compares the copies again, as after the window was loaded anew. */
  async compare(): Promise<void> {
    await this.persister.start(false);
  }

  async settle(): Promise<void> {
    await this.persister.settle();
  }

  /** What the list shows, with every entry of each session that can be read. */
  async shown(): Promise<Map<string, SessionEntry[]>> {
    const found = new Map<string, SessionEntry[]>();
    for (const { sessionId } of await this.store.list()) {
      const log = await this.store.open(sessionId).catch(() => null);
      if (log) found.set(sessionId, await log.loadBodies(log.tree.entriesInOrder().map(({ id }) => id)));
    }
    return found;
  }

  /** The lines that the database has of each session. */
  async rows(): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const { sessionId } of await this.db.marks.toArray()) {
      const lines: string[] = [];
      for await (const chunk of allLines(this.db, sessionId)) lines.push(...chunk.map(({ line }) => line));
      found.set(sessionId, lines);
    }
    return found;
  }

  private watch<Log extends SessionLog>(log: Log): Log {
    if (this.watched.has(log)) return log;
    this.watched.add(log);
    log.onAppended((records) => this.tell(log.sessionId, records));
    return log;
  }

  private tell(sessionId: string, records: readonly AppendedRecord[]): void {
    if (this.isDead) return;
    this.persister.accept(
      records.map(({ line, crc, crcBefore }): AppEvent => ({
        type: 'entry_appended',
        sessionId,
        line,
        crc,
        crcBefore,
        row: null,
        n: 0,
      })),
    );
  }

  private client(death: Death | null): Client {
    const { sync } = this;
    const answers: Partial<Record<RequestName, (params: never) => unknown>> = {
      'sync.hello': ({ marks, reset }: { marks: never; reset: boolean }) => sync.hello(marks, reset),
      'sync.ack': ({ marks }: { marks: never }) => sync.acknowledge(marks),
      'sync.upload': (upload: { sessionId: string; lines: never; first: boolean; last: boolean }) =>
        sync.upload(upload.sessionId, upload.lines, upload.first, upload.last),
    };
    const dies = (): boolean => death !== null && ++this.requests > death.atRequest;
    const refuse = (error: unknown): never => {
      throw new AppError({ code: 'internal', message: error instanceof Error ? error.message : String(error) });
    };
    return {
      request: (async (name: RequestName, params: never) => {
        if (dies()) throw new Error('The window died.');
        // The answer may come to nobody.
        const answer = await Promise.resolve(answers[name]?.(params)).catch(refuse);
        if (death !== null && this.requests === death.atRequest) throw new Error('The window died.');
        return answer;
      }) as Client['request'],
      bulk: (name, params, onChunk) => {
        let isCancelled = false;
        const pump = async (): Promise<void> => {
          if (name !== 'sync.lines') throw new Error(`No ${name} here.`);
          const { sessionId, fromSeq } = params as { sessionId: string; fromSeq: number };
          for await (const chunk of sync.lines(sessionId, fromSeq)) {
            if (isCancelled) return;
            if (dies()) throw new Error('The window died.');
            await onChunk(chunk as never);
          }
        };
        return { done: pump().catch(refuse), cancel: () => (isCancelled = true) };
      },
      onEvents: () => () => undefined,
      offerFiles: () => Promise.resolve([]),
    };
  }
}
