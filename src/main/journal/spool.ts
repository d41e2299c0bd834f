import { createHash } from 'node:crypto';
import type { StoredLine } from '@shared/types';
import type { SessionHeader } from '@shared/session/entry';
import { createHeaderScan, parseRecord } from '@shared/session/records';
import { lineFacts } from './compare-copies';
import type { LineFacts } from './compare-copies';
import type { JournalFs } from './fs';
import { decodeLine, readLines } from './line-reader';
import { toStorageError } from '../own-files/storage-error';

/** The lines of a copy of a session, in a file of their own. */
export interface Spool {
  path: string;
  facts: LineFacts[];
  header: SessionHeader;
  /** Number of the header's line. */
  headerSeq: number;
  /** SHA-256 over all lines, hexadecimal: the same lines give the same. */
  digest: string;
}

/**
 * Writes lines as they come to a new file, durable. Rejects with `NotASessionFileError` if they are no session, with
 * `StorageError` if they cannot be written; then there is no such file.
 */
export async function spoolLines(
  fs: JournalFs,
  path: string,
  name: string,
  lines: AsyncIterable<readonly StoredLine[]>,
): Promise<Spool> {
  await writeSome(fs.remove(path));
  const file = await writeSome(fs.open(path, 'create'));
  const scan = createHeaderScan(name);
  const digest = createHash('sha256');
  const facts: LineFacts[] = [];
  let found: { header: SessionHeader; headerSeq: number } | null = null;
  try {
    for await (const chunk of lines) {
      for (const { line } of chunk) {
        const header: SessionHeader | null = found ? null : scan.feed(parseRecord(line), Buffer.byteLength(line) + 1);
        if (header) found = { header, headerSeq: facts.length };
        facts.push(lineFacts(line));
      }
      const bytes = Buffer.from(chunk.map(({ line }) => `${line}\n`).join(''), 'utf8');
      digest.update(bytes);
      for (let done = 0; done < bytes.length;) done += await writeSome(file.append(bytes.subarray(done)));
    }
    if (!found) scan.end();
    if (!found) throw new Error('A header scan ended without its error');
    await writeSome(file.datasync());
    await file.close();
    return { path, facts, ...found, digest: digest.digest('hex') };
  } catch (error) {
    await file.close().catch(() => undefined);
    await fs.remove(path).catch(() => undefined);
    throw error;
  }
}

/** The lines of a file in chunks, numbered from 0. The last counts without its newline as well. */
export async function* linesOfFile(fs: JournalFs, path: string): AsyncGenerator<StoredLine[]> {
  const file = await fs.open(path, 'read');
  try {
    const { size } = await file.stat();
    let seq = 0;
    for await (const batch of readLines(file, 0, size)) {
      const chunk = batch.map(({ bytes }) => {
        const line = decodeLine(bytes);
        const record = parseRecord(line);
        return { seq: seq++, id: record.kind === 'entry' ? record.entry.id : '', line };
      });
      yield chunk;
    }
  } finally {
    await file.close().catch(() => undefined);
  }
}

async function writeSome<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toStorageError(error);
  }
}
