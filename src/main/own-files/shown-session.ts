import { readRegular } from './read-regular';
import { writeOwnFile } from './write-own';

const MAX_BYTES = 4096;
/** As long as the page may name a session. */
const MAX_ID_CHARS = 200;

/**
 * Which session the window showed last, for the next start (WN3). Main writes it as soon as the window tells: in the window's database it would
 * wait behind the copies of sessions, and a kill would lose it.
 */
export class ShownSession {
  readonly #file: string;
  #shown: string | null | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** What was shown last, in this run or the one before; null: nobody knows. Never rejects. */
  async last(): Promise<string | null> {
    if (this.#shown === undefined) {
      const stored = await read(this.#file);
      this.#shown ??= stored;
    }
    return this.#shown;
  }

  /** The window shows this one from now on. */
  shows(sessionId: string): void {
    if (this.#shown === sessionId) return;
    this.#shown = sessionId;
    // A disk that is full costs no more than the newest session being opened instead.
    this.#work = this.#work
      .then(() => writeOwnFile(this.#file, JSON.stringify({ sessionId }), { givesWay: true }))
      .catch(() => undefined);
  }

  /** Resolves when what was told so far is in the file, or could not be written. */
  written(): Promise<void> {
    return this.#work;
  }
}

async function read(file: string): Promise<string | null> {
  try {
    const { sessionId } = (JSON.parse((await readRegular(file, MAX_BYTES)) ?? '{}') ?? {}) as Record<string, unknown>;
    return typeof sessionId === 'string' && sessionId !== '' && sessionId.length <= MAX_ID_CHARS ? sessionId : null;
  } catch {
    return null;
  }
}
