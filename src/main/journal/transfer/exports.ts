import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { StorageError } from '../../own-files/storage-error';
import type { JournalFile, JournalFs, PickedFs } from '../file/fs';
import { CHUNK_BYTES } from '../file/line-reader';
import { SessionError, toReadError } from '../file/session-error';
import { checkedSessionId, type SessionFiles } from '../file/session-files';
import type { JournalLog } from '../file/session-log';
import { isPartName, type PartsNote, placeOfPart, toWriteError, writeFileWhole } from '../file/write-whole';
import { importFactsSchema } from './imports';

const schema = z.array(z.string());

/** Which files an export is writing beside their places, noted so that one that was cut off with the process is cleared up (JN30). */
class ExportParts implements PartsNote {
  private readonly parts = new Set<string>();
  /** Of these, those of earlier runs. */
  private left: string[] = [];
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly fs: JournalFs,
    /** A file of our own; without one nothing is noted. */
    private readonly path: string | undefined,
    private readonly log: { warn(message: string, detail?: unknown): void },
  ) {}

  /** Reads what earlier runs left; call once, before any export. A note that can't be read names nothing. */
  async read(): Promise<void> {
    if (this.path === undefined) return;
    try {
      const noted = schema.parse(JSON.parse((await this.fs.readText(this.path)) ?? '[]'));
      // Whatever the note says, nothing else is ever removed.
      this.left = noted.filter((part) => isPartName(basename(part)));
      for (const part of this.left) this.parts.add(part);
    } catch (error) {
      this.log.warn('What was noted of exports could not be read', error);
    }
  }

  async begin(part: string): Promise<void> {
    this.parts.add(part);
    await this.save();
  }

  async end(part: string): Promise<void> {
    this.parts.delete(part);
    await this.save();
  }

  /** Removes what earlier runs left; resolves to the files that were to be made. What can't be reached now is tried again at the next start. */
  async clear(picked: Pick<PickedFs, 'kind' | 'remove'>): Promise<string[]> {
    const cut: string[] = [];
    for (const part of this.left) {
      try {
        const isThere = (await picked.kind(part)) === 'file';
        if (isThere) await picked.remove(part);
        if (isThere) cut.push(join(dirname(part), placeOfPart(basename(part))));
        await this.end(part);
      } catch (error) {
        this.log.warn(`What an export left that was cut off could not be removed: ${part}`, error);
      }
    }
    this.left = [];
    return cut;
  }

  /** An export goes on where its note can't be written: it may be the way off a full disk. */
  private save(): Promise<void> {
    const { path } = this;
    if (path === undefined) return Promise.resolve();
    this.writing = this.writing
      .then(() =>
        this.parts.size === 0 ? this.fs.remove(path) : this.fs.writeText(path, JSON.stringify([...this.parts])),
      )
      .catch((error: unknown) => this.log.warn('An export could not be noted', error));
    return this.writing;
  }
}

/**
 * File → Export: the bytes of a session, unchanged (SF21). Copies a session's journal, or the file that stands for it (`journal`), to `path`, or the bytes that it was imported from (`original`; the journal where it was not
 * imported). `picked` is where `path` is. Rejects with `SessionError` if there is no such session, with `StorageError` if it cannot be written
 * or `signal` was aborted before the whole was there: then nothing of it is left.
 */
export async function exportSession(
  fs: JournalFs,
  files: SessionFiles,
  sessionId: string,
  path: string,
  original: boolean,
  journal = files.journal(sessionId),
  picked: PickedFs = fs,
  signal?: AbortSignal,
  parts?: PartsNote,
): Promise<void> {
  await refuseOtherThanFile(picked, path);
  const { from, bytes } = await sourceOf(fs, files, sessionId, original, journal).catch((error: unknown) => {
    throw toReadError(error);
  });
  const source = await fs.open(from, 'read').catch((error: unknown) => {
    throw new SessionError('The file of this session cannot be read, so nothing was exported.', { cause: error });
  });
  try {
    // Behind a quit nothing is begun that it would not wait for.
    throwIfQuit(signal);
    await writeFileWhole(picked, path, chunksOf(source, bytes, signal), { parts });
  } finally {
    await source.close().catch(() => undefined);
  }
}

