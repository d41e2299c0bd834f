import { isControl, isShown } from '@shared/session/facts';
import { indexedWords } from '@shared/search/words';
import type { JournalFile } from '../journal/fs';
import { JournalBuilder } from '../journal/journal-builder';
import { pause, readLines } from '../journal/line-reader';
import { textOfEntry } from './entry-text';
import type { IndexedLine } from './search-db';

/** After so many milliseconds of work what was read is handed on, and others come in between. */
const SLICE_MS = 25;

/** The journal of a session as the search reads it: its tree, and the words of its lines as they come. */
export class JournalText {
  private readonly builder: JournalBuilder;
  /** All that came since the places were worked out was said at the leaf. */
  private isPlain = false;

  constructor(
    name: string,
    /** Device and inode. */
    readonly identity: string,
  ) {
    this.builder = new JournalBuilder(name);
  }

  /** Bytes read, up to the end of a line. */
  get end(): number {
    return this.builder.table.end;
  }

  /**
   * Reads on to `size`, whole lines only, and hands out the words of those that begin at `from` or behind it. Rejects with
   * `NotASessionFileError` or `NotLinesError`.
   */
  async *readOn(file: JournalFile, size: number, from: number): AsyncGenerator<IndexedLine[], void, void> {
    let found: IndexedLine[] = [];
    let resumed = performance.now();
    for await (const lines of readLines(file, this.end, size)) {
      for (const { bytes, ended } of lines) {
        // It is still being written, or was never finished.
        if (!ended) break;
        const line = this.take(bytes, from);
        if (line) found.push(line);
        if (performance.now() - resumed < SLICE_MS) continue;
        yield found;
        found = [];
        await pause();
        resumed = performance.now();
      }
    }
    yield found;
  }

  private take(bytes: Uint8Array, from: number): IndexedLine | null {
    const { builder } = this;
    const leafBefore = builder.tree?.leafId ?? null;
    const { row, entry } = builder.takeLine(bytes, true);
    const facts = entry ? builder.tree?.node(entry.id)?.facts : undefined;
    if (!entry || !facts) return null;
    if (facts.side || isControl(facts) || facts.parentId !== leafBefore) this.isPlain = false;
    if (row.offset < from || facts.side || facts.silent || !isShown(facts)) return null;
    const { offset, length, seq } = row;
    return { seq, entryId: entry.id, offset, length, ...indexedWords(textOfEntry(entry)) };
  }

  /**
   * The tree with its leaf where the file says it is; null: nothing but messages at the leaf came since the last time. Throws
   * `NotASessionFileError` where there was no header.
   */
  settled(): ReturnType<JournalBuilder['finish']> | null {
    if (this.isPlain) return null;
    const tree = this.builder.finish();
    this.isPlain = !tree.isOutOfOrder();
    return tree;
  }
}
