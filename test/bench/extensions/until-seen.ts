import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 90_000;
const LOOK_MS = 200;

/** Waits until something is so. What is not by then is an error that tells what was there instead: a bench waits for nothing for ever. */
export async function untilSeen(
  wanted: string,
  look: () => Promise<{ isSo: boolean; seen: readonly string[] }>,
): Promise<void> {
  for (const until = Date.now() + LIMIT_MS; ; await sleep(LOOK_MS)) {
    const { isSo, seen } = await look();
    if (isSo) return;
    if (Date.now() > until)
      throw new Error(`Not within ${LIMIT_MS / 1000} s: ${wanted}. What is there: ${seen.join('; ') || 'nothing'}.`);
  }
}
