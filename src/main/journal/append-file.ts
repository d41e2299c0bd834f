import { dirname } from 'node:path';
import { errorCode } from './fs';
import type { JournalFile, JournalFs } from './fs';
import { CHUNK_BYTES } from './line-reader';
import { StorageError, toStorageError } from './storage-error';

/** What a check before an append found. */
export type CheckResult = 'unchanged' | 'grown';

const CHANGED =
  'another program replaced the session file. Nothing was overwritten; restart Espalier to read it anew, then try again.';
const SHORTENED =
  'another program shortened the session file. Restart Espalier to bring back what is missing, then try again.';

/**
 * A file that is only appended to, and only in whole: a write that fails is cut off again (engine.md 1.9). One owner at
 * a time: the methods must not overlap.
 */
export class AppendFile {
  /** A write that failed could not be cut off: up to here the bytes behind `size` are ours. 0: none are. */
  private leftoverEnd = 0;
  private identity = '';

  private constructor(
    private readonly fs: JournalFs,
    readonly path: string,
    private file: JournalFile,
    /** Bytes that are known to be good. */
    private knownSize: number,
  ) {}

  /** Takes over a file that was read up to `size`. */
  static async adopt(fs: JournalFs, path: string, file: JournalFile, size: number): Promise<AppendFile> {
    const adopted = new AppendFile(fs, path, file, size);
    adopted.identity = (await file.stat()).identity;
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
      created.identity = (await file.stat()).identity;
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

  /** Fills `buffer` from `position` on. */
  read(buffer: Uint8Array, position: number): Promise<number> {
    return this.file.read(buffer, position);
  }

  /** The open file, for reading lines that another writer added. */
  get reader(): JournalFile {
    return this.file;
  }

  /** Takes note of bytes that another writer added and that were read. */
  advanceTo(size: number): void {
    this.knownSize = size;
    this.leftoverEnd = 0;
  }

  /**
   * Looks whether the file is still the one we know: a removed one is written anew from the open descriptor, a grown one
   * is reported so that it is read on. Rejects with `StorageError` if it was replaced or shortened.
   */
  async check(): Promise<CheckResult> {
    try {
      const stat = await this.fs.stat(this.path);
      if (!stat) {
        await this.writeAnew();
        return 'unchanged';
      }
      if (stat.identity !== this.identity) return await this.followReplacement();
      if (stat.size < this.knownSize) throw new StorageError('changed', SHORTENED);
      if (stat.size === this.knownSize) return 'unchanged';
      if (stat.size > this.leftoverEnd) return 'grown';
      return (await this.cut()) ? 'unchanged' : 'grown';
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

  private async write(bytes: Uint8Array): Promise<void> {
    // A disk that fills up takes a part first and fails at the next call.
    for (let done = 0; done < bytes.length;) {
      const written = await this.file.append(done === 0 ? bytes : bytes.subarray(done));
      if (written === 0)
        throw new StorageError('failed', 'the disk takes no more bytes. What was saved before is safe.');
      done += written;
    }
    await this.file.datasync();
    this.knownSize += bytes.length;
  }

  private async cut(): Promise<boolean> {
    try {
      await this.file.truncate(this.knownSize);
      this.leftoverEnd = 0;
      return true;
    } catch {
      return false;
    }
  }

  private async writeAnew(): Promise<void> {
    const temporary = `${this.path}.new`;
    await this.fs.makeDir(dirname(this.path));
    await this.fs.remove(temporary);
    const file = await this.fs.open(temporary, 'create');
    try {
      await copyBytes(this.file, file, this.knownSize);
      await file.datasync();
      await this.fs.rename(temporary, this.path);
      await this.fs.syncDir(dirname(this.path));
    } catch (error) {
      await file.close().catch(() => undefined);
      await this.fs.remove(temporary).catch(() => undefined);
      throw error;
    }
    await this.replaceHandle(file);
  }

  /** A sync or backup program may have put an equal file in place of ours; anything else is left alone. */
  private async followReplacement(): Promise<CheckResult> {
    const other = await this.fs.open(this.path, 'append');
    const isSame = await beginsEqual(this.file, other, this.knownSize).catch(() => false);
    if (!isSame) {
      await other.close().catch(() => undefined);
      throw new StorageError('changed', CHANGED);
    }
    await this.replaceHandle(other);
    return (await other.stat()).size > this.knownSize ? 'grown' : 'unchanged';
  }

  private async replaceHandle(file: JournalFile): Promise<void> {
    await this.file.close().catch(() => undefined);
    this.file = file;
    this.identity = (await file.stat()).identity;
    this.leftoverEnd = 0;
  }
}

/**
 * Opens a file that must be new (engine.md 1.9). An empty one counts as new, and so does what a failed attempt of ours
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

async function beginsEqual(a: JournalFile, b: JournalFile, size: number): Promise<boolean> {
  const [left, right] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
  for (let position = 0; position < size; position += CHUNK_BYTES) {
    const wanted = Math.min(CHUNK_BYTES, size - position);
    const reads = [await a.read(left.subarray(0, wanted), position), await b.read(right.subarray(0, wanted), position)];
    if (reads.some((read) => read !== wanted) || left.compare(right, 0, wanted, 0, wanted) !== 0) return false;
  }
  return true;
}
