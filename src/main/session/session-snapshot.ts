import type { PathRow, SessionSnapshot, SessionSummary } from '@shared/ipc/types';
import type { SessionLog } from '../ports';

/** Rows that a snapshot carries; older ones follow over the bulk port. */
const SNAPSHOT_ROWS = 400;
/** Entries whose lines a snapshot carries, so that the first screen needs no second request. */
const SNAPSHOT_LINES = 60;
/** Characters of lines in one answer: the window parses it in one go. A longer line comes alone; the window asks for the others. */
const MAX_ANSWER_CHARS = 300_000;

/** What of a snapshot does not come from the file. */
export type LiveParts = Omit<SessionSnapshot, 'summary' | 'leafId' | 'rows' | 'rowsBefore' | 'lines'>;

/**
 * The session as a window needs it to draw its first screen: newest rows, lines of the last of them, what is on its way.
 * `live` is read in the same step as the rows, after everything before it was sent to the window: what comes later reaches
 * the window as events, so nothing is missing and nothing comes twice.
 */
export async function buildSnapshot(
  log: SessionLog,
  summary: () => SessionSummary,
  allRows: () => readonly PathRow[],
  live: () => LiveParts,
): Promise<SessionSnapshot> {
  for (;;) {
    const { size, leafId } = log.tree;
    const rows = allRows();
    const rowsBefore = Math.max(0, rows.length - SNAPSHOT_ROWS);
    const newest = rows.slice(rowsBefore);
    const lines = await log.linesOf(newest.slice(-SNAPSHOT_LINES).map((row) => row.id));
    if (log.tree.size !== size) continue;
    return {
      ...live(),
      summary: summary(),
      leafId,
      rows: newest,
      rowsBefore,
      lines: firstOfThem(lines.reverse()).reverse(),
    };
  }
}

/** The first lines, as many as one answer holds; at least one. */
export function firstOfThem<T extends { line: string }>(lines: readonly T[]): T[] {
  let left = MAX_ANSWER_CHARS;
  const end = lines.findIndex(({ line }, index) => (left -= line.length) < 0 && index > 0);
  return end < 0 ? [...lines] : lines.slice(0, end);
}
