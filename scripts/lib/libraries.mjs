import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { capture, run } from './run.mjs';
import { SetupError, say } from './say.mjs';

/** What Electron needs of a Debian without a desktop (fonts too: without them every letter is an empty box). */
const DEBIAN_PACKAGES = [
  'xvfb',
  'xauth',
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libxss1',
  'libatk-bridge2.0-0',
  'libdrm2',
  'libxkbcommon0',
  'fonts-liberation',
];

/** Loaded by Electron at run time, so that ldd does not name them. */
const RUN_TIME_LIBRARIES = ['libgtk-3.so.0'];

/** Finds a command in PATH. */
export function which(command) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((path) => existsSync(path));
}

const hasDisplay = () => Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/** What Electron's executable lacks on this Linux, in words; empty when it can run. */
async function findMissingLibraries(executable) {
  const linked = await capture('ldd', [executable]);
  const missing = [...linked.stdout.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1]);
  const ldconfig = which('ldconfig') ?? '/sbin/ldconfig';
  const known = await capture(ldconfig, ['-p']);
  if (known.code === 0) missing.push(...RUN_TIME_LIBRARIES.filter((name) => !known.stdout.includes(name)));
  if (!hasDisplay() && !which('Xvfb')) missing.push('Xvfb');
  if (!hasFonts()) missing.push('fonts');
  return [...new Set(missing)];
}

function hasFonts() {
  return ['/usr/share/fonts', '/usr/local/share/fonts'].some(
    (folder) => existsSync(folder) && readdirSync(folder).length > 0,
  );
}

/**
 * Makes sure that Electron's system libraries are there: as root on Debian and its kin by installing them, else by
 * naming the command.
 * @throws SetupError with the exact command when they are missing and cannot be installed by this user.
 */
export async function ensureLibraries(executable) {
  if (process.platform !== 'linux') return;
  const missing = await findMissingLibraries(executable);
  if (missing.length === 0) return;

  if (!which('apt-get')) {
    throw new SetupError(
      `Electron needs what this system lacks: ${missing.join(', ')}. Install them with its package manager ` +
        `(Debian calls the packages ${DEBIAN_PACKAGES.join(' ')}) and run this again.`,
    );
  }
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    say(`installing system libraries for Electron (missing: ${missing.join(', ')})`);
    await run('apt-get', ['update', '-qq'], { quiet: true });
  }
  const install = ['install', '-y', '--no-install-recommends', ...(await debianPackages())];
  if (!isRoot) {
    throw new SetupError(
      `Electron needs system libraries that are missing (${missing.join(', ')}). Install them, then run this again:\n\n` +
        `  sudo apt-get update && sudo apt-get ${install.join(' ')}`,
    );
  }
  const result = await capture('apt-get', ['-qq', ...install], { env: { DEBIAN_FRONTEND: 'noninteractive' } });
  const left = await findMissingLibraries(executable);
  if (result.code !== 0 || left.length > 0) {
    throw new SetupError(
      `The system libraries for Electron could not be installed (still missing: ${left.join(', ')}).\n${result.stderr}\n` +
        `Try it by hand: apt-get update && apt-get ${install.join(' ')}`,
    );
  }
}

/** The package names of this release: newer ones gave some libraries a `t64` (64-bit time) name. */
async function debianPackages() {
  const renamed = DEBIAN_PACKAGES.filter((name) => name.startsWith('lib')).map((name) => `${name}t64`);
  const { stdout } = await capture('apt-cache', ['--names-only', 'search', 't64$']);
  const offered = new Set(stdout.split('\n').map((line) => line.split(' ')[0]));
  const isRenamed = (name) => renamed.includes(`${name}t64`) && offered.has(`${name}t64`);
  return DEBIAN_PACKAGES.map((name) => (isRenamed(name) ? `${name}t64` : name));
}
