import { createHash } from 'node:crypto';
import { canonicalContent } from '@shared/policy/approval';

/** SHA-256 in hex of bytes or UTF-8 text. */
export function hashBytes(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The content hash of a call: the tool's name and everything that the card shows. */
export function hashContent(tool: string, exact: unknown): string {
  return hashBytes(canonicalContent({ v: 1, tool, exact }));
}
