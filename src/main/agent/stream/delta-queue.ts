import type { DeltaEvent, ProviderOutcome, ProviderStream } from './types';

/** A `ProviderStream` that is filled from elsewhere: batches in, single events out, one outcome at the end. */
export class DeltaQueue implements ProviderStream {
  private batches: DeltaEvent[][] = [];
  private wake: (() => void) | undefined;
  private outcome: ProviderOutcome | undefined;
  private readonly ended: Promise<ProviderOutcome>;
  private settle: (outcome: ProviderOutcome) => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Adds deltas; ignored after the end. */
  push(deltas: DeltaEvent[]): void {
    if (this.outcome) return;
    this.batches.push(deltas);
    this.wake?.();
  }

  /** Ends the stream; the first call counts. */
  end(outcome: ProviderOutcome): void {
    if (this.outcome) return;
    this.outcome = outcome;
    this.settle(outcome);
    this.wake?.();
  }

  result(): Promise<ProviderOutcome> {
    return this.ended;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<DeltaEvent> {
    for (;;) {
      const batches = this.batches;
      this.batches = [];
      for (const batch of batches) yield* batch;
      if (this.batches.length > 0) continue;
      if (this.outcome) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.wake = undefined;
    }
  }
}
