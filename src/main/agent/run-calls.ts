import { type CallOutcome, EndedCall, outcomeByDetails } from '@shared/policy/call-outcome';

/** The result of a call. */
interface Ended {
  toolCallId: string;
  toolName: string;
  isError: boolean;
  details?: unknown;
}

/**
 * What became of the calls of a run, as it is recorded with their results (SU23): told by who kept a call from running or ended it, never
 * read from a text that a tool, a file or a model wrote.
 */
export class CallOutcomes {
  private readonly known = new Map<string, CallOutcome>();

  /** A call did not come to its own end. */
  note(callId: string, outcome: CallOutcome): void {
    this.known.set(callId, outcome);
  }

  /** Hears how a call that runs ends; the answer and the error stay the caller's. */
  async watch<T>(callId: string, running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (error) {
      if (error instanceof EndedCall) this.note(callId, error.outcome);
      throw error;
    }
  }

  /** What became of the call of a result, which is asked for once. */
  of({ toolCallId, toolName, isError, details }: Ended): CallOutcome {
    const known = this.known.get(toolCallId);
    this.known.delete(toolCallId);
    if (!isError) return 'ran';
    // Any other tool writes into its details what it likes.
    return known ?? (toolName === 'bash' ? outcomeByDetails(details) : null) ?? 'failed';
  }
}

/** Identical calls with identical results in a row that show a model which has lost its thread (TG17). */
const MAX_REPEATS = 3;
/** Results after a compaction among which they count: later repetitions may have a purpose. */
const WATCHED_RESULTS = 6;

/** Watches a run for a model that does the same over and over right after a compaction took its thread. */
export class RepeatGuard {
  private left = 0;
  private last = '';
  private count = 0;

  /** A compaction ended: the next results are watched. */
  arm(): void {
    this.left = WATCHED_RESULTS;
    this.last = '';
    this.count = 0;
  }

  /** A person spoke, or the run ended. */
  disarm(): void {
    this.left = 0;
    this.count = 0;
  }

  /** Takes one call with its result, in order. */
  note(toolName: string, args: unknown, result: unknown): void {
    if (this.left === 0) return;
    this.left--;
    const what = JSON.stringify([toolName, args, result]);
    this.count = what === this.last ? this.count + 1 : 1;
    this.last = what;
  }

  /** The model repeats itself: the run should end. */
  get isStuck(): boolean {
    return this.count >= MAX_REPEATS;
  }
}
