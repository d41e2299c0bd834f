import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { isRecord } from '@shared/checks';
import { readRegular } from '../own-files/read-regular';
import { isAtOrBelow } from '../places/protected-paths';
import { isFolder, PACKAGE_PLACES, packagesIn } from './package-files';

/** An extension as it lies on the disk. */
export interface FoundExtension {
  name: string;
  /** The file that is loaded. */
  path: string;
  /** What stands in the folder of extensions: that file, or a folder. */
  root: string;
  /** Where it was found, in words: `extensions`, `.pi/extensions`, a package's name and version. */
  origin: string;
}

const FILES = ['.ts', '.mts', '.js', '.mjs'];
const INDEX_FILES = FILES.map((ending) => `index${ending}`);
/** Entries of one folder that are looked at, and bytes of a `package.json`. */
export const MAX_ENTRIES = 200;
const MAX_PACKAGE_BYTES = 256 * 1024;

/** The extensions of one folder, by name (EX11). A folder that is not there has none. What lies outside of it, behind a link, is the person's own choice. `inPackage`: a package named this folder; what stands in it names no others. */
export async function findExtensions(folder: string, origin: string, inPackage = false): Promise<FoundExtension[]> {
  const names = await readdir(folder).catch(() => []);
  const shown = names.filter((name) => !name.startsWith('.') && name !== 'node_modules').sort();
  const found = await Promise.all(
    shown.slice(0, MAX_ENTRIES).map((name) => lookAt(join(folder, name), origin, inPackage)),
  );
  return found.flat();
}

/** Where a workspace has extensions; ours first. */
export const IN_WORKSPACE = ['.espalier/extensions', '.pi/extensions'];

/** Those of a workspace (EX11). Whether it is trusted is the asker's question. */
export async function extensionsOf(folder: string): Promise<FoundExtension[]> {
  const found = await Promise.all(IN_WORKSPACE.map((place) => findExtensions(join(folder, place), place)));
  return [...found.flat(), ...(await packageExtensions(PACKAGE_PLACES.map((place) => join(folder, place))))];
}

/** Those of the packages of npm projects. */
export async function packageExtensions(places: readonly string[]): Promise<FoundExtension[]> {
  const found = (await packagesIn(places)).map(async ({ name, version, root, extensions }) => {
    const origin = `${name} ${version}`.trim();
    const paths = extensions.map(async (path) =>
      (await isFolder(path)) ? (await findExtensions(path, origin)).map((each) => each.path) : [path],
    );
    const [only, ...others] = (await Promise.all(paths)).flat();
    // A package is known by its name; of several extensions each by its file too.
    if (only !== undefined && others.length === 0) return [{ name, path: only, root, origin }];
    return (only === undefined ? [] : [only, ...others]).map((path) => {
      const { name: file } = one(path, path, origin);
      return { name: `${name}/${file}`, path, root, origin };
    });
  });
  return (await Promise.all(found)).flat();
}

/** What would be looked at there, by name alone: of a folder that is not trusted no file is opened. */
export async function extensionNames(folder: string): Promise<string[]> {
  const found = await Promise.all(
    IN_WORKSPACE.map(async (place) => {
      const entries = await readdir(join(folder, place), { withFileTypes: true }).catch(() => []);
      const mayLoad = ({ name, isFile }: { name: string; isFile: boolean }): boolean =>
        !name.startsWith('.') &&
        name !== 'node_modules' &&
        (!isFile || (FILES.includes(extname(name)) && !name.endsWith('.d.ts')));
      const named = entries.map((entry) => ({ name: entry.name, isFile: entry.isFile() })).filter(mayLoad);
      return named
        .map(({ name }) => `${place}/${name}`)
        .sort()
        .slice(0, MAX_ENTRIES);
    }),
  );
  return found.flat();
}

async function lookAt(root: string, origin: string, inPackage: boolean): Promise<FoundExtension[]> {
  const kind = await stat(root).catch(() => null);
  if (kind?.isFile()) return FILES.includes(extname(root)) && !root.endsWith('.d.ts') ? [one(root, root, origin)] : [];
  if (!kind?.isDirectory()) return [];
  // Once: a package may name a folder that leads to itself.
  const listed = inPackage ? null : await listedIn(root);
  if (listed) return listed.paths.map((path) => one(path, root, listed.origin ?? origin));
  const names = new Set(await readdir(root).catch(() => []));
  const index = INDEX_FILES.find((name) => names.has(name));
  return index === undefined ? [] : [one(join(root, index), root, origin)];
}

/** What a `package.json` names under `pi.extensions`; null if it names nothing. */
async function listedIn(root: string): Promise<{ paths: string[]; origin?: string } | null> {
  const file = join(root, 'package.json');
  let json: unknown;
  try {
    json = JSON.parse((await readRegular(file, MAX_PACKAGE_BYTES)) ?? 'null');
  } catch {
    return null;
  }
  const { pi, name, version } = isRecord(json) ? json : {};
  const { extensions } = isRecord(pi) ? pi : {};
  if (!Array.isArray(extensions)) return null;
  const real = await realpath(root);
  const paths: string[] = [];
  for (const path of extensions.slice(0, MAX_ENTRIES)) {
    if (typeof path !== 'string') continue;
    const whole = await realpath(resolve(root, path)).catch(() => null);
    // A package names files of its own only.
    if (whole === null || !isAtOrBelow(whole, real)) continue;
    const isFolder = (await stat(whole).catch(() => null))?.isDirectory() ?? false;
    if (isFolder) paths.push(...(await findExtensions(whole, '', true)).map((found) => found.path));
    else paths.push(whole);
  }
  const origin = typeof name === 'string' && typeof version === 'string' ? `${name} ${version}` : undefined;
  return { paths, ...(origin === undefined ? {} : { origin }) };
}

/** Its name is that of what stands in the folder: of a file without the ending. */
function one(path: string, root: string, origin: string): FoundExtension {
  const isFile = path === root;
  return { name: isFile ? basename(root, extname(root)) : basename(root), path, root, origin };
}
