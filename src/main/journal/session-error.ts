/** A session that cannot be opened, exported or brought back; the message says why and what can be done. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}
