import { notePieces } from '../../large-json';
import { StorageError } from '../../own-files/storage-error';
import type { AppendedRecord, SessionLog } from '../../ports';
import { AppendFile, type FindBoundary } from './append-file';
import { type AppendJob, type PreparedEntry, prepareGroup, takeGroup } from './append-queue';
import { describeDamage, hasChanged } from './damage';
import type { IndexRow, IndexWriter } from './index-file';
import type { Crcs, JournalBuilder } from './journal-builder';
import { joined } from './large-entry';
import { decodeLine, pause } from './line-reader';
import { BodyCache, type LogEvents, type LogParts, type LogSurroundings, RecordReader } from './log-parts';
import { type AddedLine, readAdded } from './other-writers';
import { LogClosedError } from './session-error';
import { apartPath } from './session-files';
import { bodyIdsOf, planContext } from '@shared/session/context/context-plan';
import {
  type EntryDraft,
  EntryNotFoundError,
  type SessionEntry,
  type SessionHeader,
} from '@shared/session/records/entry';
import { parseRecord } from '@shared/session/records/records';
import { leafMoveDraft } from '@shared/session/tree/drafts';
import type { SessionTree } from '@shared/session/tree/tree';
import type { StoredLine, SyncMark } from '@shared/types';

/** Bytes of lines whose bodies are kept beside those of the context. */
const CACHE_BYTES = 8 * 1024 * 1024;
const NEWLINE = Buffer.from('\n');
/** Of what another writer added, taken without giving way. */
const PAUSE_BYTES = 256 * 1024;

/** Entries that wait for the first message in memory (JN1). */
const METADATA = new Set(['model_change', 'thinking_level_change', 'session_info', 'label', 'custom']);

/** One open session on its journal (contract in ports.ts; rules in docs/specs/journal.md). */
export class JournalLog implements SessionLog {
  readonly sessionId: string;
  readonly tree: SessionTree;
  private readonly builder: JournalBuilder;
  private file: AppendFile | null;
  private unendedRow: IndexRow | null;
  /** Null once the file of the session is not ours any more. */
  private index: IndexWriter | null;
  private held: NonNullable<LogParts['held']>;
  /** What another writer added since our last entry. */
  private untold: { records: AppendedRecord[]; isElsewhere: boolean } = { records: [], isElsewhere: false };
  private readonly waiting: AppendJob[] = [];
  private draining: Promise<void> | null = null;
  /** Resolves when a close that has begun is through; null while the session is open. */
  closing: Promise<void> | null = null;
  private readonly listeners = new Set<(records: readonly AppendedRecord[]) => void>();
  private readonly cache = new BodyCache(CACHE_BYTES);
  private readonly reader: RecordReader;
  private readonly boundary: FindBoundary = (offset, side) => this.builder.table.boundary(offset, side);
  /** Reads of the file that are under way. */
  private readonly reads = new Set<Promise<number>>();

  constructor(
    private readonly parts: LogParts,
    private readonly around: LogSurroundings,
    private readonly events: LogEvents = {},
  ) {
    this.sessionId = parts.sessionId;
    this.tree = parts.tree;
    this.builder = parts.builder;
    this.file = parts.file;
    this.index = parts.index;
    this.unendedRow = parts.unendedRow;
    this.held = parts.held ?? { rows: [], lines: [], records: [] };
    this.reader = new RecordReader(parts.builder, (buffer, position) => this.readAt(buffer, position));
  }

  get header(): SessionHeader {
    return this.tree.header;
  }
  get damage(): readonly string[] {
    const { tree } = this;
    const linesOf = (seqs: readonly number[]): number[] => seqs.map((seq) => this.builder.lineOf(seq));
    return describeDamage(this.builder.report, linesOf(tree.circles()), linesOf(tree.orphans()), tree.isOutOfOrder());
  }
  get compactions(): number {
    return this.builder.compactions;
  }
  /** False until the first message made the file. */
  get isOnDisk(): boolean {
    return this.file !== null;
  }
  /** Where it goes on since another file took the place of its own; null while it is in its place. */
  get apartPath(): string | null {
    return this.file && this.file.path !== this.parts.path ? this.file.path : null;
  }
  /** Bytes of the journal that are known to be good. */
  get size(): number {
    return this.file?.size ?? 0;
  }

