import { createHash } from 'node:crypto';
import { toStorageError } from '../../own-files/storage-error';
import type { JournalFs } from '../file/fs';
import { decodeLine, readLines } from '../file/line-reader';
import { LogClosedError, whatIsThere } from '../file/session-error';
import type { SessionFiles } from '../file/session-files';
import type { JournalLog } from '../file/session-log';
import { lineFacts, type LineFacts } from './compare-copies';
import { NotASessionFileError, type SessionHeader } from '@shared/session/records/entry';
import { createHeaderScan, parseRecord } from '@shared/session/records/records';
import type { StoredLine } from '@shared/types';

/** The two copies of a session that are compared (docs/specs/safety.md, E1): the journal's lines, and those of the other, in files of their own. */

/** What is in the place of a journal that is to be written anew. */
export interface OldJournal {
  /** Bytes; null if there is none. */
  size: number | null;
  /** Set if it is no file of ours: `a folder`. */
  what?: string;
}

/** What reading one needs of the store. */
interface Reading {
  fs: JournalFs;
  files: SessionFiles;
  using<T>(sessionId: string, work: (log: JournalLog) => Promise<T>): Promise<T>;
}

interface JournalCopy extends OldJournal {
  facts: LineFacts[];
  /** Lines of it are others than its index knows. */
  hasChanged?: boolean;
}

/**
 * The journal's lines as the comparison looks at them, all of them; null if there is none. Rejects with `LogClosedError` if the end was
 * not reached: who took a part for the whole would replace the journal by less.
 */
export async function readJournal(around: Reading, sessionId: string): Promise<JournalCopy | null> {
  const stat = await around.fs.stat(around.files.journal(sessionId)).catch((error: unknown) => {
    const what = whatIsThere(error);
    if (what === null) throw error;
    return { size: null, what };
  });
  if (!stat) return null;
  const { size } = stat;
  if ('what' in stat) return { ...stat, facts: [] };
  return around
    .using(sessionId, async (log) => {
      const facts: LineFacts[] = [];
      let hasChanged = false;
      for (let before = -1; before < facts.length;) {
        before = facts.length;
        for await (const { lines } of log.lines(facts.length)) {
          for (const { seq, line } of lines) {
            hasChanged ||= log.isChanged(seq);
            facts.push(lineFacts(line, !log.isChanged(seq)));
          }
        }
        // An append whose bytes are in the size, and whose record is not yet in the table, is read as well.
        await log.settled();
      }
      if (facts.length < log.onDisk) throw new LogClosedError();
      return { facts, size: log.size, hasChanged };
    })
    .catch((error: unknown) => {
      // No session any more: its bytes go to the trash when it is written anew. A disk that does not read is another matter.
      if (error instanceof Error && error.cause instanceof NotASessionFileError) return { facts: [], size };
      const what = whatIsThere(error);
      if (what !== null) return { facts: [], size, what };
      throw error;
    });
}

/** The journal's own sound records from a line on: what the other copy lacks. */
export async function linesFrom(
  around: Reading,
  sessionId: string,
  facts: readonly LineFacts[],
  from: number,
): Promise<StoredLine[]> {
  return around.using(sessionId, async (log) => {
    const rest: StoredLine[] = [];
    let next = from;
    for await (const { lines } of log.lines(from)) {
      rest.push(...lines.filter(({ seq }) => facts[seq]?.isSound));
      next += lines.length;
    }
    if (next < facts.length) throw new LogClosedError();
    return rest;
  });
}

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
