import type { CompactionReason } from '@shared/compaction/summary-job';

const FAILED: Record<CompactionReason, string> = {
  manual: 'Compaction failed',
  threshold: 'Auto-compaction failed',
  overflow: 'Context overflow recovery failed',
};

/** What the person and extensions are told of a failed compaction (JB9, JB10, EV2). */
export function failureText(reason: CompactionReason, message: string): string {
  return `${FAILED[reason]}: ${message}`;
}
