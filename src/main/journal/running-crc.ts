import type { JournalFs } from './fs';
import { crcAfterLine } from './journal-builder';
import { readLines } from './line-reader';

/** The running CRC of a session file after each of its lines, some lines at a time. */
export async function* runningCrcs(fs: JournalFs, path: string): AsyncGenerator<number[]> {
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
