// npm run package: an installer for this platform in dist/, from the official Electron, with its fuses set and read back.
import { readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { auditShipped } from './lib/audit.mjs';
import { ensureBuild } from './lib/build.mjs';
import { checkNode, ensureDependencies } from './lib/dependencies.mjs';
import { root, runBin, scriptArguments } from './lib/run.mjs';
import { ensureRuntime } from './lib/runtime.mjs';
import { SetupError, main, say } from './lib/say.mjs';

/** QC1, item 19: what each fuse must be in a package (electron-builder.yml sets them). */
const FUSES = {
  RunAsNode: false,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableCookieEncryption: true,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  GrantFileProtocolExtraPrivileges: false,
};

/** The packaged app before it is put into an installer. */
function findApp() {
  const dist = join(root, 'dist');
  const names = { linux: 'espalier', darwin: 'Espalier.app', win32: 'Espalier.exe' };
  const found = readdirSync(dist)
    .map((folder) => join(dist, folder, names[process.platform] ?? 'espalier'))
    .find((path) => existsSync(path));
  if (found === undefined) throw new SetupError(`There is no packaged app in ${dist}.`);
  return found;
}

async function checkFuses(app) {
  const { FuseV1Options, getCurrentFuseWire } = await import('@electron/fuses');
  const wire = await getCurrentFuseWire(app);
  // The wire holds one digit a fuse, as a character: '1' is on.
  const isSet = (name, isOn) => wire[FuseV1Options[name]] === (isOn ? '1' : '0').charCodeAt(0);
  const wrong = Object.entries(FUSES).filter(([name, isOn]) => !isSet(name, isOn));
  if (wrong.length > 0) throw new SetupError(`The package has wrong fuses: ${wrong.map(([name]) => name).join(', ')}.`);
  say(`fuses of ${app} are as they must be`);
}

async function requireOfficialRuntime() {
  try {
    await ensureRuntime({ officialOnly: true });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    throw new SetupError(
      `${error.message}\nA package needs it: the runtime from the npm registry is for development and tests only and is never ` +
        'packaged. Nothing was made. Run this where the Electron releases can be reached, or set ELECTRON_MIRROR.',
    );
  }
}

await main(async () => {
  checkNode();
  await ensureDependencies();
  await requireOfficialRuntime();
  await ensureBuild();
  await auditShipped({ isRequired: false });
  const distribution = '--config.electronDist=node_modules/electron/dist';
  const code = await runBin('electron-builder', ['--publish', 'never', distribution, ...scriptArguments()]);
  if (code === 0) await checkFuses(findApp());
  return code;
});
