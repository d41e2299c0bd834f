import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Says to programs that a run starts that they are in one: one folder is enough, and each more takes from the 107 bytes of a socket's path. */
const MARK = 'ESPALIER_SCRATCH';

/**
 * A folder for everything that the tests put into the system's temporary one, so that nothing of a run stays there, however it ended.
 * @returns the `env` that makes programs use it, and `remove`.
 */
export function makeScratch() {
  if (process.env[MARK] !== undefined) return { env: {}, remove: () => {} };
  const path = mkdtempSync(join(tmpdir(), 'espalier-'));
  // Tests that work as another account go through it.
  chmodSync(path, 0o711);
  // What a test killed may still hold a file open; on Windows that keeps it from being removed.
  return {
    env: { TMPDIR: path, TEMP: path, TMP: path, [MARK]: path },
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
