/** Refused because of what was asked or the state the session is in; the message is for the person. */
export class SessionRefusal extends Error {
  override readonly name = 'SessionRefusal';
}
