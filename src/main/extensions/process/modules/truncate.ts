/** Cutting long text as tools do: by lines and by bytes, whichever ends first. */

export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;

interface Limits {
  maxLines?: number;
  maxBytes?: number;
}

interface Truncated {
  content: string;
  truncated: boolean;
  truncatedBy: 'lines' | 'bytes' | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  lastLinePartial: boolean;
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** The beginning, in whole lines. */
export function truncateHead(content: string, limits: Limits = {}): Truncated {
  return truncate(content, limits, 'head');
}

/** The end, in whole lines; of a last line that is too long, its end. */
export function truncateTail(content: string, limits: Limits = {}): Truncated {
  return truncate(content, limits, 'tail');
}

function truncate(
  content: string,
  { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES }: Limits,
  from: 'head' | 'tail',
) {
  const lines = content.split('\n');
  if (from === 'tail') lines.reverse();
  const kept: string[] = [];
  let bytes = 0;
  let truncatedBy: Truncated['truncatedBy'] = null;
  let lastLinePartial = false;
  for (const line of lines) {
    const more = Buffer.byteLength(line) + (kept.length > 0 ? 1 : 0);
    if (kept.length >= maxLines) truncatedBy = 'lines';
    else if (bytes + more > maxBytes) truncatedBy = 'bytes';
    if (truncatedBy !== null) break;
    kept.push(line);
    bytes += more;
  }
  const firstLineExceedsLimit = truncatedBy === 'bytes' && kept.length === 0;
  if (firstLineExceedsLimit && from === 'tail') {
    kept.push(endOf(lines[0] ?? '', maxBytes));
    lastLinePartial = true;
  }
  if (from === 'tail') kept.reverse();
  const shown = kept.join('\n');
  return {
    ...{ content: shown, truncated: truncatedBy !== null, truncatedBy, maxLines, maxBytes, lastLinePartial },
    ...{ totalLines: lines.length, totalBytes: Buffer.byteLength(content) },
    ...{ outputLines: kept.length, outputBytes: Buffer.byteLength(shown) },
    firstLineExceedsLimit: firstLineExceedsLimit && from === 'head',
  };
}

function endOf(line: string, maxBytes: number): string {
  const bytes = Buffer.from(line);
  let at = Math.max(0, bytes.length - maxBytes);
  // Not within a character.
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return bytes.toString('utf8', at);
}

export function truncateLine(line: string, maxChars = 500): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}
