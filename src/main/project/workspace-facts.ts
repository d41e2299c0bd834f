import { opendir } from 'node:fs/promises';
import type { Workspace } from '../places/workspace';
import { gitFacts } from './git-status';

const MAX_LISTED = 60;
/** Reading a folder of a million files must not delay the first reply. */
const MAX_SCANNED = 5000;
const MAX_NAME_LENGTH = 120;
const NO_LISTING = '- The workspace folder could not be listed';

/**
 * Lines about a trusted workspace for the system prompt: git branch and status, top-level listing. Bounded in size and time; never rejects.
 */
export async function gatherWorkspaceFacts(workspace: Workspace): Promise<string[]> {
  const root = await workspace.root().catch(() => null);
  if (root === null) return [NO_LISTING];
  const [git, listing] = await Promise.all([gitFacts(root, clip), listTopLevel(root)]);
  return [...git, ...listing];
}

async function listTopLevel(workspaceDir: string): Promise<string[]> {
  const names: string[] = [];
  let cutOff = false;
  try {
    const folder = await opendir(workspaceDir);
    for await (const entry of folder) {
      if (entry.name === '.git') continue;
      names.push(clip(entry.name) + (entry.isDirectory() ? '/' : ''));
      if (names.length >= MAX_SCANNED) {
        cutOff = true;
        break;
      }
    }
  } catch {
    return [NO_LISTING];
  }
  if (names.length === 0) return ['- The workspace is empty'];
  names.sort();
  const shown = names.slice(0, MAX_LISTED);
  const rest = names.length - shown.length;
  const more = rest > 0 ? `, … ${cutOff ? 'over ' : ''}${rest} more` : '';
  return [`- Top level: ${shown.join(', ')}${more}`];
}

function clip(name: string): string {
  const printable = name.replace(/[\u0000-\u001f\u007f]/g, '\uFFFD');
  return printable.length > MAX_NAME_LENGTH ? `${printable.slice(0, MAX_NAME_LENGTH)}…` : printable;
}
