/** Does something for each of some things a while after it was last wanted: many wishes at once are one. */
export class Soon<T> {
  private readonly timers = new Map<T, NodeJS.Timeout>();

  constructor(
    private readonly ms: number,
    private readonly act: (what: T) => void,
  ) {}

  soon(what: T): void {
    if (this.timers.has(what)) return;
    const timer = setTimeout(() => {
      this.timers.delete(what);
      this.act(what);
    }, this.ms);
    timer.unref();
    this.timers.set(what, timer);
  }

  end(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }
}
