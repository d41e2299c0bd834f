import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LIVE_OUTPUT_INTERVAL_MS, MAX_FULL_OUTPUT_BYTES, MAX_LIVE_OUTPUT_CHARS, ROOM_STEP_BYTES } from '@shared/limits';
import { cleanOutput, firstCharacter, incompleteSuffix, tailOf } from './clean-output';

export interface CapturedOutput {
  /** Cleaned end of the output, within the caps of a result. */
  text: string;
  isTruncated: boolean;
  shownLines: number;
  totalLines: number;
  totalBytes: number;
  /** Where all of it is, if it was more than a result carries. */
  fullOutputPath?: string;
  /** Why the file ends early; absent if it has all of the output. */
  cutBecause?: FileCut;
  /** Bytes of the output in the file, from its beginning on. */
  keptBytes: number;
}

/** The most for one command, little room on the disk, a disk that took no more. */
export type FileCut = 'cap' | 'room' | 'failed';

/** What the file of an output may take of the disk. */
export interface OutputRoom {
  /** Lets older outputs give way. Never rejects. */
  make(): Promise<void>;
  /** Whether so many bytes more may be kept, beside what other outputs may. They count as taken until they are settled. */
  take(bytes: number): Promise<boolean>;
  /** Taken bytes are in the file, or never will be. */
  settle(bytes: number): void;
}

type StreamName = 'stdout' | 'stderr';

/** Cleaning shortens text, so more raw bytes are held than a result carries. */
const RING_BYTES = 128 * 1024;
const FILE_BUFFER_BYTES = 256 * 1024;

/**
 * Takes the output of one command in bounded memory: the end of it in a ring, all of it in a file as soon as it is more
 * than the ring holds. Characters cut between two chunks of one stream are joined before the streams are merged.
 */
export class OutputCapture {
  private readonly ring = Buffer.allocUnsafe(2 * RING_BYTES);
  private ringLength = 0;
  private readonly held: Record<StreamName, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  private totalBytes = 0;
  private lineEnds = 0;
  private lastByte = 0x0a;
  private liveSent = 0;
  private liveTimer: NodeJS.Timeout | undefined;
  private file: WriteStream | undefined;
  private fileBytes = 0;
  private fileCut: FileCut | undefined;
  /** Size of the file up to which room was found for it. */
  private roomUpTo = 0;
  /** Bytes that were taken of the disk and are not in the file. */
  private taken = 0;
  private looking: Promise<void> | null = null;

  constructor(
    private readonly fullOutputPath: string,
    private readonly room: OutputRoom,
    private readonly onLive?: (chunk: string) => void,
  ) {}

  /** The folder of the file must exist before `add`; a failure to make it only means that nothing is kept. */
  async prepare(): Promise<void> {
    await mkdir(dirname(this.fullOutputPath), { recursive: true, mode: 0o700 }).catch(() => {
      this.fileCut = 'failed';
    });
  }

  /** Takes a chunk. Returns false if the file is behind: then wait for `whenDrained` before reading on. */
  add(stream: StreamName, chunk: Buffer): boolean {
    const joined = this.held[stream].length > 0 ? Buffer.concat([this.held[stream], chunk]) : chunk;
    const keep = incompleteSuffix(joined);
    this.held[stream] = keep > 0 ? Buffer.from(joined.subarray(joined.length - keep)) : Buffer.alloc(0);
    return this.append(joined.subarray(0, joined.length - keep));
  }

  whenDrained(resume: () => void): void {
    void (this.looking ?? Promise.resolve()).then(() => {
      if (this.file?.writableNeedDrain && !this.fileCut) this.file.once('drain', resume);
      else resume();
    });
  }

  /** Ends the capture. Resolves when the file is complete on disk (or is known not to be). */
  async finish(): Promise<CapturedOutput> {
    this.append(this.held.stdout);
    this.append(this.held.stderr);
    this.sendLive();
    const raw = this.ring.subarray(0, this.ringLength);
    const isRingCut = this.totalBytes > this.ringLength;
    const cleaned = cleanOutput(raw.subarray(isRingCut ? firstCharacter(raw) : 0).toString('utf8'));
    const tail = tailOf(cleaned);
    const isTruncated = isRingCut || tail.isCut;
    if (isTruncated && !this.file) this.openFile();
    await this.looking;
    await this.closeFile();
    this.settle(this.taken);
    return {
      text: tail.text,
      isTruncated,
      shownLines: tail.lines,
      totalLines: this.lineEnds + (this.lastByte === 0x0a ? 0 : 1),
      totalBytes: this.totalBytes,
      fullOutputPath: isTruncated && this.fileBytes > 0 ? this.fullOutputPath : undefined,
      keptBytes: this.fileBytes,
      cutBecause: this.fileBytes < this.totalBytes || this.fileCut === 'failed' ? this.fileCut : undefined,
    };
  }

