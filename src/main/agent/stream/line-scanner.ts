const LF = 10;
const CR = 13;
const EMPTY = Buffer.alloc(0);
const KEPT_BYTES = 64 * 1024;

/** What the scanner tells its owner. */
export interface LineObserver {
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
