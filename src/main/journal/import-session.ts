/** File → Import: copies a pi or oh-my-pi session into the store (SF15, SF17, SF21). */
import { basename } from 'node:path';
import { z } from 'zod';
import type { SessionHeader } from '@shared/session/entry';
import { NotASessionFileError } from '@shared/session/errors';
import { uuidFrom } from '@shared/session/ids';
import type { RandomHex } from '@shared/session/ids';
import { createMigrator, migratedLine } from '@shared/session/migrate';
import type { Migrator } from '@shared/session/migrate';
import { createHeaderScan, HEADER_SEARCH_BYTES, parseRecord, versionOf } from '@shared/session/records';
import { serializeHeader } from '@shared/session/serialize-entry';
import { errorCode, PickedFileError } from './fs';
import type { JournalFs, PickedFs, PickedSource } from './fs';
import type { ImportNote } from './import-note';
import { decodeLine, readLines } from './line-reader';
import { whatIsThere } from './session-error';
import { isPortableSessionId } from './session-files';
import type { SessionFiles } from './session-files';
import { NameTakenError, writeNewFile } from './write-whole';

/** The file to import cannot be read; the message is for the person. */
class ImportError extends Error {
  override readonly name = 'ImportError';
}

export interface ImportSurroundings {
  fs: JournalFs;
  /** Where the file is that is imported. */
  picked: PickedFs;
  files: SessionFiles;
  randomHex: RandomHex;
  /** Unix milliseconds. */
  clock: () => number;
  isTaken(sessionId: string): Promise<boolean>;
  /** Is told of the session whose files are being written. */
  note: Pick<ImportNote, 'during'>;
  log: { warn(message: string, detail?: unknown): void };
}

/** What is kept about an import, so that its original bytes can be given back. */
export const importFactsSchema = z.object({
  name: z.string(),
  importedAt: z.number(),
  version: z.number(),
  /** Bytes of the imported file: where it was version 3 the journal begins with them. */
  bytes: z.number(),
});

/**
 * Copies a session file into the store and returns its session id: the id of its header, or a fresh one where that is
 * taken or no file name. Version 3 is copied byte for byte; older versions are migrated and their bytes kept beside. The
 * file is read in chunks, whatever its size. Rejects with `ImportError` or `StorageError`; the source is never written, and
 * then the store is as before.
 */
export async function importSession(path: string, around: ImportSurroundings): Promise<string> {
  const name = basename(path);
  const source = await openSource(around.picked, path, name);
  try {
    return await copyIn(source, name, around);
  } catch (error) {
    throw toImportError(error, name);
  } finally {
    await source.close().catch(() => undefined);
  }
}

async function copyIn(source: PickedSource, name: string, around: ImportSurroundings): Promise<string> {
  const { size } = await source.stat();
  const header = await findHeader(source, size, name);
  for (let wanted = header.id; ; wanted = '') {
    const sessionId = await freeId(wanted, around);
    try {
      await around.note.during(sessionId, () => copyAs(sessionId, source, { name, size, header }, around));
      return sessionId;
    } catch (error) {
      // Another import, or a sync program, was quicker: what it laid there is no less a session than this one.
      if (!(error instanceof NameTakenError)) throw error;
    }
  }
}

