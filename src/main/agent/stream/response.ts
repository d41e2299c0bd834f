const LF = 10;
const CR = 13;
const EMPTY = Buffer.alloc(0);
const KEPT_BYTES = 64 * 1024;

/** What the scanner tells its owner. */
interface LineObserver {
  maxBytes: number;
  maxLineBytes: number;
  /** Whether the body ends at this line. */
  onLine(line: string): boolean;
  /** The body has ended by itself; all of its lines were shown. */
  onEnd(): void;
  onTooManyBytes(): Error;
  onLineTooLong(): Error;
  /** What goes on instead of the lines that were shown since the last call, in latin1; absent: the lines themselves do. */
  rewritten?: () => string;
}

/**
 * Passes a body on in whole lines only, or what its owner makes of them, showing each line once. Two reasons: the SDKs'
 * line splitters search their whole buffer again for every chunk of an unfinished line (30 MB: over 8 s of CPU), and a CRLF
 * torn between chunks looks like an empty line to one of them. Cost is linear; memory is bounded by the line limit.
 */
export class LineScanner {
  bytes = 0;
  longestLine = 0;
  ended = false;
  /** The unfinished line, in a buffer that grows by doubling: keeping the chunks themselves would keep all of the socket's buffers. */
  private pending = EMPTY;
  private pendingBytes = 0;

  constructor(private readonly observer: LineObserver) {}

  /** Bytes of the line that is not finished yet. */
  get unfinishedBytes(): number {
    return this.pendingBytes;
  }

  /** Takes a chunk; returns the whole lines that it completed, or null. Throws the observer's error past a limit. */
  push(chunk: Uint8Array): Uint8Array | null {
    this.bytes += chunk.length;
    if (this.bytes > this.observer.maxBytes) throw this.observer.onTooManyBytes();
    const end = this.findLineEnd(chunk);
    if (end === 0) {
      // A CR held back from the last chunk was a whole line break after all.
      const region = this.endsInCr() && chunk[0] !== LF ? this.take(new Uint8Array(0)) : null;
      this.hold(chunk);
      return region && this.inspect(region);
    }
    const region = this.take(chunk.subarray(0, end));
    if (end < chunk.length) this.hold(chunk.subarray(end));
    return this.inspect(region);
  }

  /** The end of the body: whatever is left, as a last line without a break. Called once. */
  flush(): Uint8Array | null {
    if (this.ended) return null;
    const rest = this.take(EMPTY);
    this.show(rest);
    this.observer.onEnd();
    const { rewritten } = this.observer;
    const last = rewritten ? Buffer.from(rewritten(), 'latin1') : rest;
    return last.length > 0 ? last : null;
  }

  /** Index after the last line break of the chunk; a CR in last place waits for its possible LF. */
  private findLineEnd(chunk: Uint8Array): number {
    const lf = chunk.lastIndexOf(LF);
    const cr = chunk.length > 1 ? chunk.lastIndexOf(CR, chunk.length - 2) : -1;
    return Math.max(lf, cr) + 1;
  }

  private endsInCr(): boolean {
    return this.pending[this.pendingBytes - 1] === CR;
  }

  private hold(part: Uint8Array): void {
    const bytes = this.pendingBytes + part.length;
    this.longestLine = Math.max(this.longestLine, bytes);
    if (bytes > this.observer.maxLineBytes) throw this.observer.onLineTooLong();
    if (bytes > this.pending.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.pending.length));
      grown.set(this.pending.subarray(0, this.pendingBytes));
      this.pending = grown;
    }
    this.pending.set(part, this.pendingBytes);
    this.pendingBytes = bytes;
  }

  private take(tail: Uint8Array): Uint8Array {
    if (this.pendingBytes === 0) return tail;
    const region = Buffer.concat([this.pending.subarray(0, this.pendingBytes), tail]);
    this.pendingBytes = 0;
    // What one long line took is not kept for the short ones after it.
    if (this.pending.length > KEPT_BYTES) this.pending = EMPTY;
    return region;
  }

  private inspect(region: Uint8Array): Uint8Array {
    const passed = this.show(region);
    const { rewritten } = this.observer;
    return rewritten ? Buffer.from(rewritten(), 'latin1') : passed;
  }

  /** Shows each line; returns what of the region stands before the end of the body. */
  private show(region: Uint8Array): Uint8Array {
    // latin1 keeps one character a byte, so that string offsets are byte offsets; the patterns are ASCII.
    const text = Buffer.from(region.buffer, region.byteOffset, region.byteLength).toString('latin1');
    let offset = 0;
    while (offset < text.length) {
      const feed = text.indexOf('\n', offset);
      const stop = feed === -1 ? text.length : feed;
      for (const line of linesOf(text.slice(offset, stop))) {
        this.longestLine = Math.max(this.longestLine, line.length);
        if (line.length > this.observer.maxLineBytes) throw this.observer.onLineTooLong();
        if (!this.observer.onLine(line)) continue;
        this.ended = true;
        return Buffer.concat([region.subarray(0, stop), Buffer.from('\n\n')]);
      }
      offset = stop + 1;
    }
    return region;
  }
}

