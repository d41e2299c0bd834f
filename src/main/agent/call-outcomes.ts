import { EndedCall, outcomeByDetails, type CallOutcome } from '@shared/policy/call-outcome';

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
  of({ toolCallId, isError, details }: { toolCallId: string; isError: boolean; details?: unknown }): CallOutcome {
    const known = this.known.get(toolCallId);
    this.known.delete(toolCallId);
    if (!isError) return 'ran';
    return known ?? outcomeByDetails(details) ?? 'failed';
  }
}
