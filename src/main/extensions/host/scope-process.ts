import { isRecord } from '@shared/checks';
import { GoneError, Rpc, type CallOptions, type RpcSide } from '../process/rpc';
import type { ProcessCalls, WireStart } from '../process/wire';

/** A process in which extensions run: Electron's in the app, a child of Node in tests. */
export interface ExtensionProcess {
  postMessage(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Once. `why`: what the system says of it. */
  onExit(listener: (why: string) => void): void;
  /** At once, whatever it does. */
  kill(): void;
}

export interface ProcessTimes {
  /** Between two heartbeats, milliseconds. */
  beatMs: number;
  /** So many in a row without an answer: it hangs. */
  missedBeats: number;
  /** For one factory. */
  loadMs: number;
}

export const PROCESS_TIMES: ProcessTimes = { beatMs: 1_000, missedBeats: 5, loadMs: 15_000 };

/** A process that starts has as many times longer: it reads what it is made of. */
const FIRST_BEAT = 6;

/** Bytes that a process may take. Its heap has a smaller limit of its own. */
const MAX_RSS = 2 * 1024 ** 3;

/** Of a call that was under way when another one ended the process. */
export const INNOCENT = 'The process that it shares with other extensions was ended.';

/** What runs code of an extension. */
type Calls = Exclude<keyof ProcessCalls, 'start' | 'open' | 'close' | 'ping'>;

/** Whose code was at work. */
export interface Culprit {
  sessionId: string;
  extensionId: string;
  /** The event, `load`, `/command` or tool. */
  doing: string;
}

interface Call extends Culprit {
  /** How many heartbeats were answered before it was sent. */
  beat: number;
}

/** Why a process ended, for a person, and who was at work: what hung it, as far as that can be told. */
export interface Ending {
  why: string;
  culprit: Culprit | null;
}

/** One life of a scope's process (EX12): calls with a deadline, a heartbeat, an end. */
export class ScopeProcess {
  private readonly rpc: Rpc;
  private readonly calls = new Set<Call>();
  private readonly timer: NodeJS.Timeout;
  private beats = 0;
  private missed = 0;
  private isBeating = false;
  private why: string | null = null;
  private blamed: Call | null = null;

  constructor(
    private readonly process: ExtensionProcess,
    start: WireStart,
    side: RpcSide,
    private readonly times: ProcessTimes,
    onEnd: (ending: Ending) => void,
  ) {
    this.rpc = new Rpc((message) => process.postMessage(message), side);
    process.onMessage((message) => this.rpc.take(message));
    process.onExit((why) => {
      clearInterval(this.timer);
      this.blamed = this.culprit();
      const ending = { why: this.why ?? why, culprit: this.blamed };
      this.rpc.end(new GoneError(ending.why));
      onEnd(ending);
    });
    void this.rpc.call('start', start).catch(() => undefined);
    this.timer = setInterval(() => this.beat(), times.beatMs);
    this.timer.unref();
  }

  /** Calls code of an extension. Rejects with what it throws, and where the process ends first. */
  async call<M extends Calls>(
    method: M,
    params: ProcessCalls[M],
    doing: Culprit,
    options: CallOptions = {},
  ): Promise<unknown> {
    const call: Call = { ...doing, beat: this.beats };
    this.calls.add(call);
    try {
      return await this.rpc.call(method, params, options);
    } catch (error) {
      if (error instanceof GoneError && this.blamed !== call) throw new GoneError(INNOCENT, { cause: error });
      throw error;
    } finally {
      this.calls.delete(call);
    }
  }

  async ask(method: 'open' | 'close', params: unknown): Promise<void> {
    await this.rpc.call(method, params).catch(() => undefined);
  }

  tell(method: 'facts' | 'editor' | 'models' | 'modelEvent', params: unknown): void {
    this.rpc.tell(method, params);
  }

  kill(why: string): void {
    this.why ??= why;
    this.process.kill();
  }

  private beat(): void {
    if (this.isBeating) {
      this.missed += 1;
      if (this.missed >= this.times.missedBeats * (this.beats === 0 ? FIRST_BEAT : 1))
        this.kill('It did not give the thread back, so its process was ended.');
      return;
    }
    this.isBeating = true;
    this.rpc.call('ping', null).then(
      (answer) => {
        this.isBeating = false;
        this.missed = 0;
        this.beats += 1;
        if (isRecord(answer) && Number(answer.rss) > MAX_RSS)
          this.kill('It took more than 2 GB, so its process was ended.');
      },
      () => undefined,
    );
  }

  /** The first that was called since the process last answered; else the last of those under way. */
  private culprit(): Call | null {
    const calls = [...this.calls];
    return calls.find(({ beat }) => beat >= this.beats) ?? calls.at(-1) ?? null;
  }
}
