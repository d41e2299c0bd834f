import { setMaxListeners } from 'node:events';
import type { SessionLog } from '../../ports';
import { LET_GO } from '@shared/policy/call-outcome';
import type { Tell } from '@shared/session-state/events';
import { sessionStateOf } from '@shared/session-state/phases';
import type { LiveSession, Phase } from '@shared/session-state/state';
import type { ModelRef, SessionState } from '@shared/types';

type Held = Extract<Phase, 'running' | 'retrying' | 'job' | 'rewriting'>;

/** What holds a session: a run, a job, a navigation or another rewrite. Its controller is its own (JB1). */
export class Operation {
  readonly controller = new AbortController();
  /** Resolves when all of it is over; it may have let go of the session before. */
  done: Promise<void> = Promise.resolve();

  constructor(
    public phase: Held,
    /** Lets go of the session. What `tell` says is said before that it is free. */
    readonly leave: (tell?: () => void) => void,
  ) {
    // Each call of a reply listens while it is under way, and a reply may make thousands: more than ten are no leak.
    setMaxListeners(0, this.controller.signal);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }
}

/** The one place of a session that an operation holds, and the only one where its phase changes (JB1, EV11). */
export class Slot {
  private holder: Operation | null = null;
  /** How many wait for the holder to end, to begin in the same step. */
  private waiting = 0;
  private isClosed = false;
  private told: SessionState;

  constructor(
    private readonly keeper: { readonly state: LiveSession; tell: Tell },
    /** The `session_state` is another one. */
    private readonly onState: () => void,
  ) {
    this.told = sessionStateOf(keeper.state);
  }

  get phase(): Phase {
    if (this.isClosed) return 'closing';
    if (!this.holder) return this.waiting > 0 ? 'stopping' : 'idle';
    if (this.holder.signal.aborted) return 'stopping';
    const { phase } = this.holder;
    return phase === 'running' && this.keeper.state.approvals.length > 0 ? 'waiting' : phase;
  }

  get isHeld(): boolean {
    return this.holder !== null;
  }

  /**
   * Holds the session for a piece of work, until that lets go of it or ends.
   * @throws Error if it is held: who calls it has asked the table
   */
  hold<T>(phase: Held, work: (operation: Operation) => Promise<T>): { operation: Operation; result: Promise<T> } {
    if (this.holder) throw new Error('Two operations in one session.');
    const operation = new Operation(phase, (tell) => {
      const wasHeld = this.holder === operation;
      if (wasHeld) this.holder = null;
      tell?.();
      if (wasHeld) this.refresh();
    });
    this.holder = operation;
    this.refresh();
    const result = work(operation).finally(() => operation.leave());
    operation.done = result.then(
      () => undefined,
      () => undefined,
    );
    return { operation, result };
  }

  /** What holds the session does something else now. */
  become(phase: Held): void {
    if (this.holder) this.holder.phase = phase;
    this.refresh();
  }

  /** Ends what holds the session; `why`: the reason of its signal, where it is not the person. Resolves when all of it is over. */
  async stop(why?: unknown): Promise<void> {
    const { holder } = this;
    holder?.controller.abort(why);
    this.refresh();
    await holder?.done;
  }

  /** `stop` to go on later, then does something in the very step in which the session is free: nothing else can begin in between. */
  async stopFor(then: () => void): Promise<void> {
    const { holder } = this;
    this.waiting += 1;
    holder?.controller.abort(LET_GO);
    this.refresh();
    await holder?.done;
    this.waiting -= 1;
    try {
      then();
    } finally {
      this.refresh();
    }
  }

  /** Nothing begins any more. */
  close(): void {
    this.isClosed = true;
  }

  /** Tells the window what phase the session is in, and what that comes to. */
  refresh(): void {
    const { keeper, phase } = this;
    if (keeper.state.phase !== phase) keeper.tell({ type: 'phase', phase });
    const state = sessionStateOf(keeper.state);
    if (state === this.told) return;
    this.told = state;
    keeper.tell({ type: 'session_state', state });
    this.onState();
  }
}

/** Refused because of what was asked or the state the session is in; the message is for the person. */
export class SessionRefusal extends Error {
  override readonly name = 'SessionRefusal';

  constructor(
    message: string,
    /** Nobody could write a summary: these were asked, others can be offered (SU35). */
    readonly tried?: readonly ModelRef[],
  ) {
    super(message);
  }
}

/** Work that reads a log in several steps: the session may be let go of between two of them. */
export async function reading<T>(log: SessionLog, work: () => Promise<T>): Promise<T> {
  const giveBack = log.lease();
  try {
    return await work();
  } finally {
    await giveBack();
  }
}
