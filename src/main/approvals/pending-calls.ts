import { hostname } from 'node:os';
import { z } from 'zod';
import { readOwnFile } from '../own-files/own-file';
import { writeOwnFile } from '../own-files/write-own';
import { toStorageError } from '../own-files/storage-error';

/** Replies of which something is noted; the newest are kept, and of older ones nobody knows what began. */
const MOST = 200;
/** Longer ids are not noted. */
const MAX_ID_CHARS = 300;

const STORED = z.object({ asked: z.array(z.unknown()) });
const CALL = z.tuple([z.string(), z.string(), z.string(), z.string()]);

/** A call of a reply: servers number calls anew in each, and a session may have several with one id. */
export interface PendingCall {
  sessionId: string;
  /** The entry of the reply. */
  replyId: string;
  callId: string;
}

/**
 * From which call on those of a reply have not begun, on disk: what a crash or a quit leaves open is known not to have begun if it is noted
 * here (AG11). Never an approval: it only says that nothing was done. Each computer believes its own notes, and each session its own:
 * a copy of the session may have been made while a call waited that began afterwards.
 */
export class PendingCalls {
  private writing: Promise<void> = Promise.resolve();
  /** Writes that have not ended. */
  private pending = 0;
  private failure: unknown = null;

  private constructor(
    private readonly file: string,
    /** By reply: the first of its calls that has not begun. */
    private readonly marks: Map<string, z.infer<typeof CALL>>,
    /** The same as it was last written. */
    private onDisk: ReadonlyMap<string, z.infer<typeof CALL>>,
    /** What is on disk could not be read: nothing is written over it. */
    private readonly isUnread: boolean,
    private readonly log: { warn(message: string, detail?: unknown): void },
    /** Its name as it was at the start: it may change with the network. */
    private readonly computer: string,
    /** What was wrong with the file, for the person. */
    readonly problems: readonly string[],
  ) {}

  static async open(file: string, log: { warn(message: string, detail?: unknown): void }): Promise<PendingCalls> {
    const { value, problems, state } = await readOwnFile(file, {
      name: 'The notes of open calls',
      empty: (): z.infer<typeof CALL>[] => [],
      parse: (json) => {
        const stored = STORED.parse(json).asked.map((one) => CALL.safeParse(one).data);
        const calls = stored.filter((one) => one !== undefined);
        const lost = stored.length - calls.length;
        const bad = lost > 0 ? [lost === 1 ? 'one of them' : `${lost} of them`] : [];
        return { value: calls, bad, kept: { asked: calls } };
      },
    });
    const computer = hostname();
    const own = value.filter(([noted]) => noted === computer);
    const marks = own.map((note) => [note.slice(0, 3).join('\n'), note] as const);
    return new PendingCalls(file, new Map(marks), new Map(marks), state === 'unread', log, computer, problems);
  }

  /** The person is being asked: neither this call nor one behind it has begun. What can't be written down counts as not known. */
  ask(call: PendingCall): void {
    if (this.note(call)) void this.write();
  }

  /**
   * The call is about to begin. Resolves when the disk does not say that it did not.
   * @param calls ids of the calls of its reply, in order
   * @param next the one behind it from which on the others wait; null: of none is it noted
   * @throws StorageError if the disk still says so
   */
  async begin(call: PendingCall, calls: readonly string[], next: string | null): Promise<void> {
    const key = this.keyOf(call);
    const mark = this.marks.get(key);
    const isSaid = (note = this.onDisk.get(key)): boolean =>
      note !== undefined && calls.lastIndexOf(note[3]) <= calls.indexOf(call.callId);
    const isUnsure = mark !== undefined || this.pending > 0 || isSaid();
    let hasChanged = false;
    if (mark === undefined || isSaid(mark)) {
      hasChanged = this.marks.delete(key);
      if (next !== null) hasChanged = this.note({ ...call, callId: next }) || hasChanged;
    }
    const written = hasChanged || isSaid() ? this.write() : this.writing;
    if (!isUnsure) return;
    await written;
    if (!isSaid()) return;
    if (mark) this.marks.set(key, mark);
    throw toStorageError(this.failure);
  }

  /** False: nothing can be noted of it. */
  private note(call: PendingCall): boolean {
    if (this.isUnread || call.callId.length > MAX_ID_CHARS) return false;
    this.marks.set(this.keyOf(call), [this.computer, call.sessionId, call.replyId, call.callId]);
    const [oldest] = this.marks.keys();
    if (this.marks.size > MOST && oldest !== undefined) this.marks.delete(oldest);
    return true;
  }

  private keyOf({ sessionId, replyId }: Pick<PendingCall, 'sessionId' | 'replyId'>): string {
    return [this.computer, sessionId, replyId].join('\n');
  }

  /** The first call of a reply that is known not to have begun: nor has one behind it. Null: nothing is known. */
  firstUnbegun(reply: Pick<PendingCall, 'sessionId' | 'replyId'>): string | null {
    return this.marks.get(this.keyOf(reply))?.[3] ?? null;
  }

  /** Writes what is noted by then. Never rejects: what is on disk after a failure is what was there before. */
  private write(): Promise<void> {
    this.pending += 1;
    this.writing = this.writing.then(async () => {
      const marks = new Map(this.marks);
      try {
        await writeOwnFile(this.file, JSON.stringify({ asked: [...marks.values()] }), { givesWay: true });
        this.onDisk = marks;
      } catch (error) {
        this.failure = error;
        this.log.warn('Which calls have not begun could not be noted', error);
      } finally {
        this.pending -= 1;
      }
    });
    return this.writing;
  }
}
