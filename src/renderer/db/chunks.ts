import type { StoredLine } from '@shared/types';
import type { ChunkRow } from './database';

/** Records of a chunk. */
export const CHUNK = 100;
/**
 * Bytes after which a chunk ends earlier. Chromium puts a row of more than 64 KB into a file of its own, which costs more than
 * ten rows below that, to write and to read.
 */
export const MAX_CHUNK_BYTES = 48_000;

export interface Run {
  chunk: ChunkRow;
  /** How much of what a chunk may hold, in records or bytes; from 1 on it is full. */
  fill: number;
}

/** Runs of neighbouring records, each as long as a chunk may be: all but the last of a stretch without gaps are full. O(bytes). */
export function cutIntoChunks(sessionId: string, lines: readonly StoredLine[]): Run[] {
  const runs: Run[] = [];
  let bytes = 0;
  for (const { seq, id, line } of lines) {
    let run = runs.at(-1);
    const goesOn = run && run.fill < 1 && seq === run.chunk.seq + run.chunk.lines.length;
    if (!run || !goesOn) {
      bytes = 0;
      run = { chunk: { sessionId, seq, lines: [] }, fill: 0 };
      runs.push(run);
    }
    run.chunk.lines.push({ seq, id, line });
    bytes += bytesOf(line);
    run.fill = Math.max(run.chunk.lines.length / CHUNK, bytes / MAX_CHUNK_BYTES);
  }
  return runs;
}

/** As the browser stores it: one byte a character, or two each if one of them needs two. */
function bytesOf(line: string): number {
  // Asked this way round it costs nothing for a text that is kept in one byte a character.
  return /[^\x00-\xff]/.test(line) ? 2 * line.length : line.length;
}
