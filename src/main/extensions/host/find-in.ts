import { realpath } from 'node:fs/promises';
import { findExtensions } from '../../project/extension-files';
import type { FolderLooks } from '../../files/looks';
import type { FoundScope } from './known-extensions';

interface Places {
  /** The person's own folders for extensions, and how each is called. */
  places: readonly { folder: string; origin: string }[];
  isTrusted: (folder: string) => Promise<boolean>;
  /** One of the app's own workspaces: what lies there an agent may have written, of any session. */
  isScratch: (folder: string) => Promise<boolean>;
  /** npm projects of the person's own. */
  packages?: readonly string[];
  looks: Pick<FolderLooks, 'extensions' | 'identify' | 'packages'>;
}

/** The person's own extensions, then those of a folder that they trust (EX11): of another one, and of scratch workspaces, nothing is read. Never rejects. */
export async function findIn(
  cwd: string,
  { places, packages = [], isTrusted, isScratch, looks }: Places,
): Promise<FoundScope[]> {
  const own = places.map(({ folder, origin }) =>
    realpath(folder).then(
      (real) => findExtensions(real, origin),
      () => [],
    ),
  );
  const [first = ''] = packages;
  const ofPackages = first === '' ? [] : await looks.packages(first, packages).catch(() => []);
  const user: FoundScope = { workspace: null, extensions: [...(await Promise.all(own)).flat(), ...ofPackages] };
  if (cwd === '' || !(await isTrusted(cwd).catch(() => false))) return [user];
  const workspace = (await looks.identify(cwd))?.path;
  if (workspace !== undefined && (await isScratch(workspace).catch(() => true))) return [user];
  const there = workspace === undefined ? [] : await looks.extensions(workspace).catch(() => []);
  return workspace === undefined ? [user] : [user, { workspace, extensions: there }];
}
