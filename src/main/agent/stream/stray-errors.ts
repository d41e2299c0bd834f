import { wordsOf } from '../../words-of';
import { currentGuard } from './wire-guard';

/**
 * Keeps what one reply throws where nobody catches it (a timer or a socket's event inside of an SDK, a promise that nobody
 * waits for) from ending the thread with all the others. The request whose code it was fails; node keeps the async context
 * in both events. A promise of no request leaves nothing undone; an exception of no request is let through, and the thread
 * ends: nobody knows what state it left behind.
 */
export function boundStrayErrors(): void {
  process.on('unhandledRejection', (reason) => void failCurrent(reason));
  process.on('uncaughtException', (error) => {
    if (!failCurrent(error)) throw error;
  });
}

function failCurrent(thrown: unknown): boolean {
  const guard = currentGuard();
  guard?.fail('reply-fault', `(${wordsOf(thrown)})`);
  return guard !== undefined;
}
