import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSafeSessionId } from '../journal/file/session-files';
import type { SessionStore } from '../ports';

/** Bytes a page of a kept output. */
const PAGE_BYTES = 256 * 1024;

/**
 * One page of the full output of a command, kept in a file because the result holds only its end. The file
 * is named by the stored entry, never by the window, and must lie in the session's own outputs folder.
 */
export async function readOutput(
  store: SessionStore,
  outputsDir: string,
  { sessionId, entryId, offset }: { sessionId: string; entryId: string; offset: number },
): Promise<{ text: string; offset: number; total: number }> {
  const log = await store.open(sessionId);
  const [entry] = await log.loadBodies([entryId]);
  const path = outputPath(entry);
  if (!path) throw new RangeError('No full output was kept for this command.');
  // One that was set apart has its outputs where it ran.
  const { conflict } = store.meta(sessionId) ?? {};
  const ids = [sessionId, ...(conflict && isSafeSessionId(conflict.with) ? [conflict.with] : [])];
  // Looked for among our own outputs, by its names: the entry may have come from anywhere, and its path lead to a disk that never answers.
  const id = basename(dirname(path));
  const home = isSafeSessionId(id) ? await realpath(join(outputsDir, id)).catch(() => null) : null;
  const file = home === null ? null : await openOwn(join(home, basename(path)));
  if (!file) throw new RangeError('The full output is no longer on this computer. What the model saw is still here.');
  try {
    if (!ids.includes(id)) throw new RangeError('That file is not an output of this session.');
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(PAGE_BYTES, Math.max(0, size - offset)));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    return { text: buffer.toString('utf8', 0, bytesRead), offset: offset + bytesRead, total: size };
  } finally {
    await file.close();
  }
}

/** A regular file, through no link and without waiting for a pipe. Null where there is none. */
async function openOwn(path: string): Promise<FileHandle | null> {
  const handle = await open(path, HOW).catch(() => null);
  if (!handle) return null;
  const isFile = await handle.stat().then(
    (stat) => stat.isFile(),
    () => false,
  );
  if (isFile) return handle;
  await handle.close();
  return null;
}

const HOW = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function outputPath(entry: unknown): string | null {
  const message = (
    entry as { message?: { fullOutputPath?: unknown; details?: { fullOutputPath?: unknown } } } | undefined
  )?.message;
  const path = message?.details?.fullOutputPath ?? message?.fullOutputPath;
  return typeof path === 'string' ? path : null;
}