/** Rejects with `NameTakenError` if a file of that session is there or comes meanwhile: none is ever replaced. */
async function copyAs(
  sessionId: string,
  source: PickedSource,
  { name, size, header }: { name: string; size: number; header: SessionHeader },
  { fs, files, randomHex, clock, log }: ImportSurroundings,
): Promise<void> {
  const migrator = createMigrator(header, { randomHex });
  const written: string[] = [];
  const write = async (path: string, content: Parameters<typeof writeNewFile>[2]): Promise<void> => {
    await writeNewFile(fs, path, content, log);
    written.push(path);
  };
  try {
    // The small one first: who imports a file of the same id meanwhile sees that this is taken.
    const facts = { name, importedAt: clock(), version: versionOf(header), bytes: size };
    await write(files.importFacts(sessionId), [Buffer.from(`${JSON.stringify(facts, null, 2)}\n`)]);
    if (migrator.needed) await write(files.original(sessionId), copyOf(source, size));
    // The journal last: without it there is no session.
    await write(files.journal(sessionId), migrator.needed ? migrated(source, size, migrator) : copyOf(source, size));
  } catch (error) {
    for (const path of written) await fs.remove(path).catch(() => undefined);
    throw error;
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'it no longer exists',
  EACCES: 'Espalier may not read it',
  EPERM: 'Espalier may not read it',
};

/** The error for the person: what happened, that nothing was touched, what to do. A bug passes unchanged. */
function toImportError(error: unknown, name: string): unknown {
  if (error instanceof NotASessionFileError) {
    const what = 'Nothing was imported and the file was left as it is.';
    const todo = 'Choose a session file of Espalier, pi or oh-my-pi (.jsonl).';
    return new ImportError(`Not a session file: ${name}. ${what} ${todo}`, { cause: error });
  }
  if (error instanceof PickedFileError)
    return new ImportError(`Nothing was imported: ${error.message} Nothing was changed.`, { cause: error });
  const code = errorCode(error);
  const what = whatIsThere(error);
  if (code === '' && what === null) return error;
  const reported =
    what === null
      ? `it could not be read (the system reported ${code}); check its disk and try again`
      : `it is ${what}`;
  const why = REASONS[code] ?? (what === 'a folder' ? 'it is a folder; choose a session file in it' : reported);
  return new ImportError(`${name} was not imported: ${why}. The file was left as it is.`, { cause: error });
}

async function openSource(fs: PickedFs, path: string, name: string): Promise<PickedSource> {
  try {
    return await fs.open(path, 'read');
  } catch (error) {
    throw toImportError(error, name);
  }
}

async function findHeader(source: PickedSource, size: number, name: string): Promise<SessionHeader> {
  const scan = createHeaderScan(name);
  for await (const lines of readLines(source, 0, Math.min(size, 2 * HEADER_SEARCH_BYTES))) {
    for (const { bytes } of lines) {
      const header = scan.feed(parseRecord(decodeLine(bytes)), bytes.length + 1);
      if (header) return header;
    }
  }
  scan.end();
  throw new Error('A header scan ended without its error');
}

async function freeId(wanted: string, { isTaken, randomHex }: ImportSurroundings): Promise<string> {
  let id = wanted;
  while (!isPortableSessionId(id) || (await isTaken(id))) id = uuidFrom(randomHex(32));
  return id;
}

/** By its lines: with one that `readLines` refuses it could not be opened afterwards. */
async function* copyOf(source: PickedSource, size: number): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const lines of readLines(source, 0, size)) {
    const [first, last] = [lines[0], lines.at(-1)];
    if (!first || !last) continue;
    const length = last.offset + last.bytes.length + (last.ended ? 1 : 0) - first.offset;
    // The lines of a batch lie one after the other, with their newlines.
    yield new Uint8Array(first.bytes.buffer, first.bytes.byteOffset, length);
    position += length;
  }
  if (position < size)
    throw new ImportError('The file became shorter while it was read, so it was not imported. Try again.');
}

/** The lines of version 3; what is no entry keeps its bytes. */
async function* migrated(source: PickedSource, size: number, migrator: Migrator): AsyncGenerator<Uint8Array> {
  let isAfterHeader = false;
  for await (const lines of readLines(source, 0, size)) {
    const parts: Buffer[] = [];
    for (const { bytes, ended } of lines) {
      parts.push(isAfterHeader ? migrateLine(bytes, migrator) : Buffer.from(bytes));
      if (!isAfterHeader && parseRecord(decodeLine(bytes)).kind === 'header') {
        isAfterHeader = true;
        parts[parts.length - 1] = Buffer.from(serializeHeader(migrator.header));
      }
      if (ended) parts.push(Buffer.from('\n'));
    }
    yield Buffer.concat(parts);
  }
}

function migrateLine(bytes: Uint8Array, migrator: Migrator): Buffer {
  const line = decodeLine(bytes);
  const record = migrator.migrate(line);
  return Buffer.from(record.kind === 'entry' ? migratedLine(line, record) : bytes);
}
