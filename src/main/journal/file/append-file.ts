import { basename, dirname } from 'node:path';
import { StorageError, toStorageError, unlessMissing } from '../../own-files/storage-error';
import { crc32 } from './crc32';
import { errorCode, type FileFacts, type JournalFile, type JournalFs } from './fs';
import { proofTimeOf } from './index-file';
import { CHUNK_BYTES } from './line-reader';
import { RECENT_AT_OPEN, RecentBytes } from './recent-bytes';
import type { Boundary } from './record-table';
import { whatIsThere } from './session-error';

/** What a check before an append found. `other`: in place of our file is one that went another way. */
type CheckResult = 'unchanged' | 'grown' | 'other';

/** See `RecordTable.boundary`. */
export type FindBoundary = (offset: number, side: 'behind' | 'before') => Boundary;

const LOST =
  'another program wrote over the session file. What was saved is in the window’s database; restart Espalier to bring it back, then try again.';

/**
 * A file that is only appended to, and only in whole: a write that fails is cut off again (JN17). One owner at
 * a time: the methods must not overlap.
 */
export class AppendFile {
  /** A write that failed could not be cut off: up to here the bytes behind `size` are ours. 0: none are. */
  private leftoverEnd = 0;
  private identity = '';
  /** The times of the file as we left it; empty where the disk did not tell. */
  private ownTimes = '';
  /** Of these the one that an index needs to vouch for the file; null where the disk did not tell. */
  ownTime: number | null = null;
  private touched = false;
  private recent = new RecentBytes(0, new Uint8Array());

  private constructor(
    private readonly fs: JournalFs,
    private place: string,
    private file: JournalFile,
    /** Bytes that are known to be good. */
    private knownSize: number,
    /** The open file takes no bytes: it was read-only when it was opened. */
    private isReadOnly = false,
  ) {}

  /** Takes over a file that was read as it was at `facts`: what was written to it since then was not read. `isReadOnly`: it was opened to be read. */
  static async adopt(
    fs: JournalFs,
    path: string,
    file: JournalFile,
    facts: FileFacts,
    isReadOnly = false,
  ): Promise<AppendFile> {
    const { size } = facts;
    const adopted = new AppendFile(fs, path, file, size, isReadOnly);
    adopted.noteFacts(facts);
    const start = Math.max(0, size - RECENT_AT_OPEN);
    const bytes = Buffer.allocUnsafe(size - start);
    adopted.recent = new RecentBytes(start, bytes.subarray(0, await file.read(bytes, start)));
    return adopted;
  }

  /**
   * Creates a file with `bytes` as its content, durable with its name. Refuses a file that exists and is not empty.
   * Rejects with `StorageError`; then there is no file.
   */
  static async create(fs: JournalFs, path: string, bytes: Uint8Array): Promise<AppendFile> {
    let created: AppendFile | null = null;
    try {
      await fs.makeDir(dirname(path));
      const file = await openNew(fs, path, bytes);
      created = new AppendFile(fs, path, file, 0);
      await created.note();
      await created.write(bytes);
      await fs.syncDir(dirname(path));
      return created;
    } catch (error) {
      await created?.file.close().catch(() => undefined);
      if (created) await fs.remove(path).catch(() => undefined);
      throw toStorageError(error);
    }
  }

  get size(): number {
    return this.knownSize;
  }
  get path(): string {
    return this.place;
  }
  /**
   * True once the times of the file were others than those that we left: another program may have written to it, and what is before its
   * end may not be what we know. A new mode or a second name counts too: no time tells these from bytes that were written over.
   */
  get wasTouched(): boolean {
    return this.touched;
  }

  /** Fills `buffer` from `position` on. */
  read(buffer: Uint8Array, position: number): Promise<number> {
    return this.file.read(buffer, position);
  }

  /** The open file, for reading lines that another writer added. */
  get reader(): JournalFile {
    return this.file;
  }

  /** Takes note of bytes that another writer added and that were read. */
  async advanceTo(size: number): Promise<void> {
    const start = Math.max(this.knownSize, size - RECENT_AT_OPEN);
    const bytes = Buffer.allocUnsafe(size - start);
    const read = bytes.subarray(0, await this.file.read(bytes, start));
    if (start === this.knownSize) this.recent.push(read);
    else this.recent = new RecentBytes(start, read);
    this.knownSize = size;
    this.leftoverEnd = 0;
    await this.note();
  }

