/** Result lines up to which each change is told at once: what follows may be the file that never ends. */
const EAGER_COUNT = 100;
const INTERVAL_MS = 50;

/** How often work tells what it has so far: at once while it is little, then every 50 ms. */
export class Pace {
  private last = 0;

  isDue(count: number): boolean {
    const now = performance.now();
    if (count > EAGER_COUNT && now - this.last < INTERVAL_MS) return false;
    this.last = now;
    return true;
  }
}
