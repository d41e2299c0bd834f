import type { FileFacts, JournalFile, JournalFs } from '../journal/file/fs';
import { JournalBuilder } from '../journal/file/journal-builder';
import { pause, readLines } from '../journal/file/line-reader';
import type { SessionFiles } from '../journal/file/session-files';
import type { IndexedLine, ReadSession, SearchDb } from './search-db';
import { isSearched, isUnsent, textOfEntry, writerNumber } from './searched-entry';
import { standingOf } from './standing';
import { indexedWords } from '@shared/search/words';
import { isControl } from '@shared/session/records/facts';

/** After so many milliseconds of work what was read is handed on, and others come in between. */
const SLICE_MS = 25;

/** The journal of a session as the search reads it: its tree, and the words of its lines as they come. */
class JournalText {
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
    const { tree } = builder;
    const node = entry && tree?.node(entry.id);
    if (!tree || !node) return null;
    const { facts } = node;
    if (facts.side || isControl(facts) || facts.parentId !== leafBefore || isUnsent(facts)) this.isPlain = false;
    if (row.offset < from || !isSearched(facts)) return null;
    const { offset, length, seq } = row;
    // A copied message was said when its original was (UN1).
    const time = tree.writtenAt(node) || 0;
    return {
      ...{ seq, entryId: entry.id, offset, length, time, writer: writerNumber(entry) },
      ...indexedWords(textOfEntry(entry)),
    };
  }

  /**
   * The tree with its leaf where the file says it is; null: nothing but what is sent came at the leaf since the last time. Throws
   * `NotASessionFileError` where there was no header.
   */
  settled(): ReturnType<JournalBuilder['finish']> | null {
    if (this.isPlain) return null;
    const tree = this.builder.finish();
    this.isPlain = !tree.isOutOfOrder();
    return tree;
  }
}

/** Bytes by which a file is known to go on where it was read. */
const TAIL_BYTES = 64;
/** Rows that are removed at once. */
const REMOVED_ROWS = 200;
/** Journals of sessions in which something goes on, whose tree is kept. */
const MOST_OPEN = 2;

/** Brings sessions and index together: what was appended is read, what was replaced is read anew, what is gone is removed. */
export class SessionReader {
  readonly known = new Map<string, ReadSession>();
  /** Read again when something comes: the last one was used last. */
  private readonly open = new Map<string, JournalText>();
  /** Another one for each index: numbers of one mean nothing in the next. */
  private index = {};

  constructor(
    private readonly db: SearchDb,
    private readonly files: SessionFiles,
    private readonly fs: JournalFs,
  ) {
    this.forgetAll();
  }

  /** After the index was opened or made anew. */
  forgetAll(): void {
    this.index = {};
    this.open.clear();
    this.known.clear();
    for (const read of this.db.sessions()) this.known.set(read.sessionId, read);
  }

  /** Sessions of which the index says something else than the files do. Reads no journal. */
  async outdated(): Promise<string[]> {
    const ids = new Set(await this.files.ids(this.fs));
    const found = [...this.known.keys()].filter((id) => !ids.has(id));
    for (const id of ids) {
      const facts = await this.fs.stat(this.files.journal(id)).catch(() => null);
      if (!facts || !isAsRead(this.known.get(id), facts)) found.push(id);
    }
    return found;
  }

  /** Makes the index say what the file says. `isLive`: more is to come soon. Rejects with what the index throws, or the file where it is there and can't be read: then nothing is changed. */
  async catchUp(sessionId: string, isLive: boolean): Promise<void> {
    const path = this.files.journal(sessionId);
    const kind = await this.fs.kind(path).catch(unlessGone);
    const file = kind === 'file' ? await this.fs.open(path, 'read').catch(unlessGone) : null;
    if (!file) return this.remove(sessionId);
    try {
      await this.readJournal(sessionId, file, isLive);
    } finally {
      await file.close();
    }
  }

