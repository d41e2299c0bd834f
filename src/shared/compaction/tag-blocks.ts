/** Blocks that we put behind a summary, and `files` of older writers (FA5, RT6). */
const TAGS = ['read-files', 'modified-files', 'files', 'exact-facts'] as const;

/**
 * A summary without the blocks that we (or others) put behind it, so that they never add up from one compaction to the next
 * (SU39, FA5). A tag counts only at the beginning of a line. O(length).
 */
export function stripTagBlocks(text: string): string {
  if (!text.includes('</')) return text.trim();
  const lines = text.split('\n');
  const closings = new Map(TAGS.map((tag) => [`<${tag}>`, `</${tag}>`]));
  const lastClosing = new Map<string, number>();
  lines.forEach((line, index) => lastClosing.set(line.trim(), index));
  const kept: string[] = [];
  let until: string | undefined;
  lines.forEach((line, index) => {
    const tag = line.trim();
    if (until !== undefined) {
      if (tag === until) until = undefined;
      return;
    }
    const closing = closings.get(tag);
    // A block that is never closed is text: cutting it would lose all that follows.
    if (closing !== undefined && (lastClosing.get(closing) ?? -1) > index) until = closing;
    else kept.push(line);
  });
  return kept.join('\n').trim();
}
