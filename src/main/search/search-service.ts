import type { Worker, WorkerOptions } from 'node:worker_threads';
import type { AppEvent } from '@shared/ipc/contract';
import type { Asked, SearchAnswer, SessionAnswer, TreeAnswer, TreeExcerpt, TreeHit } from '@shared/search/types';
import type { Wanted } from './finder';
import type { ReadLines } from './standing';

/** Main to the thread. */
export type SearchCommand =
  | { type: 'touch'; sessionId: string }
  | { type: 'drop'; sessionId: string }
  | { type: 'all'; call: number; wanted: Wanted }
  | { type: 'inSession'; call: number; sessionId: string; asked: Asked; lines?: ReadLines }
  | { type: 'inTree'; call: number; sessionId: string; query: string }
  | { type: 'excerpts'; call: number; sessionId: string; query: string; hits: readonly TreeHit[] }
  | { type: 'close'; call: number };

type Question = Exclude<SearchCommand, { type: 'touch' | 'drop' }>;
type Unnumbered<C> = C extends unknown ? Omit<C, 'call'> : never;

/** The thread to main. */
export interface SearchReport {
  call: number;
  answer?: unknown;
  error?: string;
}

/** Appends of one session are told together. */
const TOUCH_MS = 250;
/** A thread that ends so often is not started again by itself. */
const MOST_STARTS = 4;
/** The longest that quitting waits for the index to be put down well; else it is checked at the next start. */
const CLOSE_MS = 1_000;
const HEAP_MB = 512;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

interface SearchOptions {
  createWorker: (options: WorkerOptions) => Worker;
  /** The index; a cache in a folder of the app's own. */
  file: string;
  sessionsDir: string;
  warn: (message: string) => void;
}

/**
 * Search over all sessions, main's side (WN11, RC3): the index lives in a thread, which reads the journals by itself. Main tells it of
 * which sessions something new is on the disk. Rejects with words for the person.
 */
export class SearchService {
  private worker: Worker | null = null;
  private starts = 0;
  private lastCall = 0;
  private isClosed = false;
  private readonly waiting = new Map<number, Waiting>();
  private readonly touched = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SearchOptions) {}

  /** Brings the index up to date, where nobody has searched yet. */
  begin(): void {
    if (!this.isClosed && this.starts === 0) this.start();
  }

  /** What is told to the window says of which sessions the files have changed. */
  hear(event: AppEvent): void {
    if (!this.worker) return;
    if (event.type === 'session_removed') {
      this.touched.delete(event.sessionId);
      this.worker.postMessage({ type: 'drop', sessionId: event.sessionId } satisfies SearchCommand);
    } else if (event.type === 'sessions_changed') this.touch(event.summary.id);
    else if (event.type === 'session_reloaded' || event.type === 'entry_appended' || event.type === 'leaf_changed')
      this.touch(event.sessionId);
  }

  all(wanted: Wanted): Promise<SearchAnswer> {
    return this.ask({ type: 'all', wanted }) as Promise<SearchAnswer>;
  }

  /** @param lines of the path that is read; absent: HEAD's is walked */
  inSession(sessionId: string, asked: Asked, lines?: ReadLines): Promise<SessionAnswer> {
    return this.ask({ type: 'inSession', sessionId, asked, lines }) as Promise<SessionAnswer>;
  }

  inTree(sessionId: string, query: string): Promise<TreeAnswer> {
    return this.ask({ type: 'inTree', sessionId, query }) as Promise<TreeAnswer>;
  }

  excerpts(sessionId: string, query: string, hits: readonly TreeHit[]): Promise<TreeExcerpt[]> {
    return this.ask({ type: 'excerpts', sessionId, query, hits }) as Promise<TreeExcerpt[]>;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    const { worker } = this;
    if (!worker) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
    await Promise.race([this.askOf(worker, { type: 'close' }).catch(() => undefined), late]);
    clearTimeout(timer);
    this.worker = null;
    await worker.terminate();
  }

  private touch(sessionId: string): void {
    this.touched.add(sessionId);
    this.timer ??= setTimeout(() => this.tell(), TOUCH_MS);
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const sessionId of this.touched)
      this.worker?.postMessage({ type: 'touch', sessionId } satisfies SearchCommand);
    this.touched.clear();
  }

  private ask(question: Unnumbered<Question>): Promise<unknown> {
    if (this.isClosed) return Promise.reject(new Error('Espalier is closing.'));
    const worker = this.worker ?? this.start();
    if (!worker)
      return Promise.reject(new Error('The search has failed several times. Restart Espalier to try again.'));
    // An answer covers what is on the disk by now.
    this.tell();
    return this.askOf(worker, question);
  }

  private askOf(worker: Worker, question: Unnumbered<Question>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = ++this.lastCall;
      this.waiting.set(call, { resolve, reject });
      worker.postMessage({ ...question, call });
    });
  }

  private start(): Worker | null {
    if (this.starts >= MOST_STARTS) return null;
    this.starts += 1;
    const { createWorker, file, sessionsDir } = this.options;
    const worker = createWorker({
      name: 'search',
      workerData: { file, sessionsDir },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.worker = worker;
    worker.on('message', ({ call, answer, error }: SearchReport) => {
      const asked = this.waiting.get(call);
      this.waiting.delete(call);
      if (error !== undefined) asked?.reject(new Error(error));
      else asked?.resolve(answer);
    });
    worker.on('error', (error: unknown) => this.lose(worker, error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => this.lose(worker, `exit code ${code}`));
    // Work on a cache keeps no process alive.
    worker.unref();
    return worker;
  }

  private lose(lost: Worker, reason: string): void {
    if (this.worker !== lost) return;
    this.worker = null;
    this.options.warn(`The search ended: ${reason}`);
    for (const { reject } of this.waiting.values()) reject(new Error('The search was cut off. Try again.'));
    this.waiting.clear();
  }
}
