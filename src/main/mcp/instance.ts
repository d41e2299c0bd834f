import { type McpLink, NeedsSignIn } from './link';
import type { McpOffer, McpReach } from './process/messages';

export type McpState = 'starting' | 'ready' | 'waiting' | 'failed' | 'signIn' | 'stopped';

export interface InstanceOptions {
  /** What the process knows it by. */
  number: number;
  link: McpLink;
  /** Milliseconds for one request. */
  timeoutMs: number;
  /** How it is reached now. Rejects with a sentence where that can't be said. */
  reach: () => Promise<McpReach>;
  onChange: () => void;
  now: () => number;
  /** Milliseconds until it is started again, by how often it failed. */
  backOff?: (failures: number) => number;
}

/** Lines of a server's log that are kept. */
const MAX_LINES = 300;
/** A server that fails this often in a row stays down until the person or a new session wants it. */
const MAX_FAILURES = 5;
/** It did well for so long that earlier failures are forgotten, milliseconds. */
const SOUND_MS = 60_000;
const CHANGED_MS = 200;

const usualBackOff = (failures: number): number => Math.min(60_000, 1_000 * 2 ** (failures - 1));

/** One server that runs, or should: its state, what it offers, its log; it is started again when it ends (EX20). */
export class Instance {
  state: McpState = 'stopped';
  /** Why it does not run, for a person. */
  problem = '';
  offer: McpOffer | null = null;
  private readonly lines: string[] = [];
  private failures = 0;
  private readySince = 0;
  private timer: NodeJS.Timeout | undefined;
  private starting: AbortController | null = null;
  /** Resolves when what ran before is gone. */
  private ending: Promise<unknown> = Promise.resolve();
  /** What was asked for last: begin, or stop. */
  private turn = 0;
  /** It is begun again as soon as what ran before is gone. */
  private isComing = false;

  constructor(private readonly options: InstanceOptions) {}

  get number(): number {
    return this.options.number;
  }

  get log(): readonly string[] {
    return this.lines;
  }

  /** Starts it if it rests; one that failed, or waits for the person, only `again`. Never rejects, and nobody need wait for it. */
  async start(again = false): Promise<void> {
    if (this.isComing) return;
    const isDown = this.state === 'failed' || this.state === 'signIn';
    if (this.state === 'stopped' || (again && isDown)) await this.begin();
  }

  /** Because the person wants it: whatever it is doing. */
  async restart(): Promise<void> {
    this.failures = 0;
    const turn = ++this.turn;
    this.isComing = true;
    await this.halt();
    if (this.turn !== turn) return;
    this.isComing = false;
    await this.begin();
  }

  async stop(): Promise<void> {
    this.turn += 1;
    this.isComing = false;
    await this.halt();
  }

  private async halt(): Promise<void> {
    clearTimeout(this.timer);
    this.starting?.abort();
    this.starting = null;
    const wasOn = this.state !== 'stopped';
    this.become('stopped');
    if (wasOn) this.ending = this.options.link.ask('disconnect', { server: this.number }).catch(() => undefined);
    await this.ending;
  }

  note(line: string): void {
    const time = new Date(this.options.now()).toISOString().slice(11, 19);
    this.lines.push(`${time} ${line}`);
    if (this.lines.length > MAX_LINES) this.lines.splice(0, this.lines.length - MAX_LINES);
  }

  /** It ended by itself. */
  gone(why: string): void {
    if (this.state !== 'ready') return;
    if (this.options.now() - this.readySince > SOUND_MS) this.failures = 0;
    this.failed(why);
  }

  /** What it offers is another thing now: read once, however often it says so. */
  changed(): void {
    if (this.state !== 'ready') return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.readOffer(), CHANGED_MS);
    this.timer.unref();
  }

  private async begin(): Promise<void> {
    const { link, number, timeoutMs } = this.options;
    this.starting?.abort();
    const starting = new AbortController();
    this.starting = starting;
    this.become('starting');
    try {
      await this.ending;
      const reach = await this.options.reach();
      if (starting.signal.aborted) return;
      const offer = await link.ask('connect', { server: number, reach, timeoutMs }, { signal: starting.signal });
      if (this.starting !== starting) return;
      this.offer = offer;
      this.readySince = this.options.now();
      this.noteOffer(offer);
      this.become('ready');
    } catch (error) {
      if (this.starting !== starting || starting.signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      if (error instanceof NeedsSignIn) this.become('signIn', 'It wants you to sign in.');
      else this.failed(why);
    } finally {
      if (this.starting === starting) this.starting = null;
    }
  }

  private async readOffer(): Promise<void> {
    try {
      const offer = await this.options.link.ask('offer', { server: this.number });
      if (this.state !== 'ready') return;
      this.offer = offer;
      this.noteOffer(offer);
      this.options.onChange();
    } catch (error) {
      this.note(`Its tools could not be read again: ${(error as Error).message}`);
    }
  }

  private noteOffer({ version, tools, problems }: McpOffer): void {
    this.note(`Connected${version === '' ? '' : ` to ${version}`}: ${tools.length} tools.`);
    for (const { tool, why } of problems) this.note(tool === '' ? why : `${tool}: ${why}`);
  }

  private failed(why: string): void {
    const { backOff = usualBackOff } = this.options;
    this.failures += 1;
    this.note(why);
    if (this.failures >= MAX_FAILURES) return this.become('failed', why);
    const waitMs = backOff(this.failures);
    this.become('waiting', why);
    this.timer = setTimeout(() => void this.begin(), waitMs);
    this.timer.unref();
  }

  private become(state: McpState, problem = ''): void {
    clearTimeout(this.timer);
    this.state = state;
    this.problem = problem;
    if (state !== 'ready') this.offer = null;
    this.options.onChange();
  }
}
