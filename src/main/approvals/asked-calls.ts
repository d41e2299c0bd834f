import { hostname } from 'node:os';
import { z } from 'zod';
import { readOwnFile } from '../own-files/own-file';
import { writeOwnFile } from '../own-files/write-own';
import { toStorageError } from '../own-files/storage-error';

/** The newest are kept: of older ones nobody knows whether they began. */
const MOST = 200;
/** Longer ids are not noted. */
const MAX_ID_CHARS = 300;

const STORED = z.object({ asked: z.array(z.unknown()) });
const CALL = z.tuple([z.string(), z.string(), z.string(), z.string()]);

/** A call of a reply: servers number calls anew in each, and a session may have several with one id. */
export interface AskedCall {
  sessionId: string;
  /** The entry of the reply. */
  replyId: string;
  callId: string;
}

/**
 * Calls that the person was asked about and had not allowed, on disk: what a crash or a quit leaves open can't have begun if it is
 * noted here (AG11). Never an approval: it only says that nothing was done. Of a folder that computers share each believes its own notes:
 * what another one has begun since may not have come over yet.
 */
export class AskedCalls {
  private writing: Promise<void> = Promise.resolve();
  /** A note gave way to newer ones, and the disk may still have it. */
  private hasDropped = false;

  private constructor(
    private readonly file: string,
    private readonly marks: Map<string, z.infer<typeof CALL>>,
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
      new Map(value.filter(([computer]) => computer === hostname()).map((call) => [call.join('\n'), call])),
      state === 'unread',
      log,
      problems,
    );
  }

  /** The person is being asked. What can't be written down counts as not known. */
  ask(call: AskedCall): void {
    if (this.isUnread || call.callId.length > MAX_ID_CHARS) return;
    this.marks.set(keyOf(call), noteOf(call));
    const [oldest] = this.marks.keys();
    if (this.marks.size > MOST && oldest !== undefined) this.hasDropped = this.marks.delete(oldest);
    void this.write().catch((error: unknown) => this.log.warn('An open question could not be noted', error));
  }

  /** The call is about to begin. Resolves when the disk no longer says that it did not. @throws StorageError if it still says so */
  async begin(call: AskedCall): Promise<void> {
    const key = keyOf(call);
    const mark = this.marks.get(key);
    if (!mark && !this.hasDropped) return;
    this.marks.delete(key);
    await this.write().catch((error: unknown) => {
      if (mark) this.marks.set(key, mark);
      throw toStorageError(error);
    });
  }

  /** Whether the person had been asked about it and nothing was allowed. */
  isUnanswered(call: AskedCall): boolean {
    return this.marks.has(keyOf(call));
  }

  private write(): Promise<void> {
    const next = this.writing
      .catch(() => undefined)
      .then(async () => {
        const asked = [...this.marks.values()];
        const dropped = this.hasDropped;
        this.hasDropped = false;
        await writeOwnFile(this.file, JSON.stringify({ asked }), { givesWay: true }).catch((error: unknown) => {
          this.hasDropped ||= dropped;
          throw error;
        });
      });
    this.writing = next;
    return next;
  }
}

const noteOf = ({ sessionId, replyId, callId }: AskedCall): z.infer<typeof CALL> => [
  hostname(),
  sessionId,
  replyId,
  callId,
];
const keyOf = (call: AskedCall): string => noteOf(call).join('\n');
