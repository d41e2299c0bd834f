import type { JournalFile, JournalFs } from './fs';
import { decodeLine, readLines } from './line-reader';
import type { SessionHeader } from '@shared/session/records/entry';
import { createHeaderScan, HEADER_SEARCH_BYTES, parseRecord } from '@shared/session/records/records';

/** Nearly every header lies in the first few kilobytes; the rest is read only where it does not. */
const HEADER_WINDOWS = [16 * 1024, HEADER_SEARCH_BYTES];

/** The header of a session file, read without the rest; null if there is none. Rejects with `NotASessionFileError` for other records. */
export async function readHeaderOf(fs: Pick<JournalFs, 'open'>, path: string): Promise<SessionHeader | null> {
  const file = await fs.open(path, 'read');
  try {
    return await readHeader(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

async function readHeader(file: JournalFile, size: number): Promise<SessionHeader | null> {
  for (const window of HEADER_WINDOWS) {
    const scan = createHeaderScan('session');
    for await (const batch of readLines(file, 0, Math.min(size, window))) {
      for (const { bytes, ended } of batch) {
        if (!ended && window < size) break;
        const header = scan.feed(parseRecord(decodeLine(bytes)), bytes.length + 1);
        if (header) return header;
      }
    }
  }
  return null;
}
