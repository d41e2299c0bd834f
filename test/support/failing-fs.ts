import { dirname } from 'node:path';
import { type FileFacts, type JournalFile, type JournalFs, nodeFs } from '../../src/main/journal/file/fs';

export type FaultKind = 'ENOSPC' | 'EIO' | 'short';

export interface Fault {
  /** The call that fails, counted from 1 over all calls. */
  at: number;
  /** `short`: an append takes half of the bytes, and the next one fails with ENOSPC; other calls fail with EIO. */
  kind: FaultKind;
  /** All calls that write fail from then on, as on a disk that stays full. Reading still works. */
  stays?: boolean;
}

interface Tracked {
  /** Bytes that a datasync made durable. */
  synced: number;
  size: number;
}

function failure(code: 'ENOSPC' | 'EIO'): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/**
 * A file system (default: the real one) with faults: the k-th call fails, an append writes short, and `crash` forgets what was never synced,
 * as a power cut does (QB1, QB6).
 */
export class FailingFs implements JournalFs {
  calls = 0;
  /** Writes at the end of a file, among the calls. */
  appends = 0;
  private isShort = false;
  private readonly files = new Map<string, Tracked>();
  /** Names whose folder was not synced since they appeared. */
  private readonly newNames = new Set<string>();

  constructor(
    private readonly fault: Fault | null = null,
    private readonly inner: JournalFs = nodeFs,
  ) {}

  /** Cuts every file back to a point between what was synced and what was written; `share` 0 keeps only the synced. */
  async crash(share = 0): Promise<void> {
    for (const [path, { synced, size }] of this.files) {
      const kept = synced + Math.floor((size - synced) * share);
      const now = await this.inner.stat(path);
      if (!now || now.size <= kept) continue;
      const file = await this.inner.open(path, 'append');
      await file.truncate(kept);
      await file.close();
    }
    if (share === 0) for (const path of this.newNames) await this.inner.remove(path);
  }

  /** Counts a call and fails it if it is its turn. */
  private count(writes: boolean): void {
    this.calls++;
    if (!this.fault) return;
    const { at, kind, stays } = this.fault;
    if (this.calls === at || (stays === true && writes && this.calls > at))
      throw failure(kind === 'ENOSPC' ? 'ENOSPC' : 'EIO');
  }

  /** How many bytes of an append go through, or a throw. */
  private grant(bytes: number): number {
    if (this.isShort) {
      this.isShort = false;
      this.calls++;
      throw failure('ENOSPC');
    }
    if (this.fault?.kind === 'short' && this.calls + 1 === this.fault.at && bytes > 1) {
      this.calls++;
      this.isShort = true;
      return Math.floor(bytes / 2);
    }
    this.count(true);
    return bytes;
  }

  async open(path: string, mode: 'read' | 'append' | 'create'): Promise<JournalFile> {
    // One that is there is opened without a byte of room.
    this.count(mode === 'create');
    const isNew = (await this.inner.stat(path)) === null;
    const file = await this.inner.open(path, mode);
    if (mode === 'read') return this.wrap(file, null);
    if (isNew) this.newNames.add(path);
    const { size } = await file.stat();
    const tracked = this.files.get(path) ?? { synced: size, size };
    this.files.set(path, tracked);
    return this.wrap(file, tracked);
  }

  private wrap(file: JournalFile, tracked: Tracked | null): JournalFile {
    return {
      read: async (buffer, position) => {
        this.count(false);
        return file.read(buffer, position);
      },
      append: async (bytes) => {
        this.appends++;
        const granted = this.grant(bytes.length);
        const written = await file.append(bytes.subarray(0, granted));
        if (tracked) tracked.size += written;
        return written;
      },
      datasync: async () => {
        this.count(true);
        if (tracked) tracked.synced = tracked.size;
        await file.datasync();
      },
      truncate: async (size) => {
        this.count(true);
        await file.truncate(size);
        if (tracked) Object.assign(tracked, { size, synced: Math.min(size, tracked.synced) });
      },
      stat: async (): Promise<FileFacts> => {
        this.count(false);
        return file.stat();
      },
      close: () => file.close(),
    };
  }

  async kind(path: string): ReturnType<JournalFs['kind']> {
    this.count(false);
    return this.inner.kind(path);
  }
  async stat(path: string): Promise<FileFacts | null> {
    this.count(false);
    return this.inner.stat(path);
  }
  async list(dir: string): Promise<string[]> {
    this.count(false);
    return this.inner.list(dir);
  }
  async makeDir(dir: string): Promise<void> {
    this.count(true);
    await this.inner.makeDir(dir);
  }
  async setTime(path: string, modifiedMs: number): Promise<void> {
    this.count(true);
    await this.inner.setTime(path, modifiedMs);
  }
  async rename(from: string, to: string): Promise<void> {
    this.count(true);
    await this.inner.rename(from, to);
    this.moved(from, to);
  }
  async place(from: string, to: string): Promise<void> {
    this.count(true);
    await this.inner.place(from, to);
    this.moved(from, to);
  }
  private moved(from: string, to: string): void {
    const tracked = this.files.get(from);
    if (tracked) this.files.set(to, tracked);
    this.files.delete(from);
    if (this.newNames.delete(from)) this.newNames.add(to);
  }
  async remove(path: string): Promise<void> {
    this.count(true);
    await this.inner.remove(path);
    this.files.delete(path);
    this.newNames.delete(path);
  }
  async removeTree(path: string): Promise<void> {
    this.count(true);
    await this.inner.removeTree(path);
  }
  async readText(path: string): Promise<string | null> {
    this.count(false);
    return this.inner.readText(path);
  }
  async writeText(path: string, text: string): Promise<void> {
    this.count(true);
    await this.inner.writeText(path, text);
  }
  async syncDir(dir: string): Promise<void> {
    this.count(true);
    await this.inner.syncDir(dir);
    for (const path of this.newNames) if (dirname(path) === dir) this.newNames.delete(path);
  }
}
