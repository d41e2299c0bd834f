const RELOADS = 3;
export const WITHIN_MS = 60_000;

/** Whether a crash now may be answered with a reload: at most three in a minute (QB4). Pure. */
export function mayReload(crashes: readonly number[], now: number): boolean {
  return crashes.filter((at) => now - at < WITHIN_MS).length < RELOADS;
}
