/** What a record of a journal is. Only `entry` records are in the tree; `duplicate` has an id that came before. */
export const RECORD_KINDS = ['entry', 'header', 'other', 'blank', 'malformed', 'duplicate'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

export interface RecordPlace {
  /** Bytes from the start of the file. */
  offset: number;
  /** Bytes without the newline. */
  length: number;
  /** CRC-32 over all lines up to and including this one, each with its newline, as they were written. */
  crc: number;
  /** The same over what the file has now: another number from the first changed record on. */
  fileCrc: number;
  kind: RecordKind;
  /** Entry id; empty if it is no entry. */
  id: string;
}

/** The running CRC over the bytes before a place in the file at which a record begins. */
export interface Boundary {
  offset: number;
  crc: number;
}

/**
 * Where every record of a journal lies. Record numbers count lines from 0. The running CRC doubles as the check of a
 * single record: seeded with the CRC before it, the record's bytes must give the CRC after it.
 */
export class RecordTable {
  private offsets = new Float64Array(64);
  private lengths = new Uint32Array(64);
  private crcs = new Uint32Array(64);
  private fileCrcs = new Uint32Array(64);
  private kinds = new Uint8Array(64);
  private readonly ids: string[] = [];
  private entryTotal = 0;
  private malformedTotal = 0;

  get count(): number {
    return this.ids.length;
  }
  /** Records that are entries of the tree. */
  get entries(): number {
    return this.entryTotal;
  }
  get malformed(): number {
    return this.malformedTotal;
  }
  /** Where the next record begins: behind the newline of the last one, whether it is there yet or not. */
  get end(): number {
    const last = this.count - 1;
    return last < 0 ? 0 : this.offset(last) + this.length(last) + 1;
  }
  offset(seq: number): number {
    return this.offsets[seq] ?? 0;
  }
  length(seq: number): number {
    return this.lengths[seq] ?? 0;
  }
  /** The running CRC after record `seq`; 0 before the first. */
  crc(seq: number): number {
    return seq < 0 ? 0 : (this.crcs[seq] ?? 0);
  }
  /** The running CRC of what the file has, after record `seq`: what both stores compare. */
  fileCrc(seq: number): number {
    return seq < 0 ? 0 : (this.fileCrcs[seq] ?? 0);
  }
  kind(seq: number): RecordKind {
    return RECORD_KINDS[this.kinds[seq] ?? 0] ?? 'other';
  }
  id(seq: number): string {
    return this.ids[seq] ?? '';
  }

  /** Appends a record and returns its number. */
  push(place: RecordPlace): number {
    const seq = this.count;
    if (seq === this.offsets.length) this.grow();
    this.offsets[seq] = place.offset;
    this.lengths[seq] = place.length;
    this.crcs[seq] = place.crc;
    this.fileCrcs[seq] = place.fileCrc;
    this.kinds[seq] = RECORD_KINDS.indexOf(place.kind);
    this.ids.push(place.id);
    if (place.kind === 'entry') this.entryTotal++;
    if (place.kind === 'malformed') this.malformedTotal++;
    return seq;
  }

  /** The first place at or behind `offset` at which a record begins, or the last one at or before it. The end of the last record counts as well. */
  boundary(offset: number, side: 'behind' | 'before'): Boundary {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.offset(middle) < offset) low = middle + 1;
      else high = middle;
    }
    const at = (seq: number): Boundary => ({
      offset: seq < this.count ? this.offset(seq) : this.end,
      crc: this.fileCrc(Math.min(seq, this.count) - 1),
    });
    const found = at(low);
    return side === 'before' && found.offset > offset ? at(low - 1) : found;
  }

  private grow(): void {
    const size = this.offsets.length * 2;
    const copy = <T extends Float64Array | Uint32Array | Uint8Array>(from: T, to: T): T => (to.set(from), to);
    this.offsets = copy(this.offsets, new Float64Array(size));
    this.lengths = copy(this.lengths, new Uint32Array(size));
    this.crcs = copy(this.crcs, new Uint32Array(size));
    this.fileCrcs = copy(this.fileCrcs, new Uint32Array(size));
    this.kinds = copy(this.kinds, new Uint8Array(size));
  }
}
