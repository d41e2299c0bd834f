import type { StoredLine } from '@shared/types';
import type { SessionHeader } from '@shared/session/entry';
import { createHeaderScan, HEADER_SEARCH_BYTES, parseRecord } from '@shared/session/records';
import { SessionTree } from '@shared/session/tree';
import type { JournalFile, JournalFs } from './fs';
import { readLastRow } from './index-file';
import { decodeLine, readLines } from './line-reader';

/** The newest part of a session. */
export interface SessionTail {
  header: SessionHeader;
  /** The last records in file order, whole lines only. */
  lines: StoredLine[];
  leafId: string | null;
  /** A tree of those records, bodies resident; parents further back are missing in it. */
  tree: SessionTree;
  /** Records of the whole file. */
  recordCount: number;
}

/**
 * Reads the last `maxBytes` of a journal. Null if the index cannot number the records, the last record moves the leaf
 * to a place further back, or the lines were put in another order: then only a full open can tell.
 */
export async function readTail(
  fs: JournalFs,
  path: string,
  indexPath: string,
  maxBytes: number,
): Promise<SessionTail | null> {
  const last = await readLastRow(fs, indexPath);
  const stat = await fs.stat(path);
  if (!last || !stat || stat.size < last.offset + last.length + 1) return null;
  const file = await fs.open(path, 'read');
  try {
    const header = await readHeader(file, stat.size);
    if (!header) return null;
    const from = Math.max(0, Math.min(stat.size - maxBytes, last.offset));
    const tree = new SessionTree(header);
    const found: { offset: number; line: string; id: string }[] = [];
    let isFirst = true;
    for await (const batch of readLines(file, from, stat.size)) {
      for (const { offset, bytes } of batch) {
        const line = decodeLine(bytes);
        // Where the window does not begin at a line its first line is only a part of one, and within blank lines the records begin at
        // other places than read from the beginning.
        const isPart = from > 0 && (isFirst || (found.length === 0 && parseRecord(line).kind === 'blank'));
        isFirst = false;
        if (!isPart) found.push({ offset, line, id: '' });
      }
    }
    const anchor = found.findIndex(({ offset }) => offset === last.offset);
    if (anchor === -1) return null;
    const seqOf = (at: number): number => last.seq + at - anchor;
    for (const [at, record] of found.entries()) {
      const parsed = parseRecord(record.line);
      if (parsed.kind === 'entry' && tree.addEntry(parsed.entry, seqOf(at))) record.id = parsed.entry.id;
    }
    tree.settleLeafAfterLoad();
    if (tree.isOutOfOrder() || !endsAtLeaf(tree)) return null;
    const lines = found.map(({ line, id }, at) => ({ seq: seqOf(at), id, line }));
    return { header, lines, leafId: tree.leafId, tree, recordCount: last.seq + found.length - anchor };
  } finally {
    await file.close();
  }
}

/** False if the last record is a side record whose place is not in the window. */
function endsAtLeaf(tree: SessionTree): boolean {
  const last = tree.entriesInOrder().at(-1);
  if (!last) return false;
  return !last.facts.side || last.facts.parentId === null || tree.has(last.facts.parentId);
}

/** Nearly every header lies in the first few kilobytes; the rest is read only where it does not. */
const HEADER_WINDOWS = [16 * 1024, HEADER_SEARCH_BYTES];

/** The header of a session file, read without the rest; null if there is none. */
export async function readHeaderOf(fs: JournalFs, path: string): Promise<SessionHeader | null> {
  const file = await fs.open(path, 'read');
  try {
    return await readHeader(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

async function readHeader(file: JournalFile, size: number): Promise<SessionHeader | null> {
  for (const window of HEADER_WINDOWS) {
    const scan = createHeaderScan('session');
    for await (const batch of readLines(file, 0, Math.min(size, window))) {
      for (const { bytes, ended } of batch) {
        if (!ended && window < size) break;
        const header = scan.feed(parseRecord(decodeLine(bytes)), bytes.length + 1);
        if (header) return header;
      }
    }
  }
  return null;
}
