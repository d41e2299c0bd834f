import type { ApprovalScope } from '@shared/policy/approval';
import type { FolderIdentity } from '../places/folder';

/** What is remembered where reading in a folder is allowed until the session is closed (B1): this folder, not what stands at its path later. */
export function readingScope({ path, dev, ino, born }: FolderIdentity): ApprovalScope & { kind: 'reading' } {
  return { kind: 'reading', folder: path, identity: [dev, ino, born].join(' ') };
}
