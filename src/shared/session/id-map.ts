/** So many ids are in one map; more than that are spread over `PARTS`. */
const ONE_MAP = 16_384;
/** A power of two: a million ids are some 4,000 in each. */
const PARTS = 256;
/** Characters of an id that say its part; ids that differ only behind them share one, which is slower to grow and no less right. */
const HASHED = 40;

/**
 * A map by entry id that grows in small steps: a `Map` of a million keys is copied whole when it is full, which holds the thread up for
 * a quarter of a second. Large ones are many small maps.
 */
export class IdMap<V> {
  private one: Map<string, V> | null = new Map();
  private parts: Map<string, V>[] = [];

  get(id: string): V | undefined {
    return this.mapOf(id).get(id);
  }

  has(id: string): boolean {
    return this.mapOf(id).has(id);
  }

  set(id: string, value: V): void {
    this.mapOf(id).set(id, value);
    if (this.one && this.one.size > ONE_MAP) this.spread(this.one);
  }

  private mapOf(id: string): Map<string, V> {
    if (this.one) return this.one;
    const end = Math.min(id.length, HASHED);
    let hash = end;
    for (let at = 0; at < end; at += 1) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0;
    return this.parts[(hash ^ (hash >>> 15)) & (PARTS - 1)] as Map<string, V>;
  }

  private spread(all: Map<string, V>): void {
    this.one = null;
    this.parts = Array.from({ length: PARTS }, () => new Map<string, V>());
    for (const [id, value] of all) this.mapOf(id).set(id, value);
  }
}
