import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

const readJson = <T>(path: string) =>
  JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')) as T;
const lock = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');
const manifest = readJson<{ allowScripts: Record<string, boolean> }>('package.json');
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('QS8: supply chain', () => {
  it('every locked package carries a sha512 integrity', () => {
    expect(packages.length).toBeGreaterThan(100);
    const without = packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it('the lock file names no registry but the public one', () => {
    const elsewhere = packages.filter(
      ([, { resolved }]) => resolved && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([path, { resolved }]) => `${path}: ${resolved}`)).toEqual([]);
  });

  it('packages for other platforms are locked too (npm ci refuses a lock file without them)', () => {
    // A platform's package is found beside the package that wants it or in any node_modules above, as Node resolves it.
    const isLocked = (from: string, name: string): boolean =>
      `${from && `${from}/`}node_modules/${name}` in lock.packages ||
      (from !== '' && isLocked(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name));
    const missing = packages.flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {})
        .filter((name) => !isLocked(path, name))
        .map((name) => `${path} wants ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('packages with install scripts are exactly those that package.json decides on', () => {
    const withScripts = new Set(packages.filter(([, locked]) => locked.hasInstallScript).map(([path]) => nameOf(path)));
    expect([...withScripts].sort()).toEqual(Object.keys(manifest.allowScripts).sort());
  });

  it('no install script runs at all', () => {
    expect(Object.values(manifest.allowScripts)).not.toContain(true);
    expect(readFileSync(new URL('../../../.npmrc', import.meta.url), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });

  it.each(['runtime', 'node'])(
    'what is fetched beside the dependencies is pinned by version and integrity: %s',
    (file) => {
      const pinned = readJson<Record<string, string>>(`scripts/${file}.json`);
      expect(pinned.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(Buffer.from(pinned.integrity!.replace('sha512-', ''), 'base64')).toHaveLength(64);
    },
  );
});
