/** Ends a server with all that it started. */
export function endGroup(group: number | undefined, signal: NodeJS.Signals): void {
  if (group === undefined || group < 2) return;
  try {
    process.kill(-group, signal);
  } catch {
    // It is gone.
  }
}
