import { z } from 'zod';
import { readOwnFile } from '../own-files/own-file';
import { writeOwnFile } from '../own-files/write-own';
import { toStorageError } from '../own-files/storage-error';

/** The newest are kept: of older ones nobody knows whether they began. */
const MOST = 200;
/** Longer ids are not noted. */
const MAX_ID_CHARS = 300;

const STORED = z.object({ asked: z.array(z.unknown()) });
const CALL = z.tuple([z.string(), z.string()]);

/**
 * Calls that the person was asked about and had not allowed, on disk: what a crash or a quit leaves open can't have begun if it is
 * noted here (AG11). Never an approval: it only says that nothing was done.
 */
export class AskedCalls {
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly marks: Map<string, [sessionId: string, callId: string]>,
    /** What is on disk could not be read: nothing is written over it. */
    private readonly isUnread: boolean,
    private readonly log: { warn(message: string, detail?: unknown): void },
    /** What was wrong with the file, for the person. */
    readonly problems: readonly string[],
  ) {}

  static async open(file: string, log: { warn(message: string, detail?: unknown): void }): Promise<AskedCalls> {
    const { value, problems, state } = await readOwnFile(file, {
      name: 'The notes of open questions',
      empty: (): z.infer<typeof CALL>[] => [],
      parse: (json) => {
        const stored = STORED.parse(json).asked.map((one) => CALL.safeParse(one).data);
        const calls = stored.filter((one) => one !== undefined);
        const lost = stored.length - calls.length;
        const bad = lost > 0 ? [lost === 1 ? 'one of them' : `${lost} of them`] : [];
        return { value: calls, bad, kept: { asked: calls } };
      },
    });
    return new AskedCalls(
      file,
      new Map(value.map((call) => [keyOf(...call), call])),
      state === 'unread',
      log,
      problems,
    );
  }

  /** The person is being asked. What can't be written down counts as not known. */
  ask(sessionId: string, callId: string): void {
    if (this.isUnread || callId.length > MAX_ID_CHARS) return;
    this.marks.set(keyOf(sessionId, callId), [sessionId, callId]);
    const [oldest] = this.marks.keys();
    if (this.marks.size > MOST && oldest !== undefined) this.marks.delete(oldest);
    void this.write().catch((error: unknown) => this.log.warn('An open question could not be noted', error));
  }

  /** The call is about to begin. Resolves when the disk no longer says that it did not. @throws StorageError if it still says so */
  async begin(sessionId: string, callId: string): Promise<void> {
    const key = keyOf(sessionId, callId);
    const mark = this.marks.get(key);
    if (!mark) return;
    this.marks.delete(key);
    await this.write().catch((error: unknown) => {
      this.marks.set(key, mark);
      throw toStorageError(error);
    });
  }

  /** Whether the person had been asked about it and nothing was allowed. */
  isUnanswered(sessionId: string, callId: string): boolean {
    return this.marks.has(keyOf(sessionId, callId));
  }

  private write(): Promise<void> {
    const next = this.writing
      .catch(() => undefined)
      .then(() => writeOwnFile(this.file, JSON.stringify({ asked: [...this.marks.values()] }), { givesWay: true }));
    this.writing = next;
    return next;
  }
}

const keyOf = (sessionId: string, callId: string): string => `${sessionId}\n${callId}`;
