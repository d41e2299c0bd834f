import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root, runBin } from './run.mjs';
import { SetupError, say } from './say.mjs';

const INPUTS = [
  'src',
  'prompts',
  'resources',
  'electron.vite.config.ts',
  'package.json',
  'package-lock.json',
  'scripts/vite-third-party.ts',
  'scripts/lib/licence-texts.ts',
];
const OUTPUTS = ['out/main/index.js', 'out/preload', 'out/renderer/index.html'];

/** When something at or below a path last changed, folders included, so that a deleted file counts (ms since 1970). */
function newestChange(path) {
  if (!existsSync(path)) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestChange(join(path, name))), stats.mtimeMs);
}

/** Whether `out/` is missing or older than what it is built from. */
export function isBuildStale(folder = root) {
  const outputs = OUTPUTS.map((path) => join(folder, path));
  if (!outputs.every((path) => existsSync(path))) return true;
  const builtAt = Math.min(...outputs.map((path) => newestChange(path)));
  return INPUTS.some((path) => newestChange(join(folder, path)) > builtAt);
}

/** Builds the app unless `out/` is up to date. */
export async function ensureBuild() {
  if (!isBuildStale()) return;
  say('building the app');
  const code = await runBin('electron-vite', ['build', '--logLevel', 'warn']);
  if (code !== 0) throw new SetupError('The app could not be built (see above).');
}
