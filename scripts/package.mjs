// npm run package: an installer for this platform in dist/, from the official Electron, with its fuses set and read back.
// `-- --dir`: only the app's folder; where the official Electron can't be had, from the development runtime, marked as such.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { auditShipped } from './lib/audit.mjs';
import { ensureBuild } from './lib/build.mjs';
import { checkNode, ensureDependencies } from './lib/dependencies.mjs';
import { capture, root, runBin, scriptArguments } from './lib/run.mjs';
import { ensureRuntime } from './lib/runtime.mjs';
import { SetupError, main, say } from './lib/say.mjs';

const electronVersion = () =>
  JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8')).version;

/** The packaged app before it is put into an installer. */
function findApp(dist) {
  const names = { linux: ['espalier', DEVELOPMENT_NAME], darwin: ['Espalier.app'], win32: ['Espalier.exe'] };
  const found = readdirSync(dist)
    .flatMap((folder) => (names[process.platform] ?? names.linux).map((name) => join(dist, folder, name)))
    .find((path) => existsSync(path));
  if (found === undefined) throw new SetupError(`There is no packaged app in ${dist}.`);
  return found;
}

async function checkFuses(app, lacking = []) {
  const { readFuses } = await import('./lib/fuses.mjs');
  const { wrong, missing } = await readFuses(app);
  const bad = [...wrong, ...missing.filter((name) => !lacking.includes(name))];
  if (bad.length > 0) throw new SetupError(`The package has wrong fuses: ${bad.join(', ')}.`);
  say(`fuses of ${app} are as they must be${missing.length > 0 ? `; this Electron has no ${missing.join(', ')}` : ''}`);
}

async function requireOfficialRuntime() {
  try {
    await ensureRuntime({ officialOnly: true });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    throw new SetupError(
      `${error.message}\nA package needs it: the runtime from the npm registry is for development and tests only and is never ` +
        'given to anybody. Nothing was made. Run this where the Electron releases can be reached, or set ELECTRON_MIRROR. ' +
        'For tests, `npm run package -- --dir` makes the app’s folder from it.',
    );
  }
}

/** The app with its official Electron: everything that `electron-builder.yml` says. */
async function packageOfficial() {
  await auditShipped({ isRequired: false });
  const distribution = '--config.electronDist=node_modules/electron/dist';
  const code = await runBin('electron-builder', ['--publish', 'never', distribution, ...scriptArguments()]);
  if (code === 0) await checkFuses(findApp(join(root, 'dist')));
  return code;
}

const DEVELOPMENT_NAME = 'espalier-development-runtime';

/**
 * The same folder around the development runtime (docs/decisions/0026-package-for-tests.md): for tests of what packing does. Its name,
 * its version and a file in it say what it is.
 */
async function packageForTests({ executable }, version) {
  const { build, DIR_TARGET, Platform } = await import('electron-builder');
  const { readFuses } = await import('./lib/fuses.mjs');
  const { missing } = await readFuses(executable);
  const output = join(root, 'dist', 'development-runtime');
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const afterPack = ({ appOutDir, packager }) => {
    // The runtime's own default app: in its place the asar is loaded.
    rmSync(join(appOutDir, 'resources', 'app'), { recursive: true, force: true });
    // What this Electron has no place for can't be set; all else is as in a release.
    for (const name of missing) delete packager.config.electronFuses[name[0].toLowerCase() + name.slice(1)];
  };
  await build({
    projectDir: root,
    targets: Platform.current().createTarget(DIR_TARGET),
    publish: 'never',
    config: {
      electronDist: dirname(executable),
      electronVersion: version,
      directories: { output },
      afterPack,
      linux: { executableName: DEVELOPMENT_NAME },
      extraMetadata: { version: `${manifest.version}-development-runtime` },
    },
  });
  const app = findApp(output);
  writeFileSync(
    join(dirname(app), 'DEVELOPMENT-RUNTIME.txt'),
    `Espalier ${manifest.version} on Electron ${version}, for tests only: it is older than the one that ships, ` +
      `${electronVersion()}, and lacks its security fixes. Not to be given to anybody.\n`,
  );
  await checkFuses(app, missing);
  say(`${app} (development runtime, for tests only)`);
  return 0;
}

async function versionOf({ executable }) {
  const env = { ELECTRON_RUN_AS_NODE: '1' };
  const { stdout } = await capture(executable, ['-p', 'process.versions.electron'], { env });
  return stdout.trim();
}

await main(async () => {
  checkNode();
  await ensureDependencies();
  if (!scriptArguments().includes('--dir')) {
    await requireOfficialRuntime();
    await ensureBuild();
    return packageOfficial();
  }
  const runtime = await ensureRuntime();
  await ensureBuild();
  const version = await versionOf(runtime);
  return version === electronVersion() ? packageOfficial() : packageForTests(runtime, version);
});
