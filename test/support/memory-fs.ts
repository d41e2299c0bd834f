import type { FileFacts, JournalFile, JournalFs } from '../../src/main/journal/file/fs';

interface Inode {
  number: number;
  /** More than `size` bytes: an append must not copy the whole file. */
  bytes: Buffer;
  size: number;
  modified: number;
}

function failure(code: 'ENOENT' | 'EEXIST', path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/**
 * A file system in memory, for runs that open and sync files tens of thousands of times. What it is true to: names and
 * files are two things (an open file survives its removal), an append goes to the end, a rename replaces. `FailingFs` adds
 * faults and power cuts to it as it does to the real one.
 */
export class MemoryFs implements JournalFs {
  private readonly names = new Map<string, Inode>();
  private made = 0;
  private time = 0;

  /** Puts a file in place, as another program would. */
  put(path: string, bytes: Uint8Array): void {
    this.names.set(path, { ...this.newInode(), bytes: Buffer.from(bytes), size: bytes.length });
  }

  /** Writes over a file in its place, as a program does that keeps the file and changes what is in it. */
  overwrite(path: string, bytes: Uint8Array): void {
    const inode = this.names.get(path);
    if (!inode) return this.put(path, bytes);
    Object.assign(inode, { bytes: Buffer.from(bytes), size: bytes.length, modified: ++this.time });
  }

  /** The bytes of a file, or null if there is none. */
  get(path: string): Buffer | null {
    const inode = this.names.get(path);
    return inode ? Buffer.from(inode.bytes.subarray(0, inode.size)) : null;
  }

  open(path: string, mode: 'read' | 'append' | 'create'): Promise<JournalFile> {
    return this.later(() => {
      const found = this.names.get(path);
      if (found && mode === 'create') throw failure('EEXIST', path);
      if (found) return this.handle(found);
      if (mode !== 'create') throw failure('ENOENT', path);
      const inode = this.newInode();
      this.names.set(path, inode);
      return this.handle(inode);
    });
  }

  kind(path: string): Promise<'file' | null> {
    return this.later(() => (this.names.has(path) ? 'file' : null));
  }

  stat(path: string): Promise<FileFacts | null> {
    return this.later(() => {
      const inode = this.names.get(path);
      return inode ? this.facts(inode) : null;
    });
  }

  list(dir: string): Promise<string[]> {
    const start = `${dir}/`;
    const inside = (path: string): string => path.slice(start.length).split('/')[0] ?? '';
    return this.later(() => [
      ...new Set([...this.names.keys()].filter((path) => path.startsWith(start)).map((path) => inside(path))),
    ]);
  }

  makeDir(): Promise<void> {
    return Promise.resolve();
  }

  setTime(path: string, modifiedMs: number): Promise<void> {
    return this.later(() => {
      this.need(path).modified = modifiedMs;
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.later(() => {
      this.names.set(to, this.need(from));
      this.names.delete(from);
    });
  }

  place(from: string, to: string): Promise<void> {
    return this.later(() => {
      if (this.names.has(to)) throw failure('EEXIST', to);
      this.names.set(to, this.need(from));
      this.names.delete(from);
    });
  }

  remove(path: string): Promise<void> {
    return this.later(() => void this.names.delete(path));
  }

  removeTree(path: string): Promise<void> {
    return this.later(() => {
      for (const name of [...this.names.keys()]) {
        if (name === path || name.startsWith(`${path}/`)) this.names.delete(name);
      }
    });
  }

  readText(path: string): Promise<string | null> {
    return this.later(() => this.get(path)?.toString('utf8') ?? null);
  }

  writeText(path: string, text: string): Promise<void> {
    return this.later(() => this.put(path, Buffer.from(text, 'utf8')));
  }

  syncDir(): Promise<void> {
    return Promise.resolve();
  }

  /** Like the real one, no call takes effect or fails before its promise was handed out. */
  private async later<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    return work();
  }

  private need(path: string): Inode {
    const inode = this.names.get(path);
    if (!inode) throw failure('ENOENT', path);
    return inode;
  }

  private newInode(): Inode {
    return { number: ++this.made, bytes: Buffer.alloc(0), size: 0, modified: ++this.time };
  }

  private facts({ number, size, modified }: Inode): FileFacts {
    return { identity: `memory:${number}`, size, modifiedMs: modified, changedMs: modified };
  }

  private handle(inode: Inode): JournalFile {
    return {
      read: (buffer, position) =>
        this.later(() => inode.bytes.copy(buffer, 0, Math.min(position, inode.size), inode.size)),
      append: (bytes) =>
        this.later(() => {
          const size = inode.size + bytes.length;
          if (size > inode.bytes.length) {
            const larger = Buffer.alloc(Math.max(4096, 2 * size));
            inode.bytes.copy(larger, 0, 0, inode.size);
            inode.bytes = larger;
          }
          inode.bytes.set(bytes, inode.size);
          Object.assign(inode, { size, modified: ++this.time });
          return bytes.length;
        }),
      datasync: () => Promise.resolve(),
      truncate: (size) =>
        this.later(() => {
          inode.size = Math.min(size, inode.size);
          inode.modified = ++this.time;
        }),
      stat: () => this.later(() => this.facts(inode)),
      close: () => Promise.resolve(),
    };
  }
}
