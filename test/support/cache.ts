import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder for what tests and benches fetch or generate once; outside the project, the same as set-up's. */
export function cacheFolder(): string {
  const given = process.env.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(given) ? given : join(homedir() || userInfo().homedir, '.cache'), 'espalier');
}
