import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { extensionNames } from './extension-files';
import { PACKAGE_PLACES } from './package-files';
import { wordsOfWorkspace } from './read-words';
import type { ToolPlace } from '../places/workspace';

/** What a folder would bring if it were trusted, by the names of its files: nothing of them is opened (EX11, B1). */
export interface FolderNames {
  extensions: string[];
  skills: string[];
  templates: string[];
  /** Files that name MCP servers. */
  servers: string[];
}

const SERVER_FILES = ['.mcp.json', '.pi/mcp.json'];

/** For the worker: it looks there. Never rejects. */
export async function namesInFolder(place: ToolPlace): Promise<FolderNames> {
  const { workspaceDir } = place;
  const shown = async (kind: 'skills' | 'templates'): Promise<string[]> =>
    (await wordsOfWorkspace(place, { kind, placesOnly: true })).map((word) => word.shown);
  const thoseOf = async (files: readonly string[]): Promise<string[]> => {
    const isThere = (file: string): Promise<boolean> =>
      lstat(join(workspaceDir, file)).then(
        () => true,
        () => false,
      );
    const found = await Promise.all(files.map(async (file) => ((await isThere(file)) ? [file] : [])));
    return found.flat();
  };
  const [extensions, skills, templates, servers, packages] = await Promise.all([
    extensionNames(workspaceDir),
    shown('skills'),
    shown('templates'),
    thoseOf(SERVER_FILES),
    thoseOf(PACKAGE_PLACES.map((folder) => `${folder}/package.json`)),
  ]);
  const ofPackages = packages.map((file) => `those of the packages that ${file} names`);
  return { extensions: [...extensions, ...ofPackages], skills, templates, servers };
}
