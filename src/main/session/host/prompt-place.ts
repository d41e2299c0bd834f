import os from 'node:os';
import type { PromptPlace } from '../../agent/system-prompt';

/** Where a run takes place, for the system prompt. The date is the local one. */
export function promptPlace(workspaceDir: string): PromptPlace {
  const now = new Date();
  const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  return { workspaceDir, platform: `${os.type()} ${os.release()} (${os.arch()})`, shell: 'bash', date };
}
