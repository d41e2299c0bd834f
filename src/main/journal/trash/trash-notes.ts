import { join } from 'node:path';
import { z } from 'zod';
import type { JournalFs } from '../file/fs';
import { crcAfterLine } from '../file/journal-builder';
import { readLines } from '../file/line-reader';
import { writeFileWhole } from '../file/write-whole';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 30 * DAY_MS;
/** From the start that finds its time over to the one that removes it. */
const DUE_MS = 7 * DAY_MS;

const schema = z.record(z.string(), z.object({ noticed: z.number(), due: z.number().nullable() }));
type Times = z.infer<typeof schema>;

/**
 * How long what lies in the trash has been there, by what more than one start saw: a clock that is wrong once, ahead or behind, removes
 * nothing (JN26). It notes when a start first saw each name, and since when its time is over.
 */
export class TrashTime {
  private readonly path: string;

  constructor(
    private readonly fs: JournalFs,
    dir: string,
  ) {
    this.path = join(dir, 'kept.json');
  }

  /** Notes what is there at this start; returns the names whose time is over. `now`: Unix milliseconds. Rejects, and nothing is over, if it can't be noted. */
  async over(names: readonly string[], now: number): Promise<string[]> {
    const before = await this.read();
    const after: Times = {};
    const over: string[] = [];
    for (const name of names) {
      const known = before[name];
      const noticed = Math.min(known?.noticed ?? now, now);
      const isOver = now - noticed >= KEPT_MS;
      // A clock that is right again takes back what a wrong one said.
      const due = isOver ? Math.min(known?.due ?? now, now) : null;
      if (due !== null && now - due >= DUE_MS) over.push(name);
      after[name] = { noticed, due };
    }
    await this.write(before, after);
    return over;
  }

  /** Without it everything counts as first seen now: it is kept for longer. */
  private async read(): Promise<Times> {
    try {
      return schema.parse(JSON.parse((await this.fs.readText(this.path)) ?? '{}'));
    } catch {
      return {};
    }
  }

  private async write(before: Times, after: Times): Promise<void> {
    const text = JSON.stringify(after);
    if (text === JSON.stringify(before)) return;
    if (text === '{}') await this.fs.remove(this.path);
    else await this.fs.writeText(this.path, text);
  }
}

/** The running CRC of a session file after each of its lines, some lines at a time. */
async function* runningCrcs(fs: JournalFs, path: string): AsyncGenerator<number[]> {
  const file = await fs.open(path, 'read');
  try {
    let crc = 0;
    for await (const lines of readLines(file, 0, (await file.stat()).size))
      yield lines.map(({ bytes }) => (crc = crcAfterLine(bytes, crc)));
  } finally {
    await file.close();
  }
}

/** The running CRC of a session file after line `seq`; null if it has no such line. O(file). */
export async function runningCrcAt(fs: JournalFs, path: string, seq: number): Promise<number | null> {
  let before = 0;
  for await (const crcs of runningCrcs(fs, path)) {
    const crc = crcs[seq - before];
    if (crc !== undefined) return crc;
    before += crcs.length;
  }
  return null;
}

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
