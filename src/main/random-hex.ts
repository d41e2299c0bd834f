import { randomBytes } from 'node:crypto';

/** So many random lowercase hex digits. */
export function randomHex(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
}
