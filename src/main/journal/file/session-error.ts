import { errorCode, type JournalFs, NoRegularFileError } from './fs';
import { NotLinesError } from './line-reader';
import { NotASessionFileError } from '@shared/session/records/entry';

/** What may well be the session, only not for this user. */
export const UNREADABLE = 'a file that may not be opened';

/** A session that cannot be opened, exported or brought back; the message says why and what can be done. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}

/** In the place of a session's file is something that can't be one, or can't be opened: nothing is known of the session by it. */
export class NoJournalError extends SessionError {
  /** @param what completes “In its place is ” */
  constructor(readonly what: string) {
    super(
      `In the place of this session’s file is ${what}. It was left unchanged. Restart Espalier to restore the session from its database.`,
    );
  }
}

/** A deleted session stays in the trash: where its files were are those of another one now. */
export class PlaceTakenError extends SessionError {
  /** @param journal where it lies in the trash */
  constructor(journal: string, options?: { cause?: unknown }) {
    super(
      `This session was not restored: another session’s files are in its place. Both are unchanged; to restore this one as well, import ${journal}.`,
      options,
    );
  }
}

/** What is in the place of a file that could not be opened or read, as `NoJournalError` says it; null for any other failure. */
export function whatIsThere(error: unknown): string | null {
  if (error instanceof NoRegularFileError || error instanceof NoJournalError || error instanceof NotLinesError)
    return error.what;
  return WHAT[errorCode(error)] ?? null;
}

/** Of opening a file. */
const WHAT: Record<string, string> = {
  EISDIR: 'a folder',
  ENXIO: 'a socket',
  // macOS
  EOPNOTSUPP: 'a socket',
  ELOOP: 'a link that leads to itself',
  EACCES: UNREADABLE,
  EPERM: UNREADABLE,
};

/** The file of a session was closed while it was being read: the reading did not reach the end. */
export class LogClosedError extends SessionError {
  constructor() {
    super('The session was closed meanwhile. Open it again and try again.');
  }
}

/** The error for the person behind a failed read; one that no file operation made passes unchanged. */
export function toReadError(error: unknown): unknown {
  const code = errorCode(error);
  if (code === '') return error;
  const message = `The session could not be read: the system reported ${code}. Its file was left as it is; check the disk and try again.`;
  return new SessionError(message, { cause: error });
}

/** Bytes at the beginning of a file that tell what it is. */
const HEAD = 512;
const SIGNATURES: readonly [RegExp, string][] = [
  [/^\x89PNG/, 'a picture (PNG)'],
  [/^\xff\xd8\xff/, 'a picture (JPEG)'],
  [/^GIF8/, 'a picture (GIF)'],
  [/^RIFF.{4}WEBP/s, 'a picture (WebP)'],
  [/^%PDF/, 'a PDF'],
  [/^PK\x03\x04/, 'an archive (ZIP)'],
  [/^\x1f\x8b/, 'an archive (gzip)'],
  [/^SQLite format 3\0/, 'a database'],
];

/** What a file among the journals is that is no session, in two or three words; undefined if `error` does not say that it is none. */
export async function whatInstead(fs: JournalFs, path: string, error: unknown): Promise<string | undefined> {
  // What may not be opened may be a session.
  if (error instanceof NoJournalError) return error.what === UNREADABLE ? undefined : error.what;
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof NotASessionFileError)) return undefined;
  try {
    const file = await fs.open(path, 'read');
    try {
      const buffer = Buffer.alloc(HEAD);
      return whatIs(buffer.subarray(0, await file.read(buffer, 0)));
    } finally {
      await file.close();
    }
  } catch {
    return 'a file that can’t be read';
  }
}

/** By its first bytes. */
function whatIs(head: Buffer): string {
  const bytes = head.toString('latin1');
  const known = SIGNATURES.find(([pattern]) => pattern.test(bytes));
  if (known) return known[1];
  // The cut may go through a character.
  const text = new TextDecoder('utf-8').decode(head, { stream: true });
  if (/[\0\ufffd]/.test(text)) return 'binary data';
  return /^\s*[[{]/.test(text) ? 'JSON of another kind' : 'plain text';
}
