import { errorCode } from './fs';

/** A session that cannot be opened, exported or brought back; the message says why and what can be done. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}

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
