import type { ContextUsage } from '@shared/types';
import { coveredRows, type Row, type RowKind } from '@shared/session-state/state';

/** Finished turns that an estimate needs, and those that it looks at. */
const MIN_TURNS = 3;
const MAX_TURNS = 6;
/** Further away nobody can tell. */
const MAX_AWAY = 200;

/**
 * How many turns like the last ones still fit before the session compacts by itself; null where that can't be told: too few
 * turns, no threshold, too far away. Only turns that another one follows count, so that one under way does not look small.
 */
export function turnsAway(
  rows: readonly Row[],
  { threshold, tokens, breakdown }: ContextUsage,
  seenFrom: string | null = null,
): number | null {
  if (threshold === null || tokens >= threshold) return null;
  const starts = rows.flatMap((row, at) => (row.kind === 'user' ? [at] : []));
  const turns = starts.slice(0, -1).slice(-MAX_TURNS);
  if (turns.length < MIN_TURNS) return null;
  const raw = sum(rows.slice(turns[0], starts.at(-1)));
  const seen = rows.slice(coveredRows(rows, seenFrom));
  const growth = (raw * ratioOf(seen, breakdown)) / turns.length;
  if (growth <= 0) return null;
  const away = Math.floor((threshold - tokens) / growth);
  return away > MAX_AWAY ? null : away;
}

/** Rows carry plain estimates; what the model counts shows in how its figures stand to those of the rows it sees. */
function ratioOf(rows: readonly Row[], breakdown: ContextUsage['breakdown']): number {
  const seen = sum(rows);
  const counted = breakdown.messages + breakdown.toolOutputs + breakdown.images + breakdown.thinking;
  return seen > 0 ? Math.min(2, Math.max(0.5, counted / seen)) : 1;
}

/** These stand for turns and are none. */
const SUMMARIES = new Set<RowKind>(['compaction', 'branchSummary']);

function sum(rows: readonly Row[]): number {
  return rows.reduce((total, { kind, tokens }) => (SUMMARIES.has(kind) ? total : total + tokens), 0);
}
