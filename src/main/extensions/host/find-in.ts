import { realpath } from 'node:fs/promises';
import { findExtensions } from '../../project/extension-files';
import type { FolderLooks } from '../../files/looks';
import type { FoundScope } from './extension-host';

interface Places {
  /** The person's own folder for extensions. */
  place: string;
  isTrusted: (folder: string) => Promise<boolean>;
  looks: Pick<FolderLooks, 'extensions' | 'identify'>;
}

/** The person's own extensions, then those of a folder that they trust (EX11): of another one nothing is read. Never rejects. */
export async function findIn(cwd: string, { place, isTrusted, looks }: Places): Promise<FoundScope[]> {
  const own = await realpath(place)
    .then((folder) => findExtensions(folder, 'extensions'))
    .catch(() => []);
  const user: FoundScope = { workspace: null, extensions: own };
  if (cwd === '' || !(await isTrusted(cwd).catch(() => false))) return [user];
  const workspace = (await looks.identify(cwd))?.path;
  const there = workspace === undefined ? [] : await looks.extensions(workspace).catch(() => []);
  return workspace === undefined ? [user] : [user, { workspace, extensions: there }];
}
