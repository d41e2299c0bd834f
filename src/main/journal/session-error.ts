import { errorCode, NoRegularFileError } from './fs';
import { NotLinesError } from './line-reader';

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
