import type { PlanItem } from '@shared/session/plan-item';
import type { SourceLine } from './conversation';
import { KnownEnds, type CallSource } from './known-ends';
import { SummaryAborted, SummaryError } from './summary-call';

/** Lines that are read and handed to the worker at once. */
const BATCH = 200;

/**
 * Reads the lines of items in order, for the worker, with what is known of calls that none of them answers: main parses none of them.
 * @param more what else goes with the line of an item
 * @throws SummaryAborted, SummaryError: a summary that passes over what could not be read would lose it in silence
 */
export async function eachBatch(
  source: CallSource,
  items: readonly PlanItem[],
  signal: AbortSignal,
  take: (lines: SourceLine[]) => Promise<void>,
  more?: (index: number) => Partial<SourceLine>,
): Promise<void> {
  const { log } = source;
  const known = new KnownEnds(source, items);
  for (let at = 0; at < items.length; at += BATCH) {
    if (signal.aborted) throw new SummaryAborted();
    const batch = items.slice(at, at + BATCH);
    const lines = new Map((await log.linesOf(batch.map(({ node }) => node.id))).map((line) => [line.id, line]));
    const ends = await known.of(at, at + batch.length);
    const found = batch.flatMap(({ node, edit }, index): SourceLine[] => {
      const stored = lines.get(node.id);
      if (!stored) return [];
      const open = ends.get(at + index);
      const also = { ...(edit ? { edit } : {}), ...(open ? { open } : {}) };
      return [{ line: stored.line, timeMs: node.timeMs, ...also, ...more?.(at + index) }];
    });
    if (found.length < batch.length) throw new SummaryError('Part of the session could not be read from its file');
    await take(found);
  }
}
