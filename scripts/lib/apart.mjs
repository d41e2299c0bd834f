// The two halves of what ships, for the tests that run them apart (docs/decisions/0025-apart.md): Node as in the Electron that ships, and
// the system's Chromium. Development goes on without them, so whatever is missing here is told and stops nothing.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { which } from './libraries.mjs';
import { cacheFolder, fetchTarball } from './registry.mjs';
import { capture } from './run.mjs';
import { SetupError, say } from './say.mjs';

const pinned = JSON.parse(readFileSync(new URL('../node.json', import.meta.url), 'utf8'));
/** Of Debian. Elsewhere in Linux packages of that name exist that only fetch another. */
const PACKAGE = 'chromium';

/**
 * Finds or fetches both halves.
 * @returns `env` for Playwright, and `problem`: null, or in words why the tests have to be left out here.
 */
export async function ensureApart() {
  try {
    const node = await ensureNode();
    const browser = await ensureChromium();
    const [nodeVersion, browserVersion] = [await versionOf(node), await versionOf(browser)];
    say(`what ships, apart: Node ${nodeVersion.replace('v', '')} and ${browserVersion.split(' built')[0]}`);
    return { env: { ESPALIER_APART: JSON.stringify({ node, browser }) }, problem: null };
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`what ships can't be run apart here: ${error.message}`);
    return { env: {}, problem: error.message };
  }
}

async function versionOf(executable) {
  const { code, stdout } = await capture(executable, ['--version']);
  if (code !== 0) throw new SetupError(`${executable} does not run`);
  return stdout.trim();
}

/**
 * The pinned Node. As a dependency it would be the `node` of every npm script: its package has a command of that name, and npm puts
 * the commands of packages first.
 */
async function ensureNode() {
  const wanted = Number.parseInt(pinned.version, 10);
  if (process.platform !== pinned.platform || process.arch !== pinned.arch) {
    if (Number.parseInt(process.versions.node, 10) === wanted) return process.execPath;
    throw new SetupError(`Node ${wanted} is needed; for ${process.platform} ${process.arch} none is fetched`);
  }
  const node = join(cacheFolder(), `node-${pinned.version}`, 'node');
  if (existsSync(node)) return node;
  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), 'unpacking-'));
  try {
    const tarball = await fetchTarball(pinned, work);
    const files = ['package/bin/node', 'package/LICENSE'];
    const { code, stderr } = await capture('tar', ['-xzf', tarball, '-C', work, '--no-same-owner', ...files]);
    if (code !== 0) throw new SetupError(`Node could not be unpacked with tar: ${stderr}`);
    const made = join(work, 'node');
    mkdirSync(made);
    renameSync(join(work, 'package/bin/node'), join(made, 'node'));
    renameSync(join(work, 'package/LICENSE'), join(made, 'LICENSE'));
    try {
      renameSync(made, join(node, '..'));
    } catch (error) {
      // Another set-up that ran at the same time put the same files there first.
      if (!existsSync(node)) throw error;
    }
    return node;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function ensureChromium() {
  const found = which(PACKAGE);
  if (found) return found;
  if (process.platform !== 'linux') throw new SetupError(`there is no ${PACKAGE} in PATH`);
  const install = ['install', '-y', '--no-install-recommends', PACKAGE];
  const byHand = `apt-get update && apt-get ${install.join(' ')}`;
  if (!isDebian()) throw new SetupError(`there is no ${PACKAGE} in PATH`);
  if (process.getuid?.() !== 0) throw new SetupError(`there is no ${PACKAGE} in PATH (sudo sh -c '${byHand}')`);
  say(`installing ${PACKAGE} for the tests`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await capture('apt-get', ['update', '-qq'], { env });
  const { code, stderr } = await capture('apt-get', ['-qq', ...install], { env });
  const installed = which(PACKAGE);
  if (code !== 0 || !installed)
    throw new SetupError(`${PACKAGE} could not be installed (${byHand}): ${stderr.trim().split('\n').at(-1)}`);
  return installed;
}

function isDebian() {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')) && which('apt-get') !== undefined;
  } catch {
    return false;
  }
}
