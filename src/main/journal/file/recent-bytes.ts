/** Bytes read when a file is opened, and kept at most of what is appended to it. */
export const RECENT_AT_OPEN = 256 * 1024;
const MAX_RECENT = 4 * 1024 * 1024;
/** Enough to tell the end of one file from the end of another: a record has an id and a time. */
const TAIL_BYTES = 1024;

/** The last bytes of a file as we know them, without a gap up to its end. */
export class RecentBytes {
  private parts: Uint8Array[] = [];
  private total = 0;

  /** @param start where in the file `bytes` begin */
  constructor(
    private from: number,
    bytes: Uint8Array,
  ) {
    this.push(bytes);
  }

  /** Where in the file they begin. */
  get start(): number {
    return this.from;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    // A copy of what is a part of a larger buffer, which would be kept as well.
    const isPart = bytes.buffer.byteLength > 2 * bytes.length;
    this.parts.push(isPart ? Uint8Array.from(bytes) : bytes);
    this.total += bytes.length;
    while (this.total > MAX_RECENT && this.parts.length > 1) {
      const dropped = this.parts.shift()?.length ?? 0;
      this.total -= dropped;
      this.from += dropped;
    }
  }

  /** The bytes from a place in the file on, which must not lie before `start`. */
  since(position: number): Buffer {
    return Buffer.concat(this.parts).subarray(position - this.from);
  }

  /** The last few bytes. */
  tail(): Buffer {
    const last: Uint8Array[] = [];
    let size = 0;
    for (let at = this.parts.length - 1; at >= 0 && size < TAIL_BYTES; at--) {
      const part = (this.parts[at] ?? new Uint8Array()).subarray(-TAIL_BYTES);
      last.unshift(part);
      size += part.length;
    }
    return Buffer.concat(last).subarray(-TAIL_BYTES);
  }
}
