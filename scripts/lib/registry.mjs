// What the development tools take from the npm registry beside the dependencies: pinned by version and sha512, kept in the cache.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { npm } from './run.mjs';
import { SetupError, say } from './say.mjs';

/** The folder where Espalier's development tools keep what they fetch, outside the project. */
export function cacheFolder(env = process.env) {
  const given = env.XDG_CACHE_HOME ?? '';
  // HOME may be set to nothing; the user database still knows it.
  return join(isAbsolute(given) ? given : join(homedir() || userInfo().homedir, '.cache'), 'espalier');
}

/**
 * Fetches a package into the folder `work`, without running anything of it.
 * @param pinned its `package` name, `version`, `integrity` and `size` in words
 * @returns the path of its tarball, whose integrity is the pinned one
 * @throws SetupError
 */
export async function fetchTarball(pinned, work) {
  const spec = `${pinned.package}@${pinned.version}`;
  say(`fetching ${spec} from the npm registry (${pinned.size})`);
  const code = await npm(
    ['pack', spec, '--pack-destination', work, '--no-update-notifier', '--loglevel=error', '--ignore-scripts'],
    { quiet: true },
  );
  const name = readdirSync(work).find((file) => file.endsWith('.tgz'));
  if (code !== 0 || name === undefined)
    throw new SetupError(`${spec} could not be fetched from the npm registry. Check the network and run this again.`);
  const tarball = join(work, name);
  const hash = createHash('sha512');
  await pipeline(createReadStream(tarball), hash);
  const integrity = `sha512-${hash.digest('base64')}`;
  if (integrity !== pinned.integrity) {
    throw new SetupError(
      `${spec} (${statSync(tarball).size} bytes) is not the file this project trusts, so it was deleted.\n` +
        `  expected ${pinned.integrity}\n  received ${integrity}\nNothing of it was run. Run this again; if it stays so, report it.`,
    );
  }
  return tarball;
}
