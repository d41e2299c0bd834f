import type { StoredLine } from '@shared/types';
import { createHeaderScan, parseRecord } from '@shared/session/records';
import type { JournalFs } from './fs';
import { toStorageError } from '../own-files/storage-error';

/**
 * Writes the lines of a copy to a new file, durable, and behind them `rest`: the journal's own records that the copy does not
 * have. Rejects with
 * `NotASessionFileError` if they are no session, with `StorageError` if they cannot be written; then there is no such file.
 */
export async function writeRebuilt(
  fs: JournalFs,
  path: string,
  name: string,
  lines: AsyncIterable<readonly StoredLine[]>,
  rest: readonly StoredLine[],
): Promise<void> {
  await writeSome(fs.remove(path));
  const file = await writeSome(fs.open(path, 'create'));
  try {
    const scan = createHeaderScan(name);
    let hasHeader = false;
    const write = async (chunk: readonly StoredLine[]): Promise<void> => {
      for (const { line } of chunk) {
        if (!hasHeader) hasHeader = scan.feed(parseRecord(line), line.length + 1) !== null;
      }
      const bytes = Buffer.from(chunk.map(({ line }) => `${line}\n`).join(''), 'utf8');
      for (let done = 0; done < bytes.length;) done += await writeSome(file.append(bytes.subarray(done)));
    };
    for await (const chunk of lines) await write(chunk);
    scan.end();
    await write(rest);
    await writeSome(file.datasync());
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined);
    await fs.remove(path).catch(() => undefined);
    throw error;
  }
}

async function writeSome<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toStorageError(error);
  }
}
