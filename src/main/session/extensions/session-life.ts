import type { ExtensionBus } from '../../extensions/bus';
import type { Payload, SessionStartReason } from '../../extensions/events';
import type { ExtensionHost } from '../../extensions/session-door';
import type { ResourceBook } from '../../extensions/resources';
import type { LiveDoor } from './live-door';

/** So long closing waits for what extensions do last. Milliseconds. */
const SHUTDOWN_MS = 2_000;
/** So long a message waits for extensions that are still being made: after that it goes without them. */
const READY_MS = 20_000;

/** One session as extensions live in it. */
interface Life {
  door: LiveDoor;
  /** Resolves when they have heard of `session_start`, or will not in time. */
  ready: Promise<void>;
  isReady: boolean;
  /** What is done with its extensions now. What began before it takes no further step. */
  work: Promise<void>;
}

/** When extensions begin and end with a session: made, told of its start, told of its end, let go of (EX12). */
export class SessionLives {
  private readonly lives = new Map<string, Life>();
  private hasStarted = false;

  constructor(
    private readonly bus: ExtensionBus,
    private readonly host: ExtensionHost,
    private readonly resources?: Pick<ResourceBook, 'discover' | 'forget'>,
  ) {}

  /** A session is live. Not waited for: it is used before its extensions are there. `reason` absent: it was opened from its file. */
  begin(door: LiveDoor, reason?: SessionStartReason, previousSessionFile?: string): void {
    const why = reason ?? (this.hasStarted ? 'resume' : 'startup');
    this.hasStarted = true;
    const life: Life = { door, ready: Promise.resolve(), isReady: true, work: Promise.resolve() };
    this.lives.set(door.sessionId, life);
    const started = this.alone(life, (isCurrent) => this.start(door, why, { previousSessionFile, isCurrent }));
    getReady(life, started);
  }

  /** A session works in another folder now: the extensions of that one, in place of those of the other. Not waited for, but by what is said. */
  moved(sessionId: string): void {
    const life = this.lives.get(sessionId);
    if (life) getReady(life, this.reload(sessionId));
  }

  /** Resolves when what is said may be said. */
  async ready(sessionId: string): Promise<void> {
    await this.lives.get(sessionId)?.ready;
  }

  /** The same; null: nothing is to be waited for. */
  waitFor(sessionId: string): Promise<void> | null {
    const life = this.lives.get(sessionId);
    return life && !life.isReady ? life.ready : null;
  }

  /** A session is let go of. Waits for what its extensions do last, for a while. Never rejects. */
  async end(sessionId: string, reason: Payload<'session_shutdown'>['reason'] = 'quit'): Promise<void> {
    const life = this.lives.get(sessionId);
    if (!life) return;
    this.lives.delete(sessionId);
    await this.tellEnd(sessionId, reason);
    // It was opened again meanwhile: what there is of it now is the new one's.
    if (!this.lives.has(sessionId)) {
      await this.host.detach(sessionId);
      this.resources?.forget(sessionId);
    }
    life.door.close();
  }

  /** Extensions of a session anew, as if it had been opened again. */
  async reload(sessionId: string): Promise<void> {
    const life = this.lives.get(sessionId);
    if (!life) return;
    await this.alone(life, async (isCurrent) => {
      await this.tellEnd(sessionId, 'reload');
      if (!isCurrent()) return;
      await this.host.detach(sessionId);
      if (isCurrent()) await this.start(life.door, 'reload', { isCurrent });
    });
  }

  /** Resolves when the latest work is done: one that is overtaken ends at its next step. */
  private alone(life: Life, work: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    const isCurrent = (): boolean => life.work === done && this.lives.get(life.door.sessionId) === life;
    // Not at once: it asks whether it is the latest.
    const done: Promise<void> = Promise.resolve()
      .then(() => work(isCurrent))
      .then(() => (life.work === done ? undefined : life.work));
    life.work = done;
    return done;
  }

  private async start(
    door: LiveDoor,
    reason: SessionStartReason,
    { previousSessionFile, isCurrent }: { previousSessionFile?: string | undefined; isCurrent: () => boolean },
  ): Promise<void> {
    const { sessionId } = door;
    await door.lookAtTrust();
    if (!isCurrent()) return;
    await this.host.attach(door, reason);
    if (!isCurrent()) return;
    const payload = { reason, ...(previousSessionFile === undefined ? {} : { previousSessionFile }) };
    await this.bus.tell('session_start', payload, { sessionId });
    if (!isCurrent()) return;
    await this.resources?.discover(sessionId, door.facts().cwd, reason === 'reload' ? 'reload' : 'startup');
    if (reason === 'fork' && previousSessionFile !== undefined)
      await this.bus.tell('session_fork', { reason, previousSessionFile }, { sessionId });
  }

  /** What goes on after its time goes on without anybody: only the telling is raced, never what is let go of behind it. */
  private tellEnd(sessionId: string, reason: Payload<'session_shutdown'>['reason']): Promise<void> {
    return withinTime(this.bus.tell('session_shutdown', { reason }, { sessionId }), SHUTDOWN_MS);
  }
}

/** What is said waits for this, for a while. */
function getReady(life: Life, work: Promise<void>): void {
  const ready = withinTime(work, READY_MS);
  life.ready = ready;
  life.isReady = false;
  void ready.then(() => {
    // Another wait may have begun.
    if (life.ready === ready) life.isReady = true;
  });
}

/** Resolves when the work is over, however it ends, or when its time is. */
export async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
