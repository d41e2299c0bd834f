import type { JournalFs } from './fs';
import { crcAfterLine } from './journal-builder';
import { readLines } from './line-reader';

/** The running CRC of a session file after line `seq`; null if it has no such line. O(file). */
export async function runningCrcAt(fs: JournalFs, path: string, seq: number): Promise<number | null> {
  const file = await fs.open(path, 'read');
  try {
    let [at, crc] = [0, 0];
    for await (const lines of readLines(file, 0, (await file.stat()).size)) {
      for (const { bytes } of lines) {
        crc = crcAfterLine(bytes, crc);
        if (at++ === seq) return crc;
      }
    }
    return null;
  } finally {
    await file.close();
  }
}
