import { hasChanged } from './damage';
import type { FileFacts, JournalFile, JournalFs } from './fs';
import { type IndexCursor, type IndexRow, IndexWriter, proofTimeOf, readIndex } from './index-file';
import { JournalBuilder } from './journal-builder';
import { pause, readLines, RUN_BYTES } from './line-reader';
import { endsForeign, isForeign } from './other-writers';
import { LogClosedError } from './session-error';
import type { SessionTree } from '@shared/session/tree/tree';

const SLICE_MS = 6;
/** Bytes that are checked without a pause: a few milliseconds of work. */
const SLICE_BYTES = 384 * 1024;

/** Rows that are written again without a pause. */
const RENEWED_ROWS = 1000;

/** More changed lines than this, and more than half of what follows the first: the file was rewritten, not damaged. */
const REWRITTEN_LINES = 8;

export interface LoadedJournal {
  builder: JournalBuilder;
  tree: SessionTree;
  index: IndexWriter;
  /** The file before it was read. */
  facts: FileFacts;
  /** Other lines stand in the file than its index tells of, or fewer: somebody else wrote it. */
  isOther: boolean;
  /** Index row of a last line that has no newline yet: it enters the index when the line is ended. */
  unendedRow: IndexRow | null;
}

/** Rows between two looks at the clock. */
const COUNT = 256;

/** The pauses of one load, at which it also ends if the app does. */
class Slices {
  private resumed = performance.now();

  constructor(private readonly isCancelled: () => boolean) {}

  /** Rejects with `LogClosedError` once the load is not wanted any more. */
  rest(): Promise<void> | undefined {
    return performance.now() - this.resumed > SLICE_MS ? this.pause() : undefined;
  }

  private async pause(): Promise<void> {
    await pause();
    if (this.isCancelled()) throw new LogClosedError();
    this.resumed = performance.now();
  }
}

/** The first byte of one: a line with nothing else is blank, and a record of its own. */
const BYTE_ORDER_MARK = 0xef;

/** What was taken from an index. */
interface Taken {
  isWhole: boolean;
  bytes: number;
  renewed: IndexRow[];
}
const NOTHING: Taken = { isWhole: true, bytes: 0, renewed: [] };

/**
 * Reads a journal: what the index knows is checked against its CRCs and taken from the index, the rest is parsed; the
 * index is caught up on the way. The journal itself is not written. Rejects with `NotASessionFileError`.
 */
export async function loadJournal(
  fs: JournalFs,
  file: JournalFile,
  indexPath: string,
  name: string,
  isCancelled: () => boolean = () => false,
): Promise<LoadedJournal> {
  const work = new Slices(isCancelled);
  const facts = await file.stat();
  const { size } = facts;
  const cursor = await readIndex(fs, indexPath);
  let builder = new JournalBuilder(name);
  let taken: Taken = cursor ? await takeIndexed(builder, file, cursor, size, work) : NOTHING;
  if (!taken.isWhole || isRewritten(builder)) {
    const anew = await scanOn(fs, file, indexPath, new JournalBuilder(name), facts, work);
    return { ...anew, isOther: true };
  }
  let known = builder.table.count;
  for (let row = cursor?.peek() ?? null; row; cursor?.take(), row = cursor?.peek() ?? null) {
    known = Math.max(known, row.seq + 1);
    if (known % COUNT === 0) await work.rest();
  }
  const own = builder.lastIntact + 1;
  const hasOtherEnd = own < builder.table.count && (await endsForeign(builder, file, own, size));
  if (hasOtherEnd) {
    // The lines of the other writer are records in their own right: the index holds only for what comes before them.
    const again = await readIndex(fs, indexPath);
    builder = new JournalBuilder(name);
    taken = again ? await takeIndexed(builder, file, again, size, work, own) : NOTHING;
    if (!taken.isWhole || builder.table.count !== own) {
      builder = new JournalBuilder(name);
      taken = NOTHING;
    }
  }
  const loaded = await scanOn(fs, file, indexPath, builder, facts, work, taken.bytes, taken.renewed);
  if (hasOtherEnd) builder.report.replaced = known - own;
  else builder.report.missing = Math.max(0, known - builder.table.count);
  return { ...loaded, isOther: hasOtherEnd || builder.report.missing > 0 || hasChanged(builder.report) };
}

/** True if so much differs from where it begins that it is no damage. */
function isRewritten({ report, table }: JournalBuilder): boolean {
  const { changed } = report;
  return changed.length > REWRITTEN_LINES && changed.length * 2 > table.count - (changed[0] ?? 0);
}