  append(drafts: readonly EntryDraft[], options: { parentId?: string | null } = {}): Promise<AppendedRecord[]> {
    const { parentId } = options;
    return this.enqueue({ drafts: () => drafts, parentId, isAlone: parentId !== undefined });
  }

  async moveLeaf(id: string | null, reason: string): Promise<void> {
    if (id !== null && !this.tree.has(id)) throw new EntryNotFoundError(id);
    await this.enqueue({ drafts: (tree) => [leafMoveDraft(tree, id, reason)], isAlone: true });
  }

  async loadBodies(ids: readonly string[]): Promise<SessionEntry[]> {
    const found = new Map<string, SessionEntry>();
    const missing: number[] = [];
    for (const id of ids) {
      const body = this.tree.body(id) ?? this.cache.get(id);
      const node = this.tree.node(id);
      if (body) found.set(id, body);
      else if (node && !this.builder.isChanged(node.seq)) missing.push(node.seq);
    }
    for (const record of await this.reader.read([...new Set(missing)].sort((a, b) => a - b))) {
      const parsed = record.isIntact ? parseRecord(decodeLine(record.bytes)) : null;
      if (parsed?.kind !== 'entry') continue;
      found.set(parsed.entry.id, parsed.entry);
      this.cache.set(parsed.entry, record.bytes.length);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async loadContextBodies(): Promise<void> {
    const wanted = [...bodyIdsOf(planContext(this.tree))].filter((id) => !this.tree.body(id));
    for (const entry of await this.loadBodies(wanted)) this.tree.setBody(entry);
    // Without a file memory is the only place that has them; the context may have grown while bodies were read.
    const needed = bodyIdsOf(planContext(this.tree));
    if (this.file) this.tree.dropBodies((id) => needed.has(id));
  }

  async linesOf(ids: readonly string[]): Promise<StoredLine[]> {
    const names = new Map<number, string>();
    for (const id of ids) {
      const node = this.tree.node(id) ?? this.tree.seconds.node(id);
      if (node) names.set(node.seq, id);
    }
    const seqs = [...names.keys()];
    const records = await this.reader.read([...seqs].sort((a, b) => a - b));
    const lines = new Map<number, StoredLine>();
    for (const record of records) lines.set(record.seq, await this.reader.toLine(record, names.get(record.seq)));
    return seqs.flatMap((seq) => lines.get(seq) ?? []);
  }

  async *lines(fromSeq: number): AsyncGenerator<{ lines: StoredLine[]; crc: number }, void, void> {
    let next = Math.max(0, fromSeq);
    for await (const chunk of this.reader.lines(next, () => (this.closing ? 0 : this.onDisk))) {
      next += chunk.lines.length;
      yield chunk;
    }
    // Who takes what was read for the whole would lose the rest.
    if (this.closing && next < this.onDisk) throw new LogClosedError();
  }

  /** How many records the file has, without those that are being written. */
  get onDisk(): number {
    return this.file ? this.builder.table.count : 0;
  }

  mark(): SyncMark {
    const seq = this.file ? this.builder.table.count - 1 : -1;
    return { sessionId: this.sessionId, seq, crc: this.builder.table.fileCrc(seq) };
  }

  /** The running CRC after record `seq`; null if there is none. */
  crcAt(seq: number): number | null {
    return this.file && seq >= 0 && seq < this.builder.table.count ? this.builder.table.fileCrc(seq) : null;
  }

  /** Whether the bytes of a record are known not to be those that were written. */
  isChanged(seq: number): boolean {
    return this.builder.isChanged(seq);
  }

  onAppended(listener: (records: readonly AppendedRecord[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves when everything that was handed in so far is written or refused. */
  async settled(): Promise<void> {
    while (this.draining) await this.draining;
  }

  lease(): () => Promise<void> {
    return this.events.leased?.() ?? (() => Promise.resolve());
  }

  close(): Promise<void> {
    return this.events.letGo?.() ?? this.shut();
  }

  /** Closes the file once what is being written and read is through, whoever has the log. */
  shut(): Promise<void> {
    this.closing ??= this.closeFile();
    return this.closing;
  }

  /** A log that goes on with what this one had in memory when it was closed; null where there is a file. */
  resumed(): JournalLog | null {
    return this.file ? null : new JournalLog({ ...this.parts, held: this.held }, this.around, this.events);
  }

  private async closeFile(): Promise<void> {
    try {
      await this.settled();
      await Promise.allSettled(this.reads);
      await this.index?.close();
      await this.file?.close().catch(() => undefined);
    } finally {
      this.events.closed?.();
    }
  }

  private enqueue(job: Pick<AppendJob, 'drafts' | 'parentId' | 'isAlone'>): Promise<AppendedRecord[]> {
    if (this.closing) {
      return Promise.reject(new StorageError('closed', 'the session is closed. Open it again and try again.'));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...job, resolve, reject });
      this.draining ??= this.drain();
    });
  }

  private async drain(): Promise<void> {
    // What is handed in during the same turn of the event loop shares the first write.
    await Promise.resolve();
    while (this.waiting.length > 0) await this.writeGroup(takeGroup(this.waiting));
    this.draining = null;
  }

  private async writeGroup(jobs: readonly AppendJob[]): Promise<void> {
    try {
      const found = await this.file?.check(this.boundary);
      if (found === 'grown') await this.readOn();
      if (found === 'other') await this.stepAside();
      const { prepared, counts } = await prepareGroup(this.tree, jobs, this.around.clock(), this.around.randomHex);
      const { records, rows } = await this.write(prepared);
      let from = 0;
      for (const [at, job] of jobs.entries()) job.resolve(records.slice(from, (from += counts[at] ?? 0)));
      await this.toIndex(rows);
    } catch (error) {
      // One bad append must not take the others of its write along.
      if (jobs.length > 1 && !(error instanceof StorageError)) for (const job of jobs) await this.writeGroup([job]);
      else for (const job of jobs) job.reject(error);
    }
  }

  /** Makes entries durable, then takes them into table and tree, then tells the listeners. */
  private async write(prepared: readonly PreparedEntry[]): Promise<{ records: AppendedRecord[]; rows: IndexRow[] }> {
    const lines = prepared.map(({ bytes }) => bytes);
    if (!this.file && prepared.every(({ entry }) => mayWait(entry))) return this.hold(prepared);
    const ending = this.unendedRow;
    let heldRows: IndexRow[] = [];
    let heldRecords: AppendedRecord[] = [];
    if (this.file) {
      await this.file.append(await joined(ending ? [NEWLINE, ...lines] : lines));
      this.unendedRow = null;
    } else {
      const bytes = await joined([...this.held.lines, ...lines]);
      this.file = await AppendFile.create(this.around.fs, this.parts.path, bytes);
      heldRows = this.held.rows;
      heldRecords = this.held.records;
      this.held = { rows: [], lines: [], records: [] };
    }
    const { records, rows } = this.take(prepared, await this.builder.crcsAfterLarge(lines));
    const { records: added, isElsewhere } = this.untold;
    this.untold = { records: [], isElsewhere: false };
    this.tell([...added, ...heldRecords, ...records]);
    if (isElsewhere) this.events.strayed?.(added.length);
    if (heldRows.length > 0) this.events.created?.();
    return { records, rows: [...(ending ? [ending] : []), ...heldRows, ...rows] };
  }

  private hold(prepared: readonly PreparedEntry[]): { records: AppendedRecord[]; rows: IndexRow[] } {
    const { records, rows } = this.take(prepared);
    this.held.rows.push(...rows);
    this.held.lines.push(...prepared.map(({ bytes }) => bytes));
    this.held.records.push(...records);
    return { records, rows: [] };
  }

  /** Not while the journal may have bytes that are not those of the rows: a younger index would vouch for them at the next start. */
  private async toIndex(rows: readonly IndexRow[]): Promise<void> {
    if (this.file?.wasTouched || hasChanged(this.builder.report)) this.index?.stop();
    await this.index?.append(rows);
    const time = this.file?.ownTime ?? null;
    if (time !== null && !this.unendedRow) await this.index?.vouchFor(time);
  }

  private take(
    prepared: readonly PreparedEntry[],
    crcs: readonly Crcs[] = [],
  ): { records: AppendedRecord[]; rows: IndexRow[] } {
    const rows: IndexRow[] = [];
    const records = prepared.map(({ entry, line: text, pieces, bytes }, at) => {
      const row = this.builder.takeOwnEntry(entry, bytes.subarray(0, -1), crcs[at]);
      rows.push(row);
      const line = { seq: row.seq, id: entry.id, line: text };
      if (pieces) notePieces(line, pieces);
      return { entry, line, ...this.crcsOf(row.seq) };
    });
    return { records, rows };
  }

  private crcsOf(seq: number): { crc: number; crcBefore: number } {
    const { table } = this.builder;
    return { crc: table.fileCrc(seq), crcBefore: table.fileCrc(seq - 1) };
  }

  /**
   * Takes in what another writer appended to the file. A read that fails takes nothing, and nobody sees another leaf meanwhile. Who
   * listens hears of it with our next entry, which makes the leaf ours again for who reads the file later (JN11).
   */
  private async readOn(): Promise<void> {
    const file = this.file;
    if (!file) return;
    const ending = this.unendedRow;
    const added = await readAdded(file, ending !== null);
    if (added === 'other') return this.stepAside();
    if (added === 'unread') throw this.writtenTogether();
    await this.takeAdded(added, ending);
  }

  private async takeAdded(added: readonly AddedLine[], ending: IndexRow | null): Promise<void> {
    const rows: IndexRow[] = ending ? [ending] : [];
    this.unendedRow = null;
    let sincePause = 0;
    for (const { bytes, ended } of added) {
      const leaf = this.tree.leafId;
      const { row, entry } = this.builder.takeLine(bytes, ended);
      // The person has not seen it: neither their next message nor a result of the run may follow it, and the model is not told of it.
      if (this.tree.leafId !== leaf) this.untold.isElsewhere = true;
      this.tree.leafId = leaf;
      const line = { seq: row.seq, id: entry?.id ?? '', line: decodeLine(bytes) };
      if (entry) this.untold.records.push({ entry, line, ...this.crcsOf(row.seq) });
      if (ended) rows.push(row);
      this.unendedRow = ended ? null : row;
      sincePause += bytes.length;
      if (sincePause < PAUSE_BYTES) continue;
      sincePause = 0;
      await pause();
    }
    await this.toIndex(rows);
  }

  /**
   * Another computer's file stands in the place of ours: it is left alone, and what we have goes on beside it until nothing is under way
   * here. Then it becomes a session of its own (docs/specs/safety.md, E2).
   */
  private async stepAside(): Promise<void> {
    const file = this.file;
    if (!file) return;
    await file.stepAside(apartPath(this.parts.path, this.around.clock()), this.boundary);
    // The index would tell of our lines what is to be read of the other file.
    await this.parts.index.close();
    this.index = null;
    await this.around.fs.remove(this.parts.indexPath).catch(() => undefined);
    this.events.apart?.();
  }

  private writtenTogether(): StorageError {
    const reason = 'another program is writing to the same session. Close it there, restart Espalier and try again.';
    return new StorageError('changed', reason);
  }

  private tell(records: readonly AppendedRecord[]): void {
    if (records.length === 0) return;
    for (const listener of [...this.listeners]) {
      try {
        listener(records);
      } catch (error) {
        // The entries are saved whatever a listener does.
        this.around.log.warn('A listener of a session log failed', error);
      }
    }
  }

  private async readAt(buffer: Uint8Array, position: number): Promise<number> {
    if (!this.file) return Buffer.concat(this.held.lines).copy(buffer, 0, position);
    if (this.closing) throw new LogClosedError();
    const read = this.file.read(buffer, position);
    this.reads.add(read);
    try {
      return await read;
    } finally {
      this.reads.delete(read);
    }
  }
}

/** Entries before the first message wait in memory; not those of a handoff, whose draft would belong to nothing after a restart. */
function mayWait(entry: SessionEntry): boolean {
  return METADATA.has(entry.type) && (entry as { customType?: unknown }).customType !== 'espalier.reference';
}
