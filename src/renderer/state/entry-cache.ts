import { isOpaque, OPAQUE_TYPE, type SessionEntry } from '@shared/session/records/entry';
import type { StoredLine } from '@shared/types';
import { parseRecord } from '@shared/session/records/records';

/** Bodies kept in memory per session. 12 MB of text is some hundred screens; the rest is fetched again when scrolled to. */
const MAX_CACHED_CHARACTERS = 12_000_000;

/** So many are held however large they are: what is on screen must not push itself out. */
const FEWEST_CACHED = 48;

/** Parsed entry bodies of one session, least recently used first out (QP5). */
export class EntryCache {
  private readonly items = new Map<string, { entry: SessionEntry; size: number }>();
  private held = 0;

  constructor(
    private readonly limit = MAX_CACHED_CHARACTERS,
    private readonly fewest = FEWEST_CACHED,
  ) {}

  /** Characters of all lines held. */
  get size(): number {
    return this.held;
  }

  has(id: string): boolean {
    return this.items.has(id);
  }

  get(id: string): SessionEntry | undefined {
    const item = this.items.get(id);
    if (!item) return undefined;
    this.items.delete(id);
    this.items.set(id, item);
    return item.entry;
  }

  /** Parses and holds the lines. Returns the ids that could not be read. */
  put(lines: readonly StoredLine[]): string[] {
    const damaged: string[] = [];
    for (const { id, line } of lines) {
      if (!id) continue;
      const entry = parseEntry(line, id);
      if (!entry) {
        damaged.push(id);
        continue;
      }
      const before = this.items.get(id);
      if (before) this.held -= before.size;
      this.items.delete(id);
      this.items.set(id, { entry, size: line.length });
      this.held += line.length;
    }
    this.evict();
    return damaged;
  }

  clear(): void {
    this.items.clear();
    this.held = 0;
  }

  private evict(): void {
    for (const [id, item] of this.items) {
      if (this.held <= this.limit || this.items.size <= this.fewest) return;
      this.items.delete(id);
      this.held -= item.size;
    }
  }
}

/** @param id under which it was asked for: another one than it has where an earlier record has that (SF18) */
function parseEntry(line: string, id: string): SessionEntry | null {
  const record = parseRecord(line);
  if (record.kind !== 'entry') return null;
  const { entry } = record;
  if (entry.id !== id) {
    const { parentId, timestamp } = entry;
    return { type: OPAQUE_TYPE, id, parentId, timestamp, side: false, flaw: '', second: entry.id, line };
  }
  return isOpaque(entry) ? { ...entry, line } : entry;
}
