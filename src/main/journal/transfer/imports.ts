import { basename, join } from 'node:path';
import { z } from 'zod';
import { hostname } from 'node:os';
import { errorCode, isEmptyFile, type JournalFs, moveEmptyFile, PickedFileError, type PickedSource } from '../file/fs';
import { decodeLine, readLines } from '../file/line-reader';
import { whatIsThere } from '../file/session-error';
import { isPortableSessionId, isSafeSessionId, type SessionFiles } from '../file/session-files';
import { isPartName, NameTakenError, writeNewFile } from '../file/write-whole';
import type { Trash } from '../trash/trash';
import { NotASessionFileError, type SessionHeader } from '@shared/session/records/entry';
import { type RandomHex, uuidFrom } from '@shared/session/records/ids';
import { createMigrator, migratedLine, type Migrator } from '@shared/session/records/migrate';
import { createHeaderScan, HEADER_SEARCH_BYTES, parseRecord, versionOf } from '@shared/session/records/records';
import { serializeHeader } from '@shared/session/records/serialize-entry';

/** The file to import cannot be read; the message is for the person. */
class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Where the file is that is imported. */
export interface SourceFs {
  open(path: string, mode: 'read'): Promise<PickedSource>;
}

export interface ImportSurroundings {
  fs: JournalFs;
  picked: SourceFs;
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
  /** The id that the file had. Absent: it was not noted yet. */
  id: z.string().optional().catch(undefined),
});
export type ImportFacts = z.infer<typeof importFactsSchema>;

/**
 * File → Import: copies a pi or oh-my-pi session into the store (SF15, SF17, SF21). Returns its session id: the id of its header, or a fresh one where that is
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
    const facts: ImportFacts = { name, importedAt: clock(), version: versionOf(header), bytes: size, id: header.id };
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
export function toImportError(error: unknown, name: string): unknown {
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

export async function openSource(fs: SourceFs, path: string, name: string): Promise<PickedSource> {
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
export async function* copyOf(source: PickedSource, size: number): AsyncGenerator<Uint8Array> {
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

const schema = z.object({ host: z.string(), ids: z.array(z.string()) });

/** Which sessions imports are writing, noted so that what is left of one that was cut off with the process goes at the next start (JN28). */
export class ImportNote {
  private readonly ids = new Set<string>();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly fs: JournalFs,
    /** A file of our own; without one nothing is noted. */
    private readonly path: string | undefined,
    private readonly log: { warn(message: string, detail?: unknown): void },
  ) {}

  /**
   * Ids of the sessions that an earlier run on this computer was importing when it ended; call once, before any import. None are known by a
   * note that can't be read, or that another computer wrote: it may be at it.
   */
  async left(): Promise<ReadonlySet<string>> {
    if (this.path === undefined) return new Set();
    try {
      const text = await this.fs.readText(this.path);
      const { host, ids } = text === null ? { host: '', ids: [] } : schema.parse(JSON.parse(text));
      return new Set(host === hostname() ? ids.filter(isSafeSessionId) : []);
    } catch (error) {
      this.log.warn('What was noted of imports could not be read', error);
      return new Set();
    }
  }

  /** Does `work`, which writes the files of a session, with that noted. */
  async during<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    this.ids.add(sessionId);
    await this.save();
    try {
      return await work();
    } finally {
      this.ids.delete(sessionId);
      await this.save();
    }
  }

  /** Writes which are under way now. An import goes on where that can't be noted. */
  save(): Promise<void> {
    const { path } = this;
    if (path === undefined) return Promise.resolve();
    this.writing = this.writing
      .then(() =>
        this.ids.size === 0
          ? this.fs.remove(path)
          : this.fs.writeText(path, JSON.stringify({ host: hostname(), ids: [...this.ids] })),
      )
      .catch((error: unknown) => this.log.warn('An import could not be noted', error));
    return this.writing;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What imports left that were cut off with an earlier run, by the note of that; the note goes with it. Never rejects. */
export async function clearCutImports(
  { fs, files, trash, clock, log }: HalvesSurroundings,
  note: ImportNote,
): Promise<void> {
  try {
    const ours = await note.left();
    await removeHalves(fs, files, trash, clock(), ours);
    if (ours.size > 0) await note.save();
  } catch (error) {
    log.warn('What an import left that was cut off could not be removed', error);
  }
}

interface HalvesSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  trash: Trash;
  /** Unix milliseconds. */
  clock: () => number;
  log: { warn(message: string, detail?: unknown): void };
}

/**
 * Removes the parts of files that never came to their names, and frees the ids of imports that have no journal yet (JN28). What is younger
 * than a day another computer may be at, in a folder that both have (E1), unless it is of a session in `ours`: that a run of this computer was
 * importing, which has ended. `now`: Unix milliseconds.
 */
export async function removeHalves(
  fs: JournalFs,
  files: SessionFiles,
  trash: Trash,
  now: number,
  ours: ReadonlySet<string> = new Set(),
): Promise<void> {
  const isOld = async (name: string): Promise<boolean> => {
    // An id has no dot.
    if (ours.has(name.slice(0, name.indexOf('.')))) return true;
    const facts = await fs.stat(join(files.dir, name));
    // A program that copies times brings an old one. What lies ahead says that one of two clocks is wrong.
    return facts === null || [facts.modifiedMs, facts.changedMs].every((time) => now - time >= DAY_MS);
  };
  const names = await fs.list(files.dir);
  for (const name of names.filter(isPartName)) if (await isOld(name)) await fs.remove(join(files.dir, name));
  const whole = names.filter((name) => !isPartName(name));
  for (const name of whole) {
    const id = /^(.+)\.import\.json$/.exec(name)?.[1];
    if (id === undefined || !isSafeSessionId(id) || (await trash.awaits(id, name))) continue;
    const [facts, original, journal] = [files.importFacts(id), files.original(id), files.journal(id)];
    const own = whole.filter((other) => other.startsWith(`${id}.`));
    // With anything else beside it it is a session whose journal is gone, which the database has. Not so with an empty file that took the
    // journal's name, or with one that a start had moved aside when it was cut off.
    const others = own.map((other) => join(files.dir, other)).filter((path) => path !== facts && path !== original);
    const isOurs = async (path: string): Promise<boolean> =>
      (path === journal || path.startsWith(`${journal}.bad-`)) && isEmptyFile(fs, path);
    if ((await Promise.all(others.map(isOurs))).includes(false)) continue;
    // A part that is still there is the journal that is being written.
    const all = await Promise.all(names.filter((other) => other.startsWith(`${id}.`)).map(isOld));
    if (all.includes(false)) continue;
    // The facts last: by them the next start finds what is left.
    if (!(await removeEmpty(fs, others, journal, `${journal}.bad-${now}`))) continue;
    if (own.includes(basename(original))) await trash.take(original, id, now);
    await fs.remove(facts);
  }
}

/** Removes the empty files of a journal that never came, its name moved aside first. False if one got bytes meanwhile: that one stays. */
async function removeEmpty(fs: JournalFs, paths: readonly string[], journal: string, aside: string): Promise<boolean> {
  if (paths.includes(journal) && !(await moveEmptyFile(fs, journal, aside))) return false;
  for (const path of new Set(paths.map((path) => (path === journal ? aside : path)))) {
    // Who had it open may have written into it.
    if (!(await isEmptyFile(fs, path))) return false;
    await fs.remove(path);
  }
  return true;
}