/** The lines of what stands before a line feed or the end: a CR in last place belongs to that break or is one itself. */
function linesOf(text: string): string[] {
  if (!text.includes('\r')) return [text];
  return (text.endsWith('\r') ? text.slice(0, -1) : text).split('\r');
}

/** Bytes of an unfinished line that count as progress; fewer are a drip. */
const PROGRESS_BYTES = 1024;

/** What the guard wants to know of a body, and its bounds. */
interface BodyObserver extends LineObserver {
  /** Bytes after which the body is quietly ended (error pages need no more). */
  truncateAt: number;
  onProgress(bytes: number, longestLine: number): void;
  /** A whole line, or a KiB of one, has come. */
  onAdvance(): void;
  /** The connection broke; true = treat it as the regular end. */
  onBroken(error: unknown): boolean;
}

/**
 * Wraps a response body. Whole lines pass; `close` ends it as if the server had. Pull-driven, so an SDK that reads
 * slowly holds the socket back instead of filling memory.
 */
export function guardBody(
  body: ReadableStream<Uint8Array>,
  observer: BodyObserver,
): { stream: ReadableStream<Uint8Array>; close: () => void } {
  const reader = body.getReader();
  const scanner = new LineScanner(observer);
  let held = 0;

  const advance = (passed: boolean): void => {
    observer.onProgress(scanner.bytes, scanner.longestLine);
    if (passed || scanner.unfinishedBytes - held >= PROGRESS_BYTES) {
      held = scanner.unfinishedBytes;
      observer.onAdvance();
    }
  };
  const release = (): void => void reader.cancel().catch(() => undefined);

  const finish = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const rest = scanner.flush();
    observer.onProgress(scanner.bytes, scanner.longestLine);
    if (rest) controller.enqueue(rest);
    controller.close();
  };

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      const read = await reader.read().catch((error: unknown) => {
        if (observer.onBroken(error)) return { done: true as const, value: undefined };
        throw error;
      });
      if (read.done) return finish(controller);
      const lines = scanner.push(read.value);
      advance(lines !== null);
      if (lines && lines.length > 0) controller.enqueue(lines);
      if (scanner.ended || scanner.bytes >= observer.truncateAt) {
        release();
        return scanner.ended ? controller.close() : finish(controller);
      }
      // A pull that hands nothing on is not asked for again.
      if (lines && lines.length > 0) return;
    }
  };

  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          release();
          throw error;
        }),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { stream, close: release };
}

/** Headers in which providers name a request, so that they can find it when they are asked about it. The first one counts. */
const NAMES = [
  'request-id',
  'x-request-id',
  'x-amzn-requestid',
  'apim-request-id',
  'x-ms-request-id',
  'x-goog-request-id',
  'mistral-correlation-id',
  'cf-ray',
];

/** By what name the server keeps this request; undefined if it says none. As it came: whoever shows it bounds it. */
export function readRequestId(headers: Headers): string | undefined {
  for (const name of NAMES) {
    const id = headers.get(name)?.trim();
    if (id) return id;
  }
  return undefined;
}

/**
 * How long a server asks to wait, in milliseconds, from `retry-after-ms` (OpenAI) or `retry-after` (seconds or an HTTP
 * date); null if it doesn't say or says nonsense.
 */
export function readRetryAfterMs(headers: Headers, now = Date.now()): number | null {
  const precise = headers.get('retry-after-ms');
  if (precise !== null && /^\d+(\.\d+)?$/.test(precise.trim())) return Math.round(Number(precise));
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
