import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a record was torn: its header alone, a part of what follows, or not even the header. */
export const TORN_TAILS = { header: 7, part: 207, short: 3 } as const;
export type TornTail = keyof typeof TORN_TAILS;

function databaseFolder(home: string): string | null {
  const root = join(home, 'profile', 'IndexedDB');
  const name = readdirSync(root).find((folder) => folder.endsWith('.indexeddb.leveldb'));
  return name ? join(root, name) : null;
}

/** True if the runtime keeps IndexedDB in LevelDB; its other backend has no log to tear. */
export function isLevelDb(home: string): boolean {
  return databaseFolder(home) !== null;
}

/**
 * Leaves behind the newest log of IndexedDB what a process leaves that dies while it writes a record of 1,000 bytes
 * (QB2). Run only while the app is closed.
 */
export function tearDatabase(home: string, tail: TornTail): void {
  const folder = databaseFolder(home);
  if (!folder) throw new Error('There is no LevelDB to tear.');
  const newest = readdirSync(folder)
    .filter((name) => /^\d+\.log$/.test(name))
    .sort()
    .at(-1);
  if (!newest) throw new Error('LevelDB has no log.');
  const record = Buffer.alloc(1_007, 0x61);
  record.writeUInt32LE(0xdeadbeef, 0);
  record.writeUInt16LE(1_000, 4);
  record[6] = 1;
  appendFileSync(join(folder, newest), record.subarray(0, TORN_TAILS[tail]));
}

/** How often the app's own log says something. */
export function countLogged(home: string, text: string): number {
  return readFileSync(join(home, 'logs', 'main.log'), 'utf8').split(text).length - 1;
}
