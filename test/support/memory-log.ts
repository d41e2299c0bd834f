import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { StoredLine, SyncMark } from '../../src/shared/types';
import { leafMoveDraft, prepareAppend } from '@shared/session/tree/drafts';
import type { EntryDraft, SessionEntry, SessionHeader } from '@shared/session/records/entry';
import { serializeEntry, serializeHeader } from '@shared/session/records/serialize-entry';
import { SessionTree } from '@shared/session/tree/tree';
import type { AppendedRecord, SessionLog } from '../../src/main/ports';

/** A `SessionLog` that keeps its lines in memory, with faults on demand. Same promises as the journal's: order, roll back, ids. */
export class MemoryLog implements SessionLog {
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  readonly damage: readonly string[] = [];
  readonly stored: StoredLine[] = [];
  /** Next appends that fail, with this error each. */
  readonly failures: Error[] = [];
  /** Called with the drafts right before they are written; a test may wait in it. */
  beforeAppend: ((drafts: readonly EntryDraft[]) => Promise<void> | void) | null = null;
  private crc = 0;
  private readonly listeners = new Set<(records: readonly AppendedRecord[]) => void>();
  private chain: Promise<unknown> = Promise.resolve();

  constructor(
    readonly sessionId = `s-${randomBytes(4).toString('hex')}`,
    timestamp = new Date().toISOString(),
  ) {
    this.header = { type: 'session', version: 3, id: sessionId, timestamp, cwd: '/' };
    this.tree = new SessionTree(this.header);
    this.store('', serializeHeader(this.header));
  }

  /** A second log over the same lines, as after a restart. */
  reopen(): MemoryLog {
    const again = new MemoryLog(this.sessionId, this.header.timestamp);
    for (const { line } of this.stored.slice(1)) again.addLine(line);
    again.tree.settleLeafAfterLoad();
    return again;
  }

  addLine(line: string): void {
    const entry = JSON.parse(line) as SessionEntry;
    const stored = this.store(entry.id, line);
    this.tree.addEntry(entry, stored.seq);
  }

  append(drafts: readonly EntryDraft[], options: { parentId?: string | null } = {}): Promise<AppendedRecord[]> {
    const next = this.chain.then(() => this.write(drafts, options));
    this.chain = next.catch(() => undefined);
    return next;
  }

  async moveLeaf(id: string | null, reason: string): Promise<void> {
    await this.append([leafMoveDraft(this.tree, id, reason)]);
  }

  async loadBodies(ids: readonly string[]): Promise<SessionEntry[]> {
    return ids.flatMap((id) => this.tree.body(id) ?? []);
  }

  async loadContextBodies(): Promise<void> {}

  async linesOf(ids: readonly string[]): Promise<StoredLine[]> {
    const wanted = new Set(ids);
    return this.stored.filter((line) => wanted.has(line.id));
  }

  async *lines(fromSeq: number): AsyncIterable<{ lines: StoredLine[]; crc: number }> {
    yield { lines: this.stored.slice(fromSeq), crc: this.crc };
  }

  mark(): SyncMark {
    return { sessionId: this.sessionId, seq: this.stored.length - 1, crc: this.crc };
  }

  onAppended(listener: (records: readonly AppendedRecord[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  lease(): () => Promise<void> {
    return () => Promise.resolve();
  }

  async close(): Promise<void> {
    await this.chain;
  }

  private async write(drafts: readonly EntryDraft[], options: { parentId?: string | null }): Promise<AppendedRecord[]> {
    await this.beforeAppend?.(drafts);
    const failure = this.failures.shift();
    if (failure) throw failure;
    await Promise.resolve();
    const randomHex = (length: number): string => randomBytes(length).toString('hex').slice(0, length);
    const entries = prepareAppend(this.tree, drafts, { now: Date.now(), randomHex, ...options });
    const records = entries.map((entry) => {
      const crcBefore = this.crc;
      const line = this.store(entry.id, serializeEntry(entry));
      // What the tree holds is what the file says, not the caller's object.
      const parsed = JSON.parse(line.line) as SessionEntry;
      this.tree.addEntry(parsed, line.seq);
      return { entry: parsed, line, crc: this.crc, crcBefore };
    });
    for (const listener of this.listeners) listener(records);
    return records;
  }

  private store(id: string, line: string): StoredLine {
    const stored = { seq: this.stored.length, id, line };
    this.stored.push(stored);
    this.crc = typeof crc32 === 'function' ? crc32(`${line}\n`, this.crc) : this.crc + line.length;
    return stored;
  }
}
