import { createHash } from 'node:crypto';
import { canonicalContent, type ApprovalScope, type ExactContent } from '@shared/policy/approval';
import type { FolderIdentity } from '../places/folder';

/** SHA-256 in hex of bytes or UTF-8 text. */
export function hashBytes(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The content hash of a call: the tool's name, everything that the card shows, and which folder stood at the workspace's path. A diff takes part by its own hash: as JSON
 * a large one would hold up main for as long as it takes to draw several frames.
 */
export function hashContent(tool: string, exact: ExactContent | ApprovalScope, folder?: FolderIdentity): string {
  const bound = exact.kind === 'diff' ? { ...exact, diff: hashBytes(exact.diff) } : exact;
  return hashBytes(canonicalContent({ v: 1, tool, exact: bound, folder }));
}
