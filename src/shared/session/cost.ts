import type { SessionEntry } from './entry';
import { MAX_COST } from './facts';
import { isRecord } from '../own';

/** Cost in US dollars of the calls that wrote a summary: its `usage`, else what our `details` say (SF9, TK9). */
export function summaryCostOf(entry: SessionEntry | undefined): number {
  if (!entry || (entry.type !== 'compaction' && entry.type !== 'branch_summary')) return 0;
  const { usage, details } = entry as { usage?: unknown; details?: unknown };
  const reported = isRecord(usage) && isRecord(usage.cost) ? usage.cost.total : undefined;
  if (typeof reported === 'number' && Number.isFinite(reported)) return believable(reported);
  const ours = isRecord(details) && isRecord(details.espalier) ? details.espalier.cost : undefined;
  return typeof ours === 'number' && Number.isFinite(ours) ? believable(ours) : 0;
}

/** More dollars than a summary costs, or fewer than none, are no cost. */
function believable(dollars: number): number {
  return dollars >= 0 && dollars <= MAX_COST ? dollars : 0;
}
