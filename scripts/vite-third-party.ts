import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { isAccepted, textOfLicence, type PackageFacts } from './lib/licence-texts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Of files that are put into the app as they are, with what they were made from inside. */
const PREBUNDLED = ['mermaid'];

/**
 * What a bundled package takes only where it happens to be installed: `debug` colours what it prints. Named in the texts, and nothing
 * that the app asked for.
 */
const BY_CHANCE = new Set(['node_modules/supports-color', 'node_modules/has-flag']);

/** Folders of packages that any of the bundles holds, over all builds of one run. */
const shipped = new Set<string>();

/** Notes which packages a bundle really holds. Workers are bundles of their own. */
export function noteShipped(): Plugin {
  return {
    name: 'espalier-note-shipped',
    generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((item) =>
        // Fonts and pictures stand in no chunk.
        item.type === 'chunk'
          ? item.moduleIds
          : item.originalFileNames.map((name) => resolve(root, 'src/renderer', name)),
      );
      for (const id of ids) {
        const folder = packageFolder(id);
        if (folder !== null) shipped.add(folder);
      }
    },
  };
}

/**
 * Writes the licence texts of all that the builds before this one, and this one, hold: `third-party.txt` to be packed beside the app,
 * `third-party.js` for Settings. The last build of a run has it. @throws Error for a package without a licence
 */
export function thirdPartyTexts(): Plugin {
  return {
    name: 'espalier-third-party',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler() {
        for (const name of PREBUNDLED) addWithDependencies(join(root, 'node_modules', name));
        const packages = [...shipped].map(factsOf);
        refuseUnlisted([...shipped]);
        const text = thirdPartyText(packages);
        this.emitFile({ type: 'asset', fileName: 'third-party.txt', source: text });
        this.emitFile({
          type: 'asset',
          fileName: 'third-party.js',
          source: `export default ${JSON.stringify(text)};\n`,
        });
      },
    },
  };
}

const HEAD = `Espalier holds the work of others. Each of these packages is used under its licence, whose text stands here.
Electron and Chromium have theirs in files of their own beside the app (LICENSE.electron.txt, LICENSES.chromium.html).
`;

/**
 * What is shipped stands under `dependencies` in package.json, itself or by what needs it: that is where scanners look.
 * @throws Error for a package that the lockfile has for development only
 */
function refuseUnlisted(folders: readonly string[]): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const wrong = folders
    .map((folder) => relative(root, folder).split(sep).join('/'))
    .filter((name) => !BY_CHANCE.has(name))
    .filter((name) => {
      const { dev, devOptional } = lock.packages[name] ?? { dev: true };
      return dev === true || devOptional === true;
    });
  if (wrong.length > 0) throw new Error(`Bundled, but not under dependencies in package.json: ${wrong.join(', ')}`);
}

/**
 * The same packages give the same text, in whatever order they were found.
 * @throws Error for one without a licence text, or under a licence that asks more than to carry it along
 */
export function thirdPartyText(packages: readonly PackageFacts[]): string {
  const refused = packages.filter((item) => !isAccepted(item)).map(({ name, licence }) => `${name} (${licence})`);
  if (refused.length > 0) throw new Error(`Bundled under a licence that nobody has looked at: ${refused.join(', ')}`);
  const named = new Map(packages.map((item) => [`${item.name} ${item.version}`, item]));
  const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1));
  const line = '-'.repeat(80);
  const sections = sorted.map(
    ([name, item]) => `${line}\n${name} (${item.licence})\n${line}\n\n${textOfLicence(item)}\n`,
  );
  return [HEAD, ...sections].join('\n');
}

/** The folder of the package that a module is of; null for our own code. */
export function packageFolder(id: string): string | null {
  const file = id.replace(/^\0+/, '').replace(/\?.*$/, '');
  if (!file.includes(`${sep}node_modules${sep}`)) return null;
  for (let folder = dirname(file); folder !== parse(folder).root; folder = dirname(folder)) {
    if (isPackage(folder)) return folder;
  }
  return null;
}

/** Not the small `package.json` of a folder inside, which says no more than how its modules are read. */
function isPackage(folder: string): boolean {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return false;
  const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
  return name !== undefined && version !== undefined;
}

function factsOf(folder: string): PackageFacts {
  const facts = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string | { type?: string };
    author?: string | { name?: string };
  };
  const { name, version, license, author } = facts;
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort();
  return {
    name,
    version,
    licence: (typeof license === 'string' ? license : license?.type) ?? 'licence not named',
    author: typeof author === 'string' ? author : (author?.name ?? ''),
    texts: files.map((file) => readFileSync(join(folder, file), 'utf8')),
  };
}

/** A package and all that it was made from, as they are installed. */
function addWithDependencies(folder: string): void {
  if (shipped.has(folder) && !PREBUNDLED.includes(parse(folder).base)) return;
  shipped.add(folder);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    // Types are in no program.
    if (name.startsWith('@types/')) continue;
    const found = installed(name, folder);
    if (!found) throw new Error(`${name}, which ${folder} needs, is not installed.`);
    if (!shipped.has(found)) addWithDependencies(found);
  }
}

function installed(name: string, from: string): string | null {
  for (let folder = from; folder !== parse(folder).root; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return null;
}
