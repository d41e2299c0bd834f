import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../support/cache';

/** pi's packages whose examples are tried. No dependency: fetched into the cache, and nothing but their examples is looked at. */
export const PI_PACKAGES = [
  { name: '@mariozechner/pi-coding-agent', version: '0.73.1' },
  { name: '@earendil-works/pi-coding-agent', version: '1.5.2' },
];

/** The folder with a package's example extensions, fetched once. Throws in npm's words where it can't be. */
export function examplesOf({ name, version }: (typeof PI_PACKAGES)[number]): string {
  const folder = join(cacheFolder(), 'pi-examples', `${name.replace(/[@/]/g, '')}-${version}`);
  const examples = join(folder, 'package/examples/extensions');
  if (existsSync(examples)) return examples;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    npm(['pack', `${name}@${version}`, '--silent', '--pack-destination', '.'], partial);
    const [archive = ''] = readdirSync(partial).filter((file) => file.endsWith('.tgz'));
    execFileSync('tar', ['-xzf', archive, 'package/examples/extensions'], { cwd: partial });
    for (const example of readdirSync(join(partial, 'package/examples/extensions')))
      installFor(join(partial, 'package/examples/extensions', example));
    rmSync(join(partial, archive));
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return examples;
}

/** Examples that are packages of their own get what they depend on, as their README says; nothing of it is run. */
function installFor(example: string): void {
  const manifest = join(example, 'package.json');
  if (!existsSync(manifest)) return;
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies?: object };
  if (Object.keys(dependencies).length === 0) return;
  // One whose packages can't be had fails by itself, and says so.
  try {
    npm(['install', '--ignore-scripts', '--omit=dev', '--omit=peer', '--no-audit', '--no-fund', '--silent'], example);
  } catch (error) {
    console.warn(`${example}: ${String(error)}`);
  }
}

/** The examples of a folder by name: what stands in it, a file or a folder. */
export function namesOf(examples: string): string[] {
  return readdirSync(examples)
    .filter((entry) => entry !== 'README.md' && entry !== 'node_modules')
    .sort();
}

/** One example in a place of its own, as a person would put it there. */
export function putExample(examples: string, entry: string, place: string): void {
  mkdirSync(place, { recursive: true });
  cpSync(join(examples, entry), join(place, entry), { recursive: true });
}

function npm(args: string[], cwd: string): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });
}