/** The person chose a name: what is there and is no file was not what they meant to replace. */
async function refuseOtherThanFile(fs: PickedFs, path: string): Promise<void> {
  const kind = await fs.kind(path).catch((error: unknown) => {
    throw toWriteError(error, basename(path));
  });
  if (kind === null || kind === 'file') return;
  const what = { link: 'a link', folder: 'a folder', other: 'a pipe or a device' }[kind];
  throw new StorageError('failed', `${path} is ${what}. It was left as it is; choose another name.`);
}

async function sourceOf(
  fs: JournalFs,
  files: SessionFiles,
  sessionId: string,
  original: boolean,
  path: string,
): Promise<{ from: string; bytes: number }> {
  const kept = original ? await fs.stat(files.original(sessionId)) : null;
  if (kept) return { from: files.original(sessionId), bytes: kept.size };
  const journal = await fs.stat(path);
  if (!journal) throw new SessionError('The file of this session is gone, so nothing was exported.');
  const imported = original ? await importedBytes(fs, files.importFacts(sessionId)) : null;
  return { from: path, bytes: Math.min(imported ?? journal.size, journal.size) };
}

async function importedBytes(fs: JournalFs, path: string): Promise<number | null> {
  try {
    const text = await fs.readText(path);
    return text === null ? null : importFactsSchema.parse(JSON.parse(text)).bytes;
  } catch {
    return null;
  }
}

function throwIfQuit(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new StorageError('closed', 'Espalier was quit before the export was done. Nothing was exported.');
}

async function* chunksOf(source: JournalFile, size: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; position < size;) {
    throwIfQuit(signal);
    const wanted = Math.min(buffer.length, size - position);
    const read = await source.read(buffer.subarray(0, wanted), position).catch((error: unknown) => {
      throw toReadError(error);
    });
    if (read === 0) throw new SessionError('The file of this session became shorter while it was copied.');
    yield buffer.subarray(0, read);
    position += read;
  }
}

/** Makes what is written in place of the session's bytes, from its journal. */
export type CopyOf = (journal: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/** Milliseconds that the exports under way have at the end, to take their parts away. */
const ENDS_MS = 1000;

interface ExportSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  log: { warn(message: string, detail?: unknown): void };
}

/** The exports under way, and what is left of those that were cut off with an earlier run (JN30). */
export class Exports {
  private readonly parts: ExportParts;
  private readonly underWay = new Set<Promise<unknown>>();

  /** @param picked where the person's files are. @param noteFile where it is noted which exports are under way */
  constructor(
    private readonly around: ExportSurroundings,
    private readonly picked: PickedFs,
    private readonly closed: AbortSignal,
    noteFile: string | undefined,
  ) {
    this.parts = new ExportParts(around.fs, noteFile, around.log);
  }

  /** Reads what earlier runs left; call once, before any export. */
  read(): Promise<void> {
    return this.parts.read();
  }

  /** See `JournalStore.clearCutExports`. */
  clearCut(): Promise<string[]> {
    return this.parts.clear(this.picked);
  }

  /** See `SessionStore.exportTo`. `what`: the original bytes or not, or a copy of another form. `live`: the log of the session, if it is open. */
  async run(sessionId: string, path: string, what: boolean | CopyOf, live: JournalLog | undefined): Promise<void> {
    // From its first step on: a quit in the middle of that must not end before the part is gone.
    const done = this.export(sessionId, path, what, live);
    this.underWay.add(done);
    await done.finally(() => this.underWay.delete(done));
  }

  /** Resolves when each has ended, those that are cut off too; one on a mount that does not answer is not waited for. */
  async settled(): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, ENDS_MS).unref());
    await Promise.race([Promise.allSettled(this.underWay), late]);
  }

  private async export(
    sessionId: string,
    path: string,
    what: boolean | CopyOf,
    live: JournalLog | undefined,
  ): Promise<void> {
    await live?.settled();
    if (live && !live.isOnDisk) throw new SessionError('This session has nothing to export yet. Send a message first.');
    if (typeof what === 'function') {
      await refuseOtherThanFile(this.picked, path);
      throwIfQuit(this.closed);
      const journal = live?.apartPath ?? this.around.files.journal(checkedSessionId(sessionId));
      await writeFileWhole(this.picked, path, what(journal, this.closed), { parts: this.parts });
      return;
    }
    // What goes on beside a file that took its place is the session that is shown.
    await exportSession(
      this.around.fs,
      this.around.files,
      checkedSessionId(sessionId),
      path,
      what,
      live?.apartPath ?? undefined,
      this.picked,
      this.closed,
      this.parts,
    );
  }
}
