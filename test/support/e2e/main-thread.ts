import type { RunningApp } from '../electron-app';

/**
 * Watches main's own thread from now on. What is returned ends that and gives the longest stretch in which nothing else got its turn, in
 * milliseconds: of the processor's time where the system tells it (Linux), so that a busy machine makes none long.
 */
export async function watchMain(app: RunningApp): Promise<() => Promise<number>> {
  const probe = await app.electron.evaluateHandle(() => {
    const { readFileSync } = process.mainModule!.require('node:fs') as typeof import('node:fs');
    const spent = (): number => {
      try {
        return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
      } catch {
        return performance.now();
      }
    };
    const watch = { longest: 0, isOn: true };
    // The first look pays for what this call itself costs.
    let last: number | null = null;
    const look = (): void => {
      const now = spent();
      if (last !== null) watch.longest = Math.max(watch.longest, now - last);
      last = now;
      if (watch.isOn) setTimeout(look, 1);
    };
    setTimeout(look, 100);
    return watch;
  });
  return async () => {
    const longest = await probe.evaluate((watch) => {
      watch.isOn = false;
      return watch.longest;
    });
    await probe.dispose();
    return longest;
  };
}
