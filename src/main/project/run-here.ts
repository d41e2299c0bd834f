import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { foldPath, isAtOrBelow } from '../places/protected-paths';
import type { ResolvedPath, Workspace } from '../places/workspace';
import { IN_WORKSPACE, MAX_ENTRIES } from './extension-files';

/** What is looked for in a folder of extensions and in what npm has installed for them, of a workspace or of pi. */
const RUN = /[\\/]\.(?:espalier|pi)[\\/](?:agent[\\/])?(?:extensions|node_modules|package\.json)(?:[\\/]|$)/;

/**
 * Whether the app runs what a file inside the workspace says, or would once it is written, without being asked again (EX11, EX17): by
 * its place, as loosely as any file system might read it, and by where the folders of extensions and what stands in them lead.
 */
export async function isRunHere(workspace: Workspace, { path }: Pick<ResolvedPath, 'path'>): Promise<boolean> {
  // Of scratch workspaces nothing is loaded.
  if (await workspace.isScratch()) return false;
  if (RUN.test(foldPath(path))) return true;
  const root = await workspace.root();
  for (const place of IN_WORKSPACE) {
    const folder = await realpath(join(root, place)).catch(() => null);
    if (folder === null) continue;
    if (isAtOrBelow(path, folder)) return true;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const { name } of entries.filter((entry) => entry.isSymbolicLink()).slice(0, MAX_ENTRIES)) {
      const real = await realpath(join(folder, name)).catch(() => null);
      if (real !== null && isAtOrBelow(path, real)) return true;
    }
  }
  return false;
}
