/** Gives `length` random lowercase hex digits. Main hands in `node:crypto`, tests a seeded generator. */
export type RandomHex = (length: number) => string;

const SHORT_ID_LENGTH = 8;
/** After this many collisions the short space is as good as full (engine.md 1.3). */
const MAX_TRIES = 100;

/** A fresh entry id: 8 lowercase hex digits that are not taken, after 100 collisions a UUID (engine.md 1.3). */
export function newEntryId(isTaken: (id: string) => boolean, randomHex: RandomHex): string {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const id = randomHex(SHORT_ID_LENGTH);
    if (!isTaken(id)) return id;
  }
  return uuidFrom(randomHex(32));
}

/** A version 4 UUID from 32 hex digits. */
export function uuidFrom(hex: string): string {
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
