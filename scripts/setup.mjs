// Prepares a fresh clone: Node, dependencies, the Electron runtime, system libraries, a display. Run before `npm ci` has
// ever run, so nothing here or in scripts/lib imports a package. Each step says what it does, only when it does something.
import { pathToFileURL } from 'node:url';
import { checkNode, ensureDependencies } from './lib/dependencies.mjs';
import { ensureDisplay } from './lib/display.mjs';
import { ensureLibraries } from './lib/libraries.mjs';
import { ensureRuntime } from './lib/runtime.mjs';
import { main } from './lib/say.mjs';
import { makeScratch } from './lib/scratch.mjs';

/**
 * Makes everything ready to build and run the app.
 * @param options `display: false` leaves out the virtual display; `scratch: true`, for tests, gives them a temporary folder of their own.
 * @returns the `runtime`, the `env` for programs that start Electron, the Chromium `flags` it needs here, and `stop`, to be
 *   called at the end.
 */
export async function setUp({ display = true, scratch = false } = {}) {
  checkNode();
  await ensureDependencies();
  const runtime = await ensureRuntime();
  await ensureLibraries(runtime.executable);
  const screen = display ? await ensureDisplay() : { env: {}, stop: () => {} };
  const folder = scratch ? makeScratch() : { env: {}, remove: () => {} };
  const stop = () => {
    screen.stop();
    folder.remove();
  };
  return { runtime, env: { ...runtime.env, ...screen.env, ...folder.env }, flags: chromiumFlags(screen.env), stop };
}

function chromiumFlags(screenEnv) {
  const flags = [];
  // Chromium refuses to start its sandbox as root; everyone else keeps it.
  if (process.getuid?.() === 0) flags.push('--no-sandbox');
  // Where only a virtual display is, there is no D-Bus and no GPU either, and Chromium fills the terminal with both.
  if (screenEnv.DISPLAY) flags.push('--log-level=3', '--disable-gpu');
  return flags;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setUp({ display: false });
    return 0;
  });
}
