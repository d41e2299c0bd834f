import { endGroup } from './process/end-group';
import type { FromProcess, McpMethod, McpRequests, ToProcess } from './process/messages';

/** A process, as the link uses it: `utilityProcess` in the app, a thread or a pipe in tests. */
export interface McpPort {
  postMessage(message: ToProcess): void;
  onMessage(listener: (message: FromProcess) => void): void;
  onExit(listener: () => void): void;
  kill(): void;
}

export interface LinkNews {
  log(server: number, line: string): void;
  gone(server: number, why: string): void;
  changed(server: number): void;
  /** What is to be kept of a sign-in. */
  keep(server: number, saved: string): void;
  /** The process ended, and with it all servers. */
  lost(why: string): void;
}

export interface AskOptions {
  signal?: AbortSignal;
  onProgress?: (text: string) => void;
  /** The person is to be shown an address. */
  onOpen?: (url: string) => void;
  /** Milliseconds; absent: the process is trusted to keep the request's own time. */
  deadlineMs?: number;
}

/** The server wants the person to sign in. */
export class NeedsSignIn extends Error {
  override readonly name = 'NeedsSignIn';
}

const BEAT_MS = 5_000;
/** What parses the largest message that is read takes a second or two on a slow computer. */
const SILENT_MS = 20_000;
const ENDED = 'The process that talks to MCP servers ended. It is started again.';

interface Asked extends Pick<AskOptions, 'onProgress' | 'onOpen'> {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/**
 * Main's end of the process of the MCP clients. It is started with the first request. One that does not answer a beat is ended and, with
 * the next request, started anew: its servers are gone then, with all that they started.
 */
export class McpLink {
  private port: McpPort | null = null;
  private next = 1;
  private readonly asked = new Map<number, Asked>();
  /** Of processes that servers are, until they are gone. */
  private readonly groups = new Set<number>();
  private beat: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly start: () => McpPort,
    private readonly news: LinkNews,
    private readonly beatMs = BEAT_MS,
    private readonly silentMs = SILENT_MS,
  ) {}

  ask<M extends McpMethod>(
    method: M,
    params: McpRequests[M]['params'],
    { signal, onProgress, onOpen, deadlineMs }: AskOptions = {},
  ): Promise<McpRequests[M]['answer']> {
    if (this.isClosed) return Promise.reject(new Error('Espalier is quitting.'));
    if (signal?.aborted) return Promise.reject(new Error('It was stopped.'));
    const port = (this.port ??= this.open());
    const id = this.next++;
    return new Promise<McpRequests[M]['answer']>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        this.asked.delete(id);
      };
      const stop = (): void => {
        if (!this.asked.has(id)) return;
        settle();
        // The server is told; nobody waits for it.
        if (this.port === port) port.postMessage({ cancel: id });
        reject(new Error('It was stopped.'));
      };
      if (deadlineMs !== undefined) timer = setTimeout(stop, deadlineMs);
      signal?.addEventListener('abort', stop, { once: true });
      this.asked.set(id, {
        onProgress,
        onOpen,
        resolve: (answer) => {
          settle();
          resolve(answer as McpRequests[M]['answer']);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      port.postMessage({ id, method, ...params } as ToProcess);
    });
  }

  /** Nothing is asked any more; servers end with their process. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { port } = this;
    if (!port) return;
    clearTimeout(this.beat);
    port.kill();
    this.lost(port);
  }

  private open(): McpPort {
    const port = this.start();
    port.onMessage((message) => this.port === port && this.take(message));
    port.onExit(() => this.lost(port));
    this.beatLater(port);
    return port;
  }

  private beatLater(port: McpPort): void {
    clearTimeout(this.beat);
    this.beat = setTimeout(() => {
      if (this.port !== port) return;
      this.ask('ping', {}, { deadlineMs: this.silentMs }).then(
        () => this.port === port && this.beatLater(port),
        () => {
          if (this.port !== port) return;
          port.kill();
          this.lost(port);
        },
      );
    }, this.beatMs);
    this.beat.unref();
  }

  private take(message: FromProcess): void {
    if (!('event' in message)) {
      const asked = this.asked.get(message.id);
      if (!asked) return;
      if ('answer' in message) asked.resolve(message.answer);
      else asked.reject(message.needsSignIn ? new NeedsSignIn(message.error) : new Error(message.error));
      return;
    }
    switch (message.event) {
      case 'log':
        return this.news.log(message.server, message.line);
      case 'gone':
        return this.news.gone(message.server, message.why);
      case 'changed':
        return this.news.changed(message.server);
      case 'started':
        this.groups.add(message.group);
        return;
      case 'ended':
        this.groups.delete(message.group);
        return;
      case 'keep':
        return this.news.keep(message.server, message.saved);
      case 'open':
        return this.asked.get(message.id)?.onOpen?.(message.url);
      case 'progress':
        return this.asked.get(message.id)?.onProgress?.(message.text);
    }
  }

  /** What it had started does not outlive it. */
  private lost(port: McpPort): void {
    if (this.port !== port) return;
    this.port = null;
    clearTimeout(this.beat);
    for (const group of this.groups) endGroup(group, 'SIGKILL');
    this.groups.clear();
    for (const { reject } of [...this.asked.values()]) reject(new Error(ENDED));
    this.news.lost(ENDED);
  }
}