  private async readJournal(sessionId: string, file: JournalFile, isLive: boolean): Promise<void> {
    const facts = await file.stat();
    const before = this.known.get(sessionId);
    if (isAsRead(before, facts)) return;
    this.db.mergeWhileAdding(!isLive);
    if (before && !(await goesOn(file, facts, before))) await this.remove(sessionId);
    const read = this.known.get(sessionId) ?? this.begin(sessionId);
    const text = this.textOf(sessionId, facts, read);
    const asRead = { size: facts.size, modifiedMs: facts.modifiedMs, identity: facts.identity };
    let isKept = false;
    try {
      for await (const lines of text.readOn(file, facts.size, read.offset)) {
        if (this.known.get(sessionId) !== read) return;
        if (text.end <= read.offset) continue;
        const isAll = text.end === facts.size;
        await this.keep(read, text, file, lines, isAll ? asRead : { identity: facts.identity });
        isKept ||= isAll;
      }
      if (this.known.get(sessionId) !== read) return;
      if (!isKept) await this.keep(read, text, file, [], asRead);
    } catch (error) {
      if (!isNoSession(error)) throw error;
      // What it had before is no longer a session; what it has now never was one.
      Object.assign(read, asRead);
      this.db.atOnce(() => this.db.keepSession(read, false));
    }
    if (isLive) this.keepOpen(sessionId, text);
  }

  /** Puts lines into the index, and how far that goes; at the end of the file (`facts.size`) where its entries stand too. */
  private async keep(
    read: ReadSession,
    text: JournalText,
    file: JournalFile,
    lines: readonly IndexedLine[],
    facts: Partial<ReadSession>,
  ): Promise<void> {
    const tree = facts.size === undefined ? null : text.settled();
    const end = Math.max(text.end, read.offset);
    const next = { ...read, ...facts, offset: end, tail: await tailOf(file, end) };
    if (tree) Object.assign(next, standingOf(tree));
    // It was removed, or the index made anew.
    if (this.known.get(read.sessionId) !== read) return;
    this.db.atOnce(() => {
      for (const line of lines) this.db.add(read.no, line);
      this.db.keepSession(next, tree !== null);
    });
    Object.assign(read, next);
  }

  private begin(sessionId: string): ReadSession {
    const no = this.db.atOnce(() => this.db.addSession(sessionId));
    const nothing = { tail: new Uint8Array(), places: new Uint8Array(), forks: new Uint32Array() };
    const read = { no, sessionId, identity: '', size: 0, modifiedMs: 0, offset: 0, ...nothing };
    this.known.set(sessionId, read);
    return read;
  }

  private textOf(sessionId: string, { identity }: FileFacts, { offset }: ReadSession): JournalText {
    const text = this.open.get(sessionId);
    this.open.delete(sessionId);
    return text?.identity === identity && text.end === offset ? text : new JournalText(sessionId, identity);
  }

  private keepOpen(sessionId: string, text: JournalText): void {
    this.open.set(sessionId, text);
    const oldest = this.open.size > MOST_OPEN ? this.open.keys().next().value : undefined;
    if (oldest !== undefined) this.open.delete(oldest);
  }

  /** At once for whoever searches; its rows go a few at a time. */
  async remove(sessionId: string): Promise<void> {
    const read = this.known.get(sessionId);
    this.open.delete(sessionId);
    this.known.delete(sessionId);
    if (!read) return;
    const { index } = this;
    const inSteps = async (step: () => boolean): Promise<void> => {
      while (this.index === index && this.db.atOnce(step)) await pause();
    };
    await inSteps(() => !this.db.removeSome(read.no, REMOVED_ROWS));
    // Its words leave the file as parts of the index are put together.
    let begins = true;
    await inSteps(() => {
      const isMore = this.db.merge(begins);
      begins = false;
      return isMore;
    });
  }
}

/** Null for a file that is not there; one that can't be opened for a moment, as with too many open ones, is not gone. Rejects with the error. */
function unlessGone(error: unknown): null {
  const { code } = error as { code?: unknown };
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

function isAsRead(read: ReadSession | undefined, { identity, size, modifiedMs }: FileFacts): boolean {
  return read?.identity === identity && read.size === size && read.modifiedMs === modifiedMs;
}

/** Whether a file is the one that was read, and more. */
async function goesOn(file: JournalFile, { identity, size }: FileFacts, read: ReadSession): Promise<boolean> {
  // Written to, and no longer than it was: in the middle of it.
  if (read.identity !== identity || size < read.offset || size === read.size) return false;
  return Buffer.from(await tailOf(file, read.offset)).equals(Buffer.from(read.tail));
}

async function tailOf(file: JournalFile, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.min(TAIL_BYTES, end));
  return bytes.subarray(0, await file.read(bytes, end - bytes.length));
}

function isNoSession(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NotASessionFileError' || error.name === 'NotLinesError');
}
