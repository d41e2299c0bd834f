/** Gives `length` random lowercase hex digits. Main hands in `node:crypto`, tests a seeded generator. */
export type RandomHex = (length: number) => string;

/**
 * Digits of a new id: 64 random bits. With 32 two devices that add 25,000 entries each to one session collide in one of seven
 * cases. Files have ids of any shape, and all are read.
 */
export const ENTRY_ID_LENGTH = 16;
/** After this many collisions the source of randomness is broken. */
const MAX_TRIES = 100;

/** A fresh entry id: 16 lowercase hex digits that are not taken, after 100 collisions a UUID (SF5). */
export function newEntryId(isTaken: (id: string) => boolean, randomHex: RandomHex): string {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const id = randomHex(ENTRY_ID_LENGTH);
    if (!isTaken(id)) return id;
  }
  return uuidFrom(randomHex(32));
}

/** True for ids that we give or once gave: 16 hex digits, 8, or a UUID. Queue items have no others. */
export function isOwnId(id: string): boolean {
  return /^([0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(id);
}

/** A version 4 UUID from 32 hex digits. */
export function uuidFrom(hex: string): string {
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

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
