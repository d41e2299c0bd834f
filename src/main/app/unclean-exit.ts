import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Whether the last run ended without `markCleanExit`: then the database's log may have a torn tail, which must be cut
 * before the first window opens it (quality.md B2). Marks this run as under way. Synchronous on purpose: it runs once,
 * before anything that could race with it.
 */
export function markRunning(marker: string): { lastExitWasClean: boolean } {
  const lastExitWasClean = !existsSync(marker);
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, String(process.pid));
  return { lastExitWasClean };
}

/** Removes the marker; the last thing that a clean quit does. */
export function markCleanExit(marker: string): void {
  rmSync(marker, { force: true });
}
