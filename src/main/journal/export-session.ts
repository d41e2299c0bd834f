/** File → Export: the bytes of a session, unchanged (SF21). */
import { basename } from 'node:path';
import type { JournalFile, JournalFs, PickedFs } from './fs';
import { CHUNK_BYTES } from './line-reader';
import { SessionError, toReadError } from './session-error';
import type { SessionFiles } from './session-files';
import { StorageError } from '../own-files/storage-error';
import { importFactsSchema } from './import-session';
import { toWriteError, writeFileWhole, type PartsNote } from './write-whole';

/**
 * Copies a session's journal, or the file that stands for it (`journal`), to `path`, or the bytes that it was imported from (`original`; the journal where it was not
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
