import type { TranscriptItem } from '../../state/group-rows';

const LINE_PX = 24;
const CHARS_A_LINE = 76;
const MAX_ESTIMATE_PX = 4_000;

/** Height before the first measurement, in pixels, from the row's token estimate (four characters each). */
export function estimateHeight(item: TranscriptItem | undefined): number {
  if (!item) return 0;
  if ('rows' in item) return (item.top ? 20 : 0) + (item.kind === 'changes' ? 30 : 0);
  if (item.kind === 'tail') return 48;
  if (item.kind === 'live') return 60;
  if (item.kind === 'pending') return 78;
  if (item.kind === 'cut') return 100;
  const { row, results, head } = item;
  const lines = Math.max(1, Math.ceil((row.tokens * 4) / CHARS_A_LINE));
  switch (row.kind) {
    case 'user':
      return Math.min(MAX_ESTIMATE_PX, 54 + lines * LINE_PX);
    case 'assistant': {
      const cards = results.size * 44;
      // A call's arguments are counted as tokens and folded in its card.
      const text = results.size > 0 ? Math.min(lines, 4) : lines;
      return Math.min(MAX_ESTIMATE_PX, (head ? 38 : 14) + cards + text * LINE_PX);
    }
    case 'branchSummary':
      return 98;
    case 'compaction':
      return 30;
    case 'undone':
      return 84;
    case 'prune':
      return 34;
    case 'opaque':
      return 78;
    // A closed fold. Of thousands in a row, each that is not as tall as it was thought to be has the list lay out all below it anew.
    case 'unknown':
    case 'custom':
      return 26;
    default:
      return 48;
  }
}