/**
 * Takes the rows whose records lie within the file. `isWhole`: they all made sense; `bytes`: those of the index file
 * that may stay; `renewed`: the rows that belong behind them, from the first one whose facts an earlier Espalier made.
 */
async function takeIndexed(
  builder: JournalBuilder,
  file: JournalFile,
  cursor: IndexCursor,
  size: number,
  work: Slices,
  count = Number.POSITIVE_INFINITY,
): Promise<Taken> {
  const renewed: IndexRow[] = [];
  let buffer = Buffer.allocUnsafe(Math.min(SLICE_BYTES, size));
  let start = 0;
  let filled = 0;
  let bytes = 0;
  let hasForeign = false;
  /** Bytes of the run of blank lines right before; `RUN_BYTES` where none may go on. */
  let runBefore = RUN_BYTES;
  for (let row = cursor.peek(); row && row.seq < count && row.offset + row.length < size; row = cursor.peek()) {
    if (row.seq % COUNT === 0) await work.rest();
    const end = row.offset + row.length;
    if (end >= start + filled) {
      await pause();
      if (row.length >= buffer.length) buffer = Buffer.allocUnsafe(row.length + 1);
      start = row.offset;
      filled = await file.read(buffer.subarray(0, Math.min(buffer.length, size - start)), start);
      if (end >= start + filled) return { isWhole: false, bytes, renewed };
    }
    const line = buffer.subarray(row.offset - start, end - start);
    const isRun = row.kind === 'blank' && line[0] !== BYTE_ORDER_MARK;
    // Of before a run was one record, or of another program that wrote blank lines behind blank lines.
    if (isRun && runBefore < RUN_BYTES) return { isWhole: false, bytes, renewed };
    runBefore = isRun ? row.length : RUN_BYTES;
    const taken = builder.takeIndexed(row, line, buffer[end - start] ?? 0);
    const isIntact = builder.lastIntact === row.seq;
    // What is whole behind another writer's line is there by chance: the lines were put in another order.
    if (!taken || (isIntact && hasForeign)) return { isWhole: false, bytes, renewed };
    hasForeign ||= !isIntact && isForeign(builder, row.seq, line);
    cursor.take();
    if (taken !== row || renewed.length > 0) renewed.push(taken);
    else bytes = cursor.takenBytes;
  }
  return { isWhole: true, bytes, renewed };
}

async function scanOn(
  fs: JournalFs,
  file: JournalFile,
  indexPath: string,
  builder: JournalBuilder,
  facts: FileFacts,
  work: Slices,
  indexBytes = 0,
  renewed: readonly IndexRow[] = [],
): Promise<Omit<LoadedJournal, 'isOther'>> {
  const index = new IndexWriter(fs, indexPath, indexBytes);
  // A younger index would vouch for the changed bytes if the app ended before the copies were compared.
  if (hasChanged(builder.report)) index.stop();
  try {
    for (let at = 0; at < renewed.length; at += RENEWED_ROWS) {
      await index.append(renewed.slice(at, at + RENEWED_ROWS));
      await pause();
    }
    const unendedRow = await scanLines(file, builder, facts.size, index, work);
    const tree = builder.finish();
    await fs.setTime(indexPath, timeOfIndex(builder, facts)).catch(() => undefined);
    return { builder, tree, index, facts, unendedRow };
  } catch (error) {
    await index.close();
    throw error;
  }
}

/**
 * The time that an index gets after a load (JN43). A checked journal without damage is as good as one that we wrote, with the time that it had
 * before it was read: later bytes may not be those that were read. That of damaged bytes gets the time of no journal, so that each start reads them
 * and finds them; it stays, for it knows which lines they were.
 */
function timeOfIndex({ report }: JournalBuilder, facts: FileFacts): number {
  return hasChanged(report) ? 0 : proofTimeOf(facts);
}

/** Takes the lines behind what the builder has, and their rows into the index. Returns the row of an unended last line. */
async function scanLines(
  file: JournalFile,
  builder: JournalBuilder,
  size: number,
  index: IndexWriter,
  work: Slices,
): Promise<IndexRow | null> {
  let unendedRow: IndexRow | null = null;
  let rows: IndexRow[] = [];
  for await (const lines of readLines(file, builder.table.end, size)) {
    for (const line of lines) {
      const rest = work.rest();
      if (rest) await rest;
      const { row } = builder.takeLine(line.bytes, line.ended);
      if (line.ended) rows.push(row);
      else unendedRow = row;
    }
    // What has no header may be no session: it gets no index, by which it would be listed as one.
    if (!builder.tree) continue;
    await index.append(rows);
    rows = [];
  }
  return unendedRow;
}
