import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Trusted {
  version: 1;
  offered: boolean;
  folders: { path: string; ino: string; born?: string; trustedAt: string }[];
}

/** Trusts a folder in an app that is not running, as if the person had said so in its window (src/main/trust/trust-book). */
export function trustFolder(home: string, folder: string): void {
  mkdirSync(home, { recursive: true });
  const file = join(home, 'trust.json');
  const path = realpathSync(folder);
  const known: Trusted = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Trusted)
    : { version: 1, offered: true, folders: [] };
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  const born = birthtimeNs > 0n ? { born: String(birthtimeNs) } : {};
  known.folders.push({ path, ino: String(ino), ...born, trustedAt: new Date().toISOString() });
  writeFileSync(file, JSON.stringify(known));
}
