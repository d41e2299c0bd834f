import type { AppFailure } from '@shared/types';
import { SessionRefusal } from '../session/machine/slot';
import { EntryNotFoundError, NotASessionFileError } from '@shared/session/records/entry';

/** An expected failure with a sentence for the person: what happened, what is safe, what to do. */
export class AppError extends Error {
  constructor(
    readonly code: AppFailure['code'],
    message: string,
  ) {
    super(message);
    this.name = 'AppError';
  }
}

/** Errors whose message is written for a person; anything else is a bug and gets a neutral sentence. */
const PLAIN_ERRORS = new Set([
  'AppError',
  'StorageError',
  'RecordTooLargeError',
  'ImportError',
  'RangeError',
  'SessionError',
  'SessionRefusal',
  'EndpointError',
]);

/** What SF17 says, and what to do about it. */
const NOT_A_SESSION =
  'It was left as it is. Espalier reads the session files (.jsonl) of Espalier, pi and oh-my-pi; choose one of those.';

/** The typed failure that crosses to the window. Bugs are logged by the caller and told without their insides. */
export function toFailure(error: unknown): { failure: AppFailure; expected: boolean } {
  if (error instanceof AppError) return { failure: { code: error.code, message: error.message }, expected: true };
  if (error instanceof EntryNotFoundError)
    return { failure: { code: 'not-found', message: error.message }, expected: true };
  if (error instanceof NotASessionFileError)
    return { failure: { code: 'refused', message: `${error.message}. ${NOT_A_SESSION}` }, expected: true };
  if (error instanceof Error && PLAIN_ERRORS.has(error.name)) {
    const code = error.name === 'StorageError' ? 'storage' : 'refused';
    const tried = error instanceof SessionRefusal && error.tried ? { tried: [...error.tried] } : {};
    return { failure: { code, message: error.message, ...tried }, expected: true };
  }
  return {
    failure: {
      code: 'internal',
      message: 'Something went wrong inside Espalier. Nothing that was saved is affected; the details are in the log.',
    },
    expected: false,
  };
}