  private append(bytes: Buffer): boolean {
    if (bytes.length === 0) return true;
    if (!this.file && this.totalBytes + bytes.length > RING_BYTES) this.openFile();
    this.totalBytes += bytes.length;
    this.lastByte = bytes[bytes.length - 1] ?? 0;
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) this.lineEnds += 1;
    this.intoRing(bytes);
    this.scheduleLive();
    return this.file ? this.intoFile(bytes) : true;
  }

  private intoRing(bytes: Buffer): void {
    const piece = bytes.length > RING_BYTES ? bytes.subarray(-RING_BYTES) : bytes;
    if (this.ringLength + piece.length > this.ring.length) {
      const kept = Math.min(this.ringLength, RING_BYTES);
      this.ring.copyWithin(0, this.ringLength - kept, this.ringLength);
      this.ringLength = kept;
    }
    piece.copy(this.ring, this.ringLength);
    this.ringLength += piece.length;
  }

  private openFile(): void {
    if (this.fileCut) return;
    this.file = createWriteStream(this.fullOutputPath, { flags: 'wx', mode: 0o600, highWaterMark: FILE_BUFFER_BYTES });
    this.file.on('error', () => {
      this.fileCut = 'failed';
      this.fileBytes = this.file?.bytesWritten ?? 0;
      this.file?.emit('drain');
    });
    this.intoFile(Buffer.from(this.ring.subarray(0, this.ringLength)));
  }

  private intoFile(bytes: Buffer): boolean {
    if (!this.file || this.fileCut) return true;
    const room = MAX_FULL_OUTPUT_BYTES - this.fileBytes;
    const piece = bytes.length > room ? bytes.subarray(0, room) : bytes;
    this.fileBytes += piece.length;
    const hasRoom = this.file.write(piece, () => this.settle(piece.length));
    if (piece.length < bytes.length) this.fileCut = 'cap';
    else if (this.fileBytes > this.roomUpTo && !this.looking)
      this.looking = this.lookForRoom().finally(() => (this.looking = null));
    return (hasRoom && !this.looking) || this.fileCut !== undefined;
  }

  /** A command writes faster than anybody would notice that the disk fills up. */
  private async lookForRoom(): Promise<void> {
    await this.room.make();
    if (await this.room.take(ROOM_STEP_BYTES)) {
      this.taken += ROOM_STEP_BYTES;
      this.roomUpTo = this.fileBytes + ROOM_STEP_BYTES;
    } else this.fileCut ??= 'room';
  }

  /** What was written before it was taken is not settled: it is in what the system says is free. */
  private settle(bytes: number): void {
    const settled = Math.min(bytes, this.taken);
    this.taken -= settled;
    if (settled > 0) this.room.settle(settled);
  }

  private async closeFile(): Promise<void> {
    const { file } = this;
    if (!file || file.destroyed) return;
    await new Promise<void>((resolve) => {
      file.once('error', () => resolve());
      file.end(() => resolve());
    });
  }

  private scheduleLive(): void {
    if (!this.onLive || this.liveTimer) return;
    this.liveTimer = setTimeout(() => this.sendLive(), LIVE_OUTPUT_INTERVAL_MS);
  }

  private sendLive(): void {
    clearTimeout(this.liveTimer);
    this.liveTimer = undefined;
    const fresh = this.totalBytes - this.liveSent;
    if (!this.onLive || fresh === 0) return;
    this.liveSent = this.totalBytes;
    const take = Math.min(fresh, MAX_LIVE_OUTPUT_CHARS, this.ringLength);
    const bytes = this.ring.subarray(this.ringLength - take, this.ringLength);
    const text = cleanOutput(bytes.subarray(take < fresh ? firstCharacter(bytes) : 0).toString('utf8'));
    this.onLive(take < fresh ? `…\n${text}` : text);
  }
}
