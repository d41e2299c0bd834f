import { join } from 'node:path';
import type { JournalFs } from './fs';
import { runningCrcs } from './running-crc';
import { writeFileWhole } from './write-whole';

const MARK = /^(.+)\.gone\.crc$/;
/** Of a running CRC in the file. */
const BYTES = 4;

/** True for the name of a file that this writes. */
export function isGoneMark(name: string): boolean {
  return MARK.test(name);
}

/**
 * Sessions that were deleted for good, by the running CRC of each line they had, four bytes a line: the rows of a database that still has
 * them are told by it and dropped, those that have more are not. No word of a session can be read from it.
 */
export class GoneSessions {
  constructor(
    private readonly fs: JournalFs,
    private readonly dir: string,
  ) {}

  /** Notes what is in this journal, durable. Rejects with `StorageError` if it can't be written. */
  async note(id: string, journal: string): Promise<void> {
    await writeFileWhole(this.fs, this.pathOf(id), this.crcsOf(journal));
  }

  /** It is back: what its journal has counts from now on. */
  async forget(id: string): Promise<void> {
    await this.fs.remove(this.pathOf(id));
  }

  async ids(): Promise<string[]> {
    return (await this.fs.list(this.dir)).flatMap((name) => MARK.exec(name)?.[1] ?? []);
  }

  /** The running CRC of the session's file after line `seq`; null if it had no such line, or was not deleted for good. */
  async crcAt(id: string, seq: number): Promise<number | null> {
    const path = this.pathOf(id);
    if (!(await this.fs.stat(path))) return null;
    const file = await this.fs.open(path, 'read');
    try {
      const bytes = new Uint8Array(BYTES);
      if ((await file.read(bytes, seq * BYTES)) < BYTES) return null;
      return new DataView(bytes.buffer).getUint32(0, true);
    } finally {
      await file.close();
    }
  }

  private pathOf(id: string): string {
    return join(this.dir, `${id}.gone.crc`);
  }

  private async *crcsOf(journal: string): AsyncGenerator<Uint8Array> {
    for await (const crcs of runningCrcs(this.fs, journal)) {
      const view = new DataView(new ArrayBuffer(crcs.length * BYTES));
      crcs.forEach((crc, at) => view.setUint32(at * BYTES, crc, true));
      yield new Uint8Array(view.buffer);
    }
  }
}
