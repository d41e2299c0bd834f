import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isRecord } from '@shared/checks';
import { readRegular } from '../own-files/read-regular';
import { isAtOrBelow } from '../places/protected-paths';

/** An npm package that brings something for the agent. */
export interface FoundPackage {
  name: string;
  version: string;
  /** Where it lies, links resolved. */
  root: string;
  /** Files and folders that it names: all of them lie in it. */
  extensions: string[];
  skills: string[];
  prompts: string[];
}

/** Where a workspace may have an npm project of its own; ours first. */
export const PACKAGE_PLACES = ['.espalier', '.pi'] as const;

const NAME = /^(?:@[a-z0-9-~][\w.-]*\/)?[a-z0-9-~][\w.-]*$/;
const MAX_PACKAGES = 100;
const MAX_PATHS = 100;
const MAX_PACKAGE_BYTES = 256 * 1024;

/**
 * The packages of npm projects that the person made (EX11): those that the project names itself, not what these need. Nothing is
 * installed, and nothing of a package is run to find it. What is not there, or no package for an agent, is left out. Never rejects.
 */
export async function packagesIn(places: readonly string[]): Promise<FoundPackage[]> {
  const found = await Promise.all(
    places.map(async (place) => {
      const { dependencies } = (await jsonOf(join(place, 'package.json'))) ?? {};
      const names = Object.keys(isRecord(dependencies) ? dependencies : {}).filter((name) => NAME.test(name));
      return Promise.all(names.slice(0, MAX_PACKAGES).map((name) => packageAt(join(place, 'node_modules', name))));
    }),
  );
  const first = new Map<string, FoundPackage>();
  for (const each of found.flat()) if (each && !first.has(each.name)) first.set(each.name, each);
  return [...first.values()];
}

async function packageAt(folder: string): Promise<FoundPackage | null> {
  const root = await realpath(folder).catch(() => null);
  const json = root === null ? null : await jsonOf(join(root, 'package.json'));
  if (root === null || json === null) return null;
  const { name, version, keywords, pi } = json;
  if (typeof name !== 'string' || !NAME.test(name)) return null;
  if (!isRecord(pi) && !(Array.isArray(keywords) && keywords.includes('pi-package'))) return null;
  const named = (kind: 'extensions' | 'skills' | 'prompts'): Promise<string[]> =>
    pathsOf(root, isRecord(pi) ? pi[kind] : [`./${kind}`]);
  const [extensions, skills, prompts] = await Promise.all([named('extensions'), named('skills'), named('prompts')]);
  return { name, version: typeof version === 'string' ? version : '', root, extensions, skills, prompts };
}

/** What a manifest names. Of a pattern in the last part its folder counts; exclusions are not looked at. */
async function pathsOf(root: string, list: unknown): Promise<string[]> {
  if (!Array.isArray(list)) return [];
  const given = list
    .slice(0, MAX_PATHS)
    .filter((path): path is string => typeof path === 'string' && !path.startsWith('!'));
  const paths = await Promise.all(
    given.map(async (path) => {
      const plain = path.replace(/^\+/, '');
      const wanted = resolve(root, plain.includes('*') ? dirname(plain.slice(0, plain.indexOf('*') + 1)) : plain);
      const real = await realpath(wanted).catch(() => null);
      // A package names what lies in it, nothing else.
      return real !== null && isAtOrBelow(real, root) ? real : null;
    }),
  );
  return [...new Set(paths.filter((path): path is string => path !== null))];
}

async function jsonOf(file: string): Promise<Record<string, unknown> | null> {
  try {
    const json: unknown = JSON.parse((await readRegular(file, MAX_PACKAGE_BYTES)) ?? 'null');
    return isRecord(json) ? json : null;
  } catch {
    return null;
  }
}

/** Whether a path is a folder; false where it is not there. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
