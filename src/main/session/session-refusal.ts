import type { ModelRef } from '@shared/types';

/** Refused because of what was asked or the state the session is in; the message is for the person. */
export class SessionRefusal extends Error {
  override readonly name = 'SessionRefusal';

  constructor(
    message: string,
    /** Nobody could write a summary: these were asked, others can be offered (SU35). */
    readonly tried?: readonly ModelRef[],
  ) {
    super(message);
  }
}
