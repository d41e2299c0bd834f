import type { WorkspaceStatus } from '@shared/types';

const FREE = 'It can read there; it asks before writing a file or running a command.';

/**
 * What the agent may do in a session's folder, in one sentence. Nothing until main has told of that very folder, or where there is none:
 * that reading is free is never said before it is known.
 */
export function whatItMayDo(status: WorkspaceStatus | null, workspace: string): string {
  if (status?.folder !== workspace) return '';
  switch (status.trust) {
    case 'trusted':
    case 'scratch':
      return FREE;
    case 'restricted':
      if (status.isReadingAllowed) return FREE;
      return 'It asks before reading or writing a file or running a command.';
    default:
      return '';
  }
}
