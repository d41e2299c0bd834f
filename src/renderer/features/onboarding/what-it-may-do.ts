import type { WorkspaceStatus } from '@shared/policy/trust-view';

/**
 * What the agent may do in a session's folder, in one sentence. Nothing until main has told of that very folder, or where there is none:
 * that reading is free is never said before it is known.
 */
export function whatItMayDo(status: WorkspaceStatus | null, workspace: string): string {
  switch (status?.folder === workspace ? status.trust : null) {
    case 'trusted':
    case 'scratch':
      return 'It can read there; it asks before writing a file or running a command.';
    case 'restricted':
      return 'It asks before reading or writing a file or running a command.';
    default:
      return '';
  }
}
