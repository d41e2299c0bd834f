import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root } from './run.mjs';
import { SetupError, say } from './say.mjs';

const OLDEST_NODE = [20, 19];

/** Stops with a plain message when this Node is too old for the tools. */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new SetupError(
    `Espalier needs Node ${OLDEST_NODE.join('.')} or newer to be built; this is Node ${version}. ` +
      'Install a current version (nodejs.org, or `nvm install` in this folder) and run this again.',
  );
}

/** Installs the dependencies exactly as the lock file says, unless that was done already. */
export async function ensureDependencies(folder = root) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const stamp = join(folder, 'node_modules', '.espalier-setup');
  const hash = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;

  if (!isInstalled(folder, JSON.parse(lock))) {
    say('installing the dependencies (npm ci; a minute or two)');
    const code = await npm(['ci', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'], {
      cwd: folder,
    });
    if (code !== 0) {
      throw new SetupError(
        'The dependencies could not be installed (see npm above). Check the network and run this again.',
      );
    }
  }
  writeFileSync(stamp, hash);
}

/** Whether what npm says it installed has every package of the lock file in the same version. */
function isInstalled(folder, lock) {
  const record = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, { version, optional }]) => {
    const present = installed[path];
    return path === '' || (present ? present.version === version : optional);
  });
}