  /**
   * Looks whether the file is still the one we know, by identity, size and the bytes at its end. A removed or shortened one is
   * written anew; an equal one in its place is taken over; a grown one is reported so that it is read on, and one that went another
   * way so that it is left alone. Rejects with `StorageError` if ours can't be written anew.
   */
  async check(boundary: FindBoundary): Promise<CheckResult> {
    try {
      if (this.isReadOnly) await this.openToWrite();
      const stat = await this.fs.stat(this.path);
      if (!stat) {
        // A link that leads nowhere has a name.
        if ((await this.fs.list(dirname(this.path))).includes(basename(this.path))) return 'other';
        if (!(await this.writeTo(this.path, boundary, 'new').then(() => true, unlessTaken)))
          return await this.check(boundary);
        return 'unchanged';
      }
      this.touched ||= timesOf(stat) !== this.ownTimes;
      if (stat.identity !== this.identity) return await this.compareWith(boundary);
      if (stat.size < this.knownSize || !(await this.hasOurEnd())) return await this.compareWith(boundary);
      if (stat.size === this.knownSize) return 'unchanged';
      if (stat.size > this.leftoverEnd) return 'grown';
      return (await this.cut()) ? 'unchanged' : 'grown';
    } catch (error) {
      // No file of a session any more, or none of ours.
      if (whatIsThere(error) !== null) return 'other';
      throw toStorageError(error);
    }
  }

