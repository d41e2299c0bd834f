import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Trusted {
  version: 1;
  offered: boolean;
  folders: { path: string; ino: string; trustedAt: string }[];
}

/** Trusts a folder in an app that is not running, as if the person had said so in its window (src/main/trust/trust-book). */
export function trustFolder(home: string, folder: string): void {
  mkdirSync(home, { recursive: true });
  const file = join(home, 'trust.json');
  const path = realpathSync(folder);
  const known: Trusted = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Trusted)
    : { version: 1, offered: true, folders: [] };
  const ino = String(statSync(path, { bigint: true }).ino);
  known.folders.push({ path, ino, trustedAt: new Date().toISOString() });
  writeFileSync(file, JSON.stringify(known));
}
