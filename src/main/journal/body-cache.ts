import type { SessionEntry } from '@shared/session/entry';

/** Bodies read lately, the least used dropped first, bounded by the bytes of their lines. */
export class BodyCache {
  private readonly bodies = new Map<string, { entry: SessionEntry; bytes: number }>();
  private total = 0;

  constructor(private readonly maxBytes: number) {}

  get(id: string): SessionEntry | undefined {
    const found = this.bodies.get(id);
    if (!found) return undefined;
    this.bodies.delete(id);
    this.bodies.set(id, found);
    return found.entry;
  }

  /** `bytes`: length of the entry's line. One larger than the whole cache is not kept. */
  set(entry: SessionEntry, bytes: number): void {
    this.delete(entry.id);
    if (bytes > this.maxBytes) return;
    this.bodies.set(entry.id, { entry, bytes });
    this.total += bytes;
    for (const id of this.bodies.keys()) {
      if (this.total <= this.maxBytes) break;
      this.delete(id);
    }
  }

  private delete(id: string): void {
    const found = this.bodies.get(id);
    if (!found) return;
    this.bodies.delete(id);
    this.total -= found.bytes;
  }
}
