import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isRecord } from '@shared/checks';
import type { WireFacts } from './wire';

interface Entry {
  type: string;
  id: string;
  parentId: string | null;
  [key: string]: unknown;
}

interface TreeNode {
  entry: Entry;
  children: TreeNode[];
  label?: string;
}

/** Bytes of a journal that are read at most: its end (EX13). */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * `ctx.sessionManager` (EX8): the session as its file has it, read where somebody asks and as far as it has grown since. What an
 * extension does to an entry that it was given reaches nobody but itself.
 */
export class SessionView {
  private readonly byId = new Map<string, Entry>();
  private readonly labels = new Map<string, string>();
  private offset = 0;
  private rest = '';

  constructor(private readonly facts: () => WireFacts) {}

  getCwd = (): string => this.facts().cwd;
  getSessionDir = (): string => this.facts().dir;
  getSessionId = (): string => this.facts().sessionId;
  getSessionFile = (): string => this.facts().file;
  getSessionName = (): string | undefined => this.facts().name;
  getHeader = (): unknown => this.facts().header;
  getLeafId = (): string | null => this.facts().leafId;
  isPersisted = (): boolean => true;
  getLeafEntry = (): Entry | undefined => this.getEntry(this.facts().leafId ?? '');
  getEntries = (): Entry[] => [...this.read().values()];
  getEntry = (id: string): Entry | undefined => this.read().get(id);
  getChildren = (parentId: string): Entry[] => this.getEntries().filter((entry) => entry.parentId === parentId);

  getLabel = (id: string): string | undefined => {
    this.read();
    return this.labels.get(id);
  };

  /** From the root to an entry; without one, to the leaf. */
  getBranch = (fromId?: string): Entry[] => {
    const entries = this.read();
    const branch: Entry[] = [];
    const seen = new Set<string>();
    for (let id = fromId ?? this.facts().leafId; id !== null && !seen.has(id);) {
      seen.add(id);
      const entry = entries.get(id);
      if (!entry) break;
      branch.push(entry);
      id = entry.parentId;
    }
    return branch.reverse();
  };

  /** Entries that the model sees: from the last compaction of the branch on, with what it kept. */
  buildContextEntries = (): Entry[] => {
    const branch = this.getBranch();
    const at = branch.map(({ type }) => type).lastIndexOf('compaction');
    const compaction = branch[at];
    if (!compaction) return branch;
    const kept = branch.findIndex(({ id }) => id === compaction.firstKeptEntryId);
    return [compaction, ...(kept < 0 ? [] : branch.slice(kept, at)), ...branch.slice(at + 1)];
  };

  buildSessionContext = (): object => {
    const { model, thinkingLevel } = this.facts();
    const { provider, id } = isRecord(model) ? model : {};
    const messages = this.buildContextEntries().flatMap((entry) => messageOf(entry));
    return { messages, thinkingLevel, model: provider === undefined ? null : { provider, modelId: id } };
  };

  buildSessionProjection = (): object => {
    const entries = this.buildContextEntries().map((entry) => ({ sourceEntry: entry, messages: messageOf(entry) }));
    return { ...this.buildSessionContext(), entries };
  };

  getTree = (): TreeNode[] => {
    const nodes = new Map<string, TreeNode>();
    for (const entry of this.read().values()) {
      const label = this.labels.get(entry.id);
      nodes.set(entry.id, { entry, children: [], ...(label === undefined ? {} : { label }) });
    }
    const roots: TreeNode[] = [];
    for (const node of nodes.values()) {
      const parent = node.entry.parentId === null ? undefined : nodes.get(node.entry.parentId);
      (parent?.children ?? roots).push(node);
    }
    return roots;
  };

  /** The file may have been written anew: all of it is read again. */
  forget(): void {
    this.byId.clear();
    this.labels.clear();
    this.offset = 0;
    this.rest = '';
  }

  private read(): Map<string, Entry> {
    let file: number;
    try {
      file = openSync(this.facts().file, 'r');
    } catch {
      // Nothing was said yet.
      return this.byId;
    }
    try {
      const { size } = fstatSync(file);
      if (size < this.offset) this.forget();
      this.offset = Math.max(this.offset, size - MAX_BYTES);
      while (this.offset < size) this.take(file, Math.min(size - this.offset, 8 * 1024 * 1024));
    } finally {
      closeSync(file);
    }
    return this.byId;
  }

  private take(file: number, length: number): void {
    const bytes = Buffer.alloc(length);
    const read = readSync(file, bytes, 0, length, this.offset);
    // Whole lines only: a chunk may end within a character.
    const end = bytes.lastIndexOf(10, read - 1);
    const upTo = end < 0 ? read : end + 1;
    this.offset += upTo;
    const lines = (this.rest + bytes.toString('utf8', 0, upTo)).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.note(line);
  }

  private note(line: string): void {
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      return;
    }
    if (!isRecord(entry) || typeof entry.id !== 'string' || typeof entry.type !== 'string' || entry.type === 'session')
      return;
    this.byId.set(entry.id, { parentId: null, ...entry } as unknown as Entry);
    if (entry.type !== 'label' || typeof entry.targetId !== 'string') return;
    if (typeof entry.label === 'string') this.labels.set(entry.targetId, entry.label);
    else this.labels.delete(entry.targetId);
  }
}

function messageOf(entry: Entry): unknown[] {
  const timestamp = Date.parse(String(entry.timestamp)) || 0;
  const { summary, customType, content, display, details } = entry;
  if (entry.type === 'message') return [entry.message];
  if (entry.type === 'custom_message') return [{ role: 'custom', customType, content, display, details, timestamp }];
  if (entry.type === 'branch_summary') return [{ role: 'branchSummary', summary, fromId: entry.fromId, timestamp }];
  if (entry.type !== 'compaction') return [];
  return [{ role: 'compactionSummary', summary, tokensBefore: entry.tokensBefore, timestamp }];
}