  /** Goes on in a file of our own with all that we know, and leaves the one that took its place alone. */
  async stepAside(path: string, boundary: FindBoundary): Promise<void> {
    try {
      await this.writeTo(path, boundary, 'new');
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Appends in one write and waits for the disk. Rejects with `StorageError`; then the file is as before. */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      await this.write(bytes);
    } catch (error) {
      this.leftoverEnd = this.knownSize + bytes.length;
      await this.cut();
      throw toStorageError(error);
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /**
   * Our write gives the file new times, which hide those of a write of another program before it: so the times are looked at right before it,
   * and noted right behind it. Preparing an entry and waiting for the disk take long enough for a sync program.
   */
  private async write(bytes: Uint8Array): Promise<void> {
    await this.lookAtTimes();
    try {
      // A disk that fills up takes a part first and fails at the next call.
      for (let done = 0; done < bytes.length;) {
        const written = await this.file.append(done === 0 ? bytes : bytes.subarray(done));
        if (written === 0)
          throw new StorageError('failed', 'the disk takes no more bytes. What was saved before is safe.');
        done += written;
      }
    } finally {
      await this.note();
    }
    await this.file.datasync();
    this.knownSize += bytes.length;
    this.recent.push(bytes);
  }

  /** Looks whether the open file has the times that we left. */
  private async lookAtTimes(): Promise<void> {
    const stat = await this.file.stat().catch(() => null);
    this.touched ||= !stat || timesOf(stat) !== this.ownTimes;
  }

  /** Takes note of the file as we leave it. A disk that does not tell costs no more than a whole reading at the next start. */
  private async note(): Promise<void> {
    this.noteFacts(await this.file.stat().catch(() => null));
  }

  private noteFacts(facts: FileFacts | null): void {
    this.ownTimes = facts ? timesOf(facts) : '';
    this.ownTime = facts ? proofTimeOf(facts) : null;
    if (facts) this.identity = facts.identity;
  }

  private async cut(): Promise<boolean> {
    try {
      await this.lookAtTimes();
      await this.file.truncate(this.knownSize);
      this.leftoverEnd = 0;
      await this.note();
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Opens our file anew where it could only be read: the person may have made it writable since. Its times stay those that we know. Another
   * file in its place, or none, is the matter of the check that follows.
   */
  private async openToWrite(): Promise<void> {
    const file = await this.fs.open(this.path, 'append').catch(unlessMissing);
    if (!file) return;
    const isOurs = await file.stat().then(
      ({ identity }) => identity === this.identity,
      () => false,
    );
    if (!isOurs) return file.close();
    await this.file.close().catch(() => undefined);
    this.file = file;
    this.isReadOnly = false;
  }

  /** Whether the open file still ends with the bytes that we wrote last. */
  private async hasOurEnd(): Promise<boolean> {
    const tail = this.recent.tail();
    const there = Buffer.allocUnsafe(tail.length);
    const read = await this.file.read(there, this.knownSize - tail.length);
    return read === tail.length && there.equals(tail);
  }

  /** Looks at what is in the place of our file. */
  private async compareWith(boundary: FindBoundary): Promise<CheckResult> {
    const other = await this.fs.open(this.path, 'append');
    let isOurs = false;
    try {
      const { size } = await other.stat();
      const isIntact = await this.hasOurEnd();
      const length = Math.min(size, this.knownSize);
      const isSame = isIntact
        ? await beginsEqual(this.file, other, length).catch(() => false)
        : await this.beginsAsOurs(other, length, boundary);
      if (!isSame) return 'other';
      if (size >= this.knownSize) {
        isOurs = true;
        await this.replaceHandle(other);
        return size > this.knownSize ? 'grown' : 'unchanged';
      }
    } finally {
      if (!isOurs) await other.close().catch(() => undefined);
    }
    await this.writeTo(this.path, boundary, 'replaced');
    return 'unchanged';
  }

  /** The same where our own bytes are gone from the disk: by the running CRC, and by the last bytes that are in memory. */
  private async beginsAsOurs(other: JournalFile, length: number, boundary: FindBoundary): Promise<boolean> {
    const { offset, crc } = boundary(length, 'before');
    if ((await crcOf(other, offset)) !== crc) return false;
    if (this.recent.start > length) return true;
    const ours = this.recent.since(this.recent.start).subarray(0, length - this.recent.start);
    const there = Buffer.allocUnsafe(ours.length);
    return (await other.read(there, this.recent.start)) === ours.length && there.equals(ours);
  }

  /** Writes all that we know to a path, as a whole, and goes on there: from the open file, or from memory where that was changed. */
  private async writeTo(path: string, boundary: FindBoundary, place: 'new' | 'replaced'): Promise<void> {
    const from = (await this.hasOurEnd()) ? this.knownSize : await this.ownBeginning(boundary);
    const temporary = `${path}.new`;
    await this.fs.makeDir(dirname(path));
    await this.fs.remove(temporary);
    const file = await this.fs.open(temporary, 'create');
    try {
      await copyBytes(this.file, file, from);
      // The new file has new times: that these bytes were written over before the name was gone shows here alone.
      await this.lookAtTimes();
      const rest = from < this.knownSize ? this.recent.since(from) : new Uint8Array();
      for (let done = 0; done < rest.length;) done += await file.append(rest.subarray(done));
      await file.datasync();
      // Where the name was free, what came to it meanwhile is another program's.
      await (place === 'new' ? this.fs.place(temporary, path) : this.fs.rename(temporary, path));
      await this.fs.syncDir(dirname(path));
    } catch (error) {
      await file.close().catch(() => undefined);
      await this.fs.remove(temporary).catch(() => undefined);
      throw error;
    }
    this.place = path;
    await this.replaceHandle(file);
  }

  /** How many bytes at the beginning of the changed file are ours and are followed by what is in memory. */
  private async ownBeginning(boundary: FindBoundary): Promise<number> {
    const { offset, crc } = boundary(this.recent.start, 'behind');
    if ((await crcOf(this.file, offset)) !== crc) throw new StorageError('changed', LOST);
    return offset;
  }

  private async replaceHandle(file: JournalFile): Promise<void> {
    await this.file.close().catch(() => undefined);
    this.file = file;
    this.isReadOnly = false;
    await this.note();
    this.leftoverEnd = 0;
  }
}

/**
 * Opens a file that must be new (JN1, JN3). An empty one counts as new, and so does what a failed attempt of ours
 * left behind: a header carries an id that nobody else has.
 */
async function openNew(fs: JournalFs, path: string, bytes: Uint8Array): Promise<JournalFile> {
  try {
    return await fs.open(path, 'create');
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const file = await fs.open(path, 'append');
  const header = bytes.subarray(0, bytes.indexOf(0x0a) + 1);
  try {
    const start = Buffer.alloc(header.length);
    const read = await file.read(start, 0);
    if (start.compare(header, 0, read, 0, read) === 0) {
      await file.truncate(0);
      return file;
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new StorageError('changed', 'a file with the name of this session is there already. It was left as it is.');
}

/** For `catch`: false where the name that a file was to get is taken. */
function unlessTaken(error: unknown): false {
  if (errorCode(error) === 'EEXIST') return false;
  throw error;
}

/** Copies the first `size` bytes in chunks of 1 MiB. Throws if the source has fewer. */
export async function copyBytes(from: JournalFile, to: JournalFile, size: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, size)));
  for (let position = 0; position < size;) {
    const read = await from.read(buffer.subarray(0, Math.min(buffer.length, size - position)), position);
    if (read === 0) throw new Error('A file ended before its known size');
    for (let done = 0; done < read;) done += await to.append(buffer.subarray(done, read));
    position += read;
  }
}

const timesOf = ({ modifiedMs, changedMs }: FileFacts): string => `${modifiedMs} ${changedMs}`;

/** The CRC over the first bytes of a file; null if it has fewer. */
async function crcOf(file: JournalFile, size: number): Promise<number | null> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, size)));
  let crc = 0;
  for (let position = 0; position < size;) {
    const read = await file.read(buffer.subarray(0, Math.min(buffer.length, size - position)), position);
    if (read === 0) return null;
    crc = crc32(buffer.subarray(0, read), crc);
    position += read;
  }
  return crc;
}

/** Whether two files have the same first bytes. */
export async function beginsEqual(
  a: Pick<JournalFile, 'read'>,
  b: Pick<JournalFile, 'read'>,
  size: number,
): Promise<boolean> {
  const [left, right] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
  for (let position = 0; position < size; position += CHUNK_BYTES) {
    const wanted = Math.min(CHUNK_BYTES, size - position);
    const reads = [await a.read(left.subarray(0, wanted), position), await b.read(right.subarray(0, wanted), position)];
    if (reads.some((read) => read !== wanted) || left.compare(right, 0, wanted, 0, wanted) !== 0) return false;
  }
  return true;
}
