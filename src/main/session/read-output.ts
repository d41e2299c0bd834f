import { open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { isSafeSessionId } from '../journal/session-files';
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
  const real = await realpath(path).catch(() => null);
  if (!real)
    throw new RangeError('The full output is not on this computer (any more). What the model saw is still here.');
  // One that was set apart has its outputs where it ran.
  const { conflict } = store.meta(sessionId) ?? {};
  const ids = [sessionId, ...(conflict && isSafeSessionId(conflict.with) ? [conflict.with] : [])];
  const homes = ids.map((id) => realpath(join(outputsDir, id)));
  const isOwn = (await Promise.allSettled(homes)).some((home) => {
    const inside = home.status === 'fulfilled' ? relative(home.value, real) : '';
    return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
  });
  if (!isOwn) throw new RangeError('That file is no output of this session.');
  const file = await open(real, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(PAGE_BYTES, Math.max(0, size - offset)));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    return { text: buffer.toString('utf8', 0, bytesRead), offset: offset + bytesRead, total: size };
  } finally {
    await file.close();
  }
}

function outputPath(entry: unknown): string | null {
  const message = (
    entry as { message?: { fullOutputPath?: unknown; details?: { fullOutputPath?: unknown } } } | undefined
  )?.message;
  const path = message?.details?.fullOutputPath ?? message?.fullOutputPath;
  return typeof path === 'string' ? path : null;
}
